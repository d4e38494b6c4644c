/* SPDX-License-Identifier: Apache-2.0 */
/* The line at which libcrypto gives up a configuration, found by the words of libcrypto's error. */
#include "cli/config/culprit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/config/edit.h"
#include "cli/config/lines.h"

#define MAX_SUSPECTS 64

/* A file that was pasted twice: its second start names a section from within a section. */
static bool drop_late_start(struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->found.conf.parts;

	if (!parts->init || !parts->late)
		return false;
	return kc_lines_comment(setup, parts->late);
}

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

/* OpenSSL's own modules have these lines; an error may contain such a word by chance. */
static const char *const modules[] = { "providers", "engines",	   "alg_section",  "random",
				       "ssl_conf",  "oid_section", "stbl_section", NULL };
/* What kcrypto needs. */
static const char *const needed[] = {
	"providers", "alg_section", "kcrypto", "default", "base", NULL
};

/* True if the error names the section of this line, or a file that this section names. */
static bool is_blamed(const struct kc_cnf *cnf, const CONF_VALUE *line, const char *error)
{
	static const char *const files[] = { "dynamic_path", "module" };
	char word[300];

	snprintf(word, sizeof(word), "section=%s", line->value);
	if (strstr(error, word))
		return true;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *file = kc_cnf_get(cnf, line->value, files[i]);

		if (file && *file && strstr(error, file))
			return true;
	}
	return false;
}

/* Drops a line for another provider, or for an engine, that OpenSSL can't load. */
static bool drop_other(struct kc_setup *setup, const char *error)
{
	static const char *const lists[] = { "providers", "engines" };
	const struct kc_conf *conf = &setup->found.conf;
	const CONF_VALUE *line;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
		const char *list = kc_cnf_get(&conf->cnf, conf->parts.init, lists[k]);

		for (int i = 0; list && (line = kc_cnf_line(&conf->cnf, list, i)); i++)
			if (is_blamed(&conf->cnf, line, error))
				return kc_lines_comment(setup,
							kc_lines_find(setup, list, line->name));
	}
	return false;
}

/* A word for 'activate' that begins like one of OpenSSL's that say no. */
static bool is_no(const char *value)
{
	return strchr("0nNfF", *value) || strncasecmp(value, "of", 2) == 0;
}

/* From OpenSSL 3.2 on, 'activate' takes these words and no others: corrects the first other one. */
static bool correct_activate(struct kc_setup *setup, const char *error)
{
	const struct kc_conf *conf = &setup->found.conf;
	const CONF_VALUE *line;

	if (!strstr(error, "directive activate"))
		return false;
	for (int i = 0; (line = kc_cnf_line(&conf->cnf, conf->parts.providers, i)); i++) {
		const char *value = kc_cnf_get(&conf->cnf, line->value, "activate");
		const struct kc_line *at = kc_lines_find(setup, line->value, "activate");
		struct kc_text *text = kc_lines_text_of(setup, at);

		if (!value || !text || kc_has_word("1 yes true on 0 no false off", value))
			continue;
		kc_text_replace(text, at->where.line,
				is_no(value) ? "activate = 0" : "activate = 1");
		return true;
	}
	return false;
}

/* Lines that may be at fault; copies of their names, which outlive another reading. */
struct suspects {
	char *section[MAX_SUSPECTS], *name[MAX_SUSPECTS];
	size_t n;
};

/* Suspects the lines of a section except those that kcrypto needs. */
static void suspect(struct suspects *s, const struct kc_conf *conf, const char *section)
{
	const CONF_VALUE *line;

	for (int i = 0; (line = kc_cnf_line(&conf->cnf, section, i)); i++) {
		if (s->n == MAX_SUSPECTS || is_among(needed, line->name))
			continue;
		s->section[s->n] = kc_must(strdup(section));
		s->name[s->n++] = kc_must(strdup(line->name));
	}
}

/* True if without the line there is no error, or a different one. Otherwise puts the line back. */
static bool try_without(struct kc_setup *setup, const char *section, const char *name)
{
	const char *now = setup->found.offers.reach.conf_error;
	const struct kc_line *line = kc_lines_find(setup, section, name);
	struct kc_text *text = line ? kc_lines_text_at(setup, line->where) : NULL;
	KC_TEXT old = { .at = NULL };
	char error[sizeof(setup->found.offers.reach.conf_error)];
	bool is_better;

	if (!text)
		return false;
	snprintf(error, sizeof(error), "%s", now);
	kc_text_set(&old, text->at, text->len);
	kc_text_comment(text, line->where.line);
	kc_setup_read(setup);
	kc_setup_judge(setup);
	is_better = strcmp(error, now) != 0;
	if (is_better)
		return true;
	kc_text_set(text, old.at, old.len);
	kc_setup_read(setup);
	kc_setup_judge(setup);
	return false;
}

/* The error does not tell: tries the file's lines for others, one after the other. */
static bool drop_by_trial(struct kc_setup *setup)
{
	const struct kc_conf *conf = &setup->found.conf;
	const struct kc_parts *parts = &conf->parts;
	struct suspects s = { .n = 0 };
	bool done = false;

	if (!parts->init || !setup->found.offers.reach.conf_error[0])
		return false;
	suspect(&s, conf, parts->engines);
	suspect(&s, conf, parts->ssl);
	suspect(&s, conf, parts->providers);
	suspect(&s, conf, parts->init);
	for (size_t i = 0; i < s.n; i++) {
		done = done || try_without(setup, s.section[i], s.name[i]);
		free(s.section[i]);
		free(s.name[i]);
	}
	return done;
}

bool kc_culprit_drop(struct kc_setup *setup, const struct kc_symptom *f)
{
	const struct kc_conf *conf = &setup->found.conf;
	const char *error = "";
	const char *algorithms = conf->parts.algorithms;
	const CONF_VALUE *line;
	char word[300];

	(void)f;
	if (conf->parts.init)
		error = setup->found.offers.reach.conf_error;
	if (correct_activate(setup, error))
		return true;
	for (int i = 0; (line = kc_cnf_line(&conf->cnf, algorithms, i)); i++) {
		snprintf(word, sizeof(word), "name=%s, ", line->name);
		if (strstr(error, word))
			return kc_lines_comment(setup,
						kc_lines_find(setup, algorithms, line->name));
	}
	for (int i = 0; (line = kc_cnf_line(&conf->cnf, conf->parts.init, i)); i++) {
		snprintf(word, sizeof(word), "module=%s", line->name);
		if (strstr(error, word) ||
		    (!is_among(modules, line->name) && strstr(error, line->name)))
			return kc_lines_comment(setup,
						kc_lines_find(setup, conf->parts.init, line->name));
	}
	if (drop_other(setup, error) || drop_late_start(setup))
		return true;
	return drop_by_trial(setup);
}
