/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/sections.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/edit.h"
#include "cli/config/lines.h"

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* True if the brackets, signs or tags around it are all that is wrong with the value. */
static bool is_word_of(const char *section, const char *value)
{
	const char *at = *section ? strstr(value, section) : NULL;

	if (!at || (at > value && is_of_name(at[-1])))
		return false;
	return !is_of_name(at[strlen(section)]);
}

static const char *find_word(const struct kc_cnf *cnf, const char *value)
{
	const char *best = NULL;

	for (const struct kc_line *l = cnf->lines; l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_SECTION && is_word_of(l->section, value) &&
		    (!best || strlen(l->section) > strlen(best)))
			best = l->section;
	return best;
}

static bool correct(struct kc_setup *setup, const char *section, const char *name)
{
	const struct kc_cnf *cnf = &setup->found.conf.cnf;
	const char *value = kc_cnf_get(cnf, section, name), *word = NULL;
	const struct kc_line *line = kc_lines_find(setup, section, name);
	struct kc_text *text = NULL;
	char *with = NULL;

	if (value && line && !kc_cnf_has(cnf, value))
		word = find_word(cnf, value);
	if (word)
		text = kc_lines_text_at(setup, line->where);
	if (!text || asprintf(&with, "%s = %s", name, word) < 0)
		return false;
	kc_text_replace(text, line->where.line, with);
	free(with);
	return true;
}

bool kc_sections_correct(struct kc_setup *setup)
{
	static const char *const names[] = { "providers", "alg_section", "random", "ssl_conf",
					     "engines" };
	const struct kc_parts *parts = &setup->found.conf.parts;

	if (correct(setup, "default", "openssl_conf"))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (correct(setup, parts->init, names[i]))
			return true;
	return parts->kcrypto_line && correct(setup, parts->providers, "kcrypto");
}

static const struct kc_line *find_section(const struct kc_cnf *cnf, const char *section)
{
	for (const struct kc_line *l = cnf->lines; section && l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_SECTION && strcmp(l->section, section) == 0)
			return l;
	return NULL;
}

/* Inserts lines after the one that starts a section. */
static bool insert(struct kc_setup *setup, const struct kc_line *start, const char *lines)
{
	struct kc_text *text = start ? kc_lines_text_at(setup, start->where) : NULL;

	if (text)
		kc_text_insert(text, start->where.line, lines);
	return text;
}

bool kc_sections_activate_default(struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->found.conf.parts;
	const struct kc_cnf *cnf = &setup->found.conf.cnf;
	const struct kc_line *no = kc_lines_find(setup, parts->base, "activate");
	const struct kc_line *own = find_section(cnf, parts->base);
	const struct kc_line *list = find_section(cnf, parts->providers);
	struct kc_text *text = no ? kc_lines_text_at(setup, no->where) : NULL;
	char *with = NULL;
	bool done;

	if (text)
		kc_text_replace(text, no->where.line, "activate = 1");
	if (text || no)
		return text;
	if (own)
		return insert(setup, own, "activate = 1");
	if (correct(setup, parts->providers, "default"))
		return true;
	kc_lines_comment(setup, kc_lines_find(setup, parts->providers, "default"));
	if (!list ||
	    asprintf(&with, "default = kcrypto_default\n[kcrypto_default]\nactivate = 1\n[%s]",
		     parts->providers) < 0)
		return false;
	done = insert(setup, list, with);
	free(with);
	return done;
}
