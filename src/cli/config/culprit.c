/* SPDX-License-Identifier: Apache-2.0 */
/* The line at which libcrypto gives a configuration up, found by the words of its error. */
#include "cli/config/culprit.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/lines.h"

/* Of a file that was pasted twice: its second start names a section from within one. */
static bool drop_late_start(struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->found.conf.parts;

	if (!parts->init || !parts->late)
		return false;
	return kc_lines_comment(setup, parts->late);
}

/* OpenSSL has modules for these lines itself, and an error may have such a word by chance. */
static bool is_modules(const char *name)
{
	return kc_has_word("providers engines alg_section random ssl_conf oid_section stbl_section",
			   name);
}

/* Does the error name the section of this line, or a file that this section has? */
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

/* A line for another provider, or for an engine, that OpenSSL cannot load. */
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
	for (int i = 0; (line = kc_cnf_line(&conf->cnf, algorithms, i)); i++) {
		snprintf(word, sizeof(word), "name=%s, ", line->name);
		if (strstr(error, word))
			return kc_lines_comment(setup,
						kc_lines_find(setup, algorithms, line->name));
	}
	for (int i = 0; (line = kc_cnf_line(&conf->cnf, conf->parts.init, i)); i++) {
		snprintf(word, sizeof(word), "module=%s", line->name);
		if (strstr(error, word) || (!is_modules(line->name) && strstr(error, line->name)))
			return kc_lines_comment(setup,
						kc_lines_find(setup, conf->parts.init, line->name));
	}
	if (drop_other(setup, error))
		return true;
	return drop_late_start(setup);
}
