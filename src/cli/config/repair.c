/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The repairs of kcrypto config fix: one function for each kind of finding, which changes the texts
 * that files will have.
 */
#include "cli/config/repair.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cnf/loader.h"
#include "cli/config/block.h"
#include "cli/config/config.h"
#include "cli/config/culprit.h"
#include "cli/config/edit.h"
#include "cli/config/lines.h"
#include "cli/config/sections.h"

#define MAX_ADDED 4

static struct kc_text *main_text(const struct kc_setup *setup)
{
	return kc_planned_text(setup, setup->main);
}

static bool comment_at(struct kc_setup *setup, const struct kc_symptom *f)
{
	struct kc_where where = setup->found.conf.cnf.bad;
	struct kc_text *text = kc_lines_text_at(setup, where);

	(void)f;
	if (text)
		kc_text_comment(text, where.line);
	return text;
}

static bool is_missing(const struct kc_cnf *cnf, const char *path)
{
	for (size_t i = 1; i < cnf->n_files; i++)
		if (cnf->file[i].err && strcmp(cnf->file[i].path, path) == 0)
			return true;
	return false;
}

/* Returns the number of the line at @at. */
static unsigned line_number(const struct kc_text *text, const char *at)
{
	unsigned line = 1;

	for (const char *c = text->at; c < at; c++)
		line += *c == '\n';
	return line;
}

/* The user's lines in the block become comments, too. */
static bool undo_block_with(const struct kc_setup *setup, const struct kc_line *line)
{
	struct kc_text *text = kc_lines_text_at(setup, line->where), edited;
	unsigned number = line->where.line;
	struct kc_block block;

	if (!text || kc_block_find(text, &block) != 0)
		return false;
	if (number < line_number(text, block.begin) || number > line_number(text, block.end))
		return false;
	if (kc_block_undo(text, &block, true, &edited) != 0)
		return false;
	kc_text_free(text);
	*text = edited;
	return true;
}

/* Returns the line that includes a file of kcrypto which no longer exists, or NULL. */
static const struct kc_line *find_absent_loader(const struct kc_cnf *cnf)
{
	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++) {
		bool is_loader = l->kind == KC_LINE_INCLUDE && kc_loader_is(l->value);

		if (is_loader && is_missing(cnf, l->value))
			return l;
	}
	return NULL;
}

/* Also drops what 'config enable' wrote with that line, which has no use any more. */
static bool drop_absent_loader(struct kc_setup *setup, const struct kc_symptom *f)
{
	const struct kc_line *line = find_absent_loader(&setup->found.conf.cnf);

	(void)f;
	if (line && undo_block_with(setup, line))
		return true;
	return kc_lines_comment(setup, line);
}

bool kc_repair_absence(struct kc_setup *setup)
{
	struct kc_text *text = main_text(setup), edited;

	if (setup->added++ >= MAX_ADDED || !text || kc_setup_add_missing(setup, text, &edited))
		return false;
	kc_text_free(text);
	*text = edited;
	return true;
}

static bool add_missing(struct kc_setup *setup, const struct kc_symptom *f)
{
	(void)f;
	return kc_repair_absence(setup);
}

/* If the path is no file, plans a file without lines there. */
static bool decode(struct kc_setup *setup, const struct kc_symptom *f)
{
	struct kc_where bad = setup->found.conf.cnf.bad;
	struct kc_text *text;

	(void)f;
	if (bad.file)
		text = kc_planned_text(setup, bad.file);
	else
		text = main_text(setup);
	if (!text || !text->at)
		return false;
	return kc_text_decode(text);
}

/* Corrects the usual slips first; a line that is no configuration line becomes a comment. */
static bool correct_syntax(struct kc_setup *setup, const struct kc_symptom *f)
{
	struct kc_where bad = setup->found.conf.cnf.bad;
	struct kc_text *text = kc_lines_text_at(setup, bad);
	char *line = kc_text_line(text, bad.line);
	const char *start;
	char *closed = NULL;

	(void)f;
	if (!line)
		return false;
	start = line + strspn(line, " \t");
	if (kc_text_plain(line))
		kc_text_replace(text, bad.line, line);
	else if (*start == '[' && !strchr(start, ']') && asprintf(&closed, "%s]", line) > 0)
		kc_text_replace(text, bad.line, closed);
	else
		kc_text_comment(text, bad.line);
	free(closed);
	free(line);
	return true;
}

static bool move_start(struct kc_setup *setup, const struct kc_symptom *f)
{
	const struct kc_line *late = setup->found.conf.parts.late;
	struct kc_text *text = main_text(setup);
	char *line = NULL;

	(void)f;
	if (!late || !text || !text->at)
		return false;
	if (asprintf(&line, "openssl_conf = %s", late->value) < 0)
		return false;
	kc_lines_comment(setup, late);
	kc_text_prepend(text, line);
	free(line);
	return true;
}

/* Corrects the first line with a word processor's quotes or blanks, in all files that were read. */
static bool correct_quotes(struct kc_setup *setup)
{
	const struct kc_cnf *cnf = &setup->found.conf.cnf;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++) {
		struct kc_text *text;
		char *line;
		bool is_odd;

		if (l->kind != KC_LINE_VALUE)
			continue;
		text = kc_lines_text_of(setup, l);
		line = kc_text_line(text, l->where.line);
		is_odd = line && kc_text_plain(line);
		if (is_odd)
			kc_text_replace(text, l->where.line, line);
		free(line);
		if (is_odd)
			return true;
	}
	return false;
}

/* Divides a file that is one line for OpenSSL. */
static bool break_lines(struct kc_setup *setup)
{
	struct kc_text *text = main_text(setup);

	return text && kc_text_break(text);
}

/* Drops a start whose section cannot exist: the rest of the file is in its line, for example. */
static bool drop_start(struct kc_setup *setup)
{
	const char *init = setup->found.conf.parts.init;

	if (!init || !strpbrk(init, "[]#$\\\"'"))
		return false;
	return kc_lines_comment(setup, kc_lines_find(setup, "default", "openssl_conf"));
}

/* Values that name sections: those that enable does not make become comments. */
static bool add_section(struct kc_setup *setup, const struct kc_symptom *f)
{
	static const char *const names[] = { "alg_section", "random", "ssl_conf", "engines" };
	const struct kc_conf *conf = &setup->found.conf;
	bool has_init = kc_cnf_has(&conf->cnf, conf->parts.init);

	if (break_lines(setup) || correct_quotes(setup) || kc_sections_correct(setup))
		return true;
	for (size_t i = 0; has_init && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *section = kc_cnf_get(&conf->cnf, conf->parts.init, names[i]);

		if (section && !kc_cnf_has(&conf->cnf, section))
			return kc_lines_comment(setup,
						kc_lines_find(setup, conf->parts.init, names[i]));
	}
	if (!has_init && drop_start(setup))
		return true;
	return add_missing(setup, f);
}

/*
 * True if OpenSSL accepts this element of a query alone, and it is about no provider and no FIPS.
 */
static bool is_kept(const char *element)
{
	struct kc_query q = kc_query_ask(element, false);

	if (!q.is_valid || !q.has_rest)
		return false;
	return !strcasestr(element, "provider");
}

static void write_query(char *to, size_t size, const char *query)
{
	char *words = kc_must(strdup(query)), *rest;
	size_t n = (size_t)snprintf(to, size, "?provider=kcrypto");

	for (char *w = strtok_r(words, ",", &rest); w; w = strtok_r(NULL, ",", &rest)) {
		w += strspn(w, " \t");
		if (n < size && *w && is_kept(w))
			n += (size_t)snprintf(to + n, size - n, ",%s", w);
	}
	free(words);
	if (!kc_query_ask(to, false).leads)
		snprintf(to, size, "?provider=kcrypto");
}

static bool correct_query(struct kc_setup *setup, const struct kc_symptom *f)
{
	const struct kc_parts *parts = &setup->found.conf.parts;
	const struct kc_line *line = kc_lines_find(setup, parts->algorithms, "default_properties");
	struct kc_text *text = kc_lines_text_of(setup, line);
	char with[512] = "default_properties = ";
	size_t n = strlen(with);

	(void)f;
	if (!text)
		return false;
	write_query(with + n, sizeof(with) - n, parts->query);
	kc_text_replace(text, line->where.line, with);
	return true;
}

static bool correct_fips(struct kc_setup *setup, const struct kc_symptom *f)
{
	const struct kc_parts *parts = &setup->found.conf.parts;

	if (!parts->fips_mode)
		return correct_query(setup, f);
	return kc_lines_comment(setup, kc_lines_find(setup, parts->algorithms, "fips_mode"));
}

/* Drops the line that loads a module, or that includes the file with that line. */
static bool drop_loader(struct kc_setup *setup)
{
	const struct kc_cnf *cnf = &setup->found.conf.cnf;
	const struct kc_line *line = NULL;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_INCLUDE && kc_loader_is(l->value))
			line = l;
	if (!line)
		line = kc_lines_find(setup, setup->found.conf.parts.init,
				     setup->found.conf.parts.loader_line);
	return kc_lines_comment(setup, line);
}

/* Drops the line 'module': without it, OpenSSL takes the module in its own directory. */
static bool drop_module(struct kc_setup *setup, const struct kc_symptom *f)
{
	const struct kc_parts *parts = &setup->found.conf.parts;

	(void)f;
	if (kc_lines_comment(setup, kc_lines_find(setup, parts->kcrypto, "module")))
		return true;
	if (!parts->loader)
		return false;
	return drop_loader(setup);
}

/* Corrects the first unknown key, if a known one has nearly the same name. */
static bool correct_key(struct kc_setup *setup)
{
	const struct kc_conf *conf = &setup->found.conf;
	const struct kc_problem *p = &conf->config.problems[0];
	const struct kc_line *line;
	struct kc_text *text;
	char *with = NULL;

	if (!conf->config.n_problems)
		return false;
	line = kc_conf_line_of(conf, p->key);
	text = kc_lines_text_of(setup, line);
	if (!text)
		return false;
	if (p->reason == KC_UNKNOWN_KEY && p->nearest[0] &&
	    asprintf(&with, "%s = %s", p->nearest, line->value) > 0)
		kc_text_replace(text, line->where.line, with);
	else
		kc_text_comment(text, line->where.line);
	free(with);
	return true;
}

static bool activate_default(struct kc_setup *setup, const struct kc_symptom *f)
{
	return kc_sections_activate_default(setup) || add_missing(setup, f);
}

static const struct {
	const char *word;
	bool (*repair)(struct kc_setup *setup, const struct kc_symptom *f);
} repairs[] = {
	{ "loader-absent", drop_absent_loader },
	{ "file-kind", decode },
	{ "include-loop", comment_at },
	{ "syntax", correct_syntax },
	{ "dangling", add_missing },
	{ "no-file", add_missing },
	{ "default-absent", add_missing },
	{ "no-start", add_missing },
	{ "no-line", add_missing },
	{ "inactive", add_missing },
	{ "no-default", activate_default },
	{ "no-query", add_missing },
	{ "late-start", move_start },
	{ "no-section", add_section },
	{ "bad-query", correct_query },
	{ "fips-query", correct_fips },
	{ "hard-query", correct_query },
	{ "other-query", correct_query },
	{ "no-module", drop_module },
	{ "other-module", drop_module },
	{ "unloadable", drop_module },
	{ "crash", drop_module },
	{ "stumble", kc_culprit_drop },
	{ "no-launch", kc_culprit_drop },
};

bool kc_repair(struct kc_setup *setup, const struct kc_symptom *f)
{
	for (size_t i = 0; i < sizeof(repairs) / sizeof(repairs[0]); i++)
		if (strcmp(f->word, repairs[i].word) == 0)
			return repairs[i].repair(setup, f);
	if (strcmp(f->link, "keys") == 0)
		return correct_key(setup);
	return false;
}
