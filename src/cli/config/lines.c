/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config/lines.h"

#include <limits.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/edit.h"

struct kc_plan kc_lines_before, kc_lines_after;

static struct kc_text *add_file(const struct kc_setup *setup, const char *path)
{
	struct kc_text *old = &kc_lines_before.file[kc_lines_before.n].text,
		       *new = &kc_lines_after.file[kc_lines_after.n].text;

	if (kc_lines_after.n == KC_CNF_FILES)
		return NULL;
	kc_files_read(setup->root, path, old);
	if (old->at)
		kc_text_set(new, old->at, old->len);
	kc_lines_before.file[kc_lines_before.n++].path = kc_must(strdup(path));
	kc_lines_after.file[kc_lines_after.n++].path = kc_must(strdup(path));
	return new;
}

struct kc_text *kc_planned_text(const struct kc_setup *setup, const char *path)
{
	char real[PATH_MAX];

	if (kc_files_resolve(setup->root, path, real) != 0)
		return NULL;
	for (size_t i = 0; i < kc_lines_after.n; i++)
		if (strcmp(kc_lines_after.file[i].path, real) == 0)
			return &kc_lines_after.file[i].text;
	return add_file(setup, real);
}

struct kc_text *kc_lines_text_at(const struct kc_setup *setup, struct kc_where where)
{
	struct kc_text *text = NULL;

	if (where.file && where.line)
		text = kc_planned_text(setup, where.file);
	if (text && text->at)
		return text;
	return NULL;
}

struct kc_text *kc_lines_text_of(const struct kc_setup *setup, const struct kc_line *line)
{
	if (line)
		return kc_lines_text_at(setup, line->where);
	return NULL;
}

const struct kc_line *kc_lines_find(const struct kc_setup *setup, const char *section,
				    const char *name)
{
	const struct kc_cnf *cnf = &setup->found.conf.cnf;
	const struct kc_line *last = NULL;

	for (const struct kc_line *l = cnf->lines; section && l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->section, section) == 0 &&
		    strcmp(l->name, name) == 0)
			last = l;
	return last;
}

bool kc_lines_comment(const struct kc_setup *setup, const struct kc_line *line)
{
	struct kc_text *text = kc_lines_text_of(setup, line);

	if (text)
		kc_text_comment(text, line->where.line);
	return text;
}
