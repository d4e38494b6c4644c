/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up values in a configuration that has been read, and their lines. */
#include "cli/cnf/cnf.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>

static STACK_OF(CONF_VALUE) * find_section(const struct kc_cnf *cnf, const char *section)
{
	STACK_OF(CONF_VALUE) *lines = NULL;

	if (section && cnf->conf)
		lines = NCONF_get_section(cnf->conf, section);
	ERR_clear_error();
	return lines;
}

bool kc_cnf_has(const struct kc_cnf *cnf, const char *section)
{
	return find_section(cnf, section) != NULL;
}

const CONF_VALUE *kc_cnf_line(const struct kc_cnf *cnf, const char *section, int i)
{
	STACK_OF(CONF_VALUE) *lines = find_section(cnf, section);

	if (i >= sk_CONF_VALUE_num(lines))
		return NULL;
	return sk_CONF_VALUE_value(lines, i);
}

const char *kc_cnf_get(const struct kc_cnf *cnf, const char *section, const char *name)
{
	const CONF_VALUE *line;

	for (int i = 0; (line = kc_cnf_line(cnf, section, i)); i++)
		if (strcmp(line->name, name) == 0)
			return line->value;
	return NULL;
}

const char *kc_cnf_place(const struct kc_cnf *cnf, struct kc_where where)
{
	static char place[PATH_MAX + 16];
	const char *file = where.file ? where.file : cnf->main;
	size_t n = (size_t)snprintf(place, PATH_MAX, "%s%s", cnf->root, file);

	if (where.file && where.line && n < PATH_MAX)
		snprintf(place + n, sizeof(place) - n, ":%u", where.line);
	return place;
}

const char *kc_cnf_place_of(const struct kc_cnf *cnf, const char *section, const char *name)
{
	struct kc_where where = { NULL, 0 };

	for (const struct kc_line *l = cnf->lines; section && l != kc_cnf_end(cnf); l++) {
		if (l->kind != KC_LINE_VALUE || strcmp(l->section, section) != 0)
			continue;
		if (strcmp(l->name, name) == 0)
			where = l->where;
	}
	return kc_cnf_place(cnf, where);
}
