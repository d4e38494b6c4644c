/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces each line that includes a file by the file's text. A section continues after an include,
 * as it does for libcrypto, which then parses the whole.
 */
#include "cli/cnf/cnf.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cnf/folder.h"
#include "cli/conf.h"

#define MAX_DEPTH 8
#define MAX_LINES ((size_t)1 << 16)

/* The state of one reading. */
struct reading {
	struct kc_cnf *cnf;
	const struct kc_files *files;
	FILE *out;
	char section[KC_NAME_SIZE];
	unsigned depth;
};

static int read_file(struct reading *r, const char *path);

static int refuse(struct kc_cnf *cnf, int err, const char *path, unsigned line, const char *why)
{
	char number[16] = "";

	if (line)
		snprintf(number, sizeof(number), ":%u", line);
	snprintf(cnf->error, sizeof(cnf->error), "%s%s%s: %s", cnf->root, path, number, why);
	return err;
}

/* Adds one line to the whole text. */
static int put(struct reading *r, const char *at, size_t len, struct kc_where where)
{
	struct kc_cnf *cnf = r->cnf;

	if (cnf->n_lines == MAX_LINES)
		return refuse(cnf, -EFBIG, where.file, where.line, "too many lines");
	cnf->where[cnf->n_lines++] = where;
	fwrite(at, 1, len, r->out);
	if (!len || at[len - 1] != '\n')
		putc('\n', r->out);
	return 0;
}

/* A logical line may be several lines of the file. */
static int put_line(struct reading *r, const struct kc_line *line, const char *file)
{
	const char *at = line->at, *end = line->at + line->len;
	int err = 0;

	for (unsigned number = line->number; !err && at < end; number++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *next = newline ? newline + 1 : end;

		err = put(r, at, (size_t)(next - at), (struct kc_where){ file, number });
		at = next;
	}
	return err;
}

static int read_directory(struct reading *r, const char *path)
{
	struct kc_folder folder;
	int err = kc_folder_list(&folder, r->files, path);

	for (size_t i = 0; !err && i < folder.n; i++) {
		err = read_file(r, folder.path[i]);
		err = err == -ENOENT ? 0 : err; /* planned to be removed */
	}
	kc_folder_free(&folder);
	return err;
}

/*
 * An include that OpenSSL would look for elsewhere, or that is not plain text, is left for it to
 * read.
 */
static bool is_followed(const struct kc_line *line)
{
	return line->value[0] == '/' && !strpbrk(line->value, "$\\\"'`");
}

static int follow(struct reading *r, const struct kc_line *line, const char *file)
{
	struct kc_cnf *cnf = r->cnf;
	struct kc_include *include = &cnf->include[cnf->n_includes];
	int err;

	if (cnf->n_includes == KC_CNF_INCLUDES)
		return refuse(cnf, -ELOOP, file, line->number, "too many files are included");
	*include =
		(struct kc_include){ .path = strdup(line->value), .where = { file, line->number } };
	if (!include->path)
		return -ENOMEM;
	cnf->n_includes++;
	memcpy(include->section, line->section, sizeof(include->section));
	include->is_directory = kc_folder_is_there(r->files, include->path);
	err = include->is_directory ? read_directory(r, include->path) :
				      read_file(r, include->path);
	return err == -ENOENT || err == -ENOTDIR ? 0 : err;
}

/* Does a line of the section follow an include of this file? */
static void notice(struct kc_cnf *cnf, const struct kc_line *line, const char *file, bool *is_open)
{
	bool ends = line->kind == KC_LINE_SECTION;

	if (*is_open && line->kind == KC_LINE_VALUE)
		for (size_t i = 0; i < cnf->n_includes; i++)
			cnf->include[i].goes_on |=
				cnf->include[i].where.file == file &&
				strcmp(cnf->include[i].section, line->section) == 0;
	*is_open = line->kind == KC_LINE_INCLUDE || (*is_open && !ends);
}

static int read_lines(struct reading *r, struct kc_lines *lines, const char *file)
{
	struct kc_line *line = &lines->line;
	bool is_open = false;
	int err = 0;

	while (!err && kc_lines_next(lines)) {
		notice(r->cnf, line, file, &is_open);
		if (line->kind != KC_LINE_INCLUDE || !is_followed(line)) {
			err = put_line(r, line, file);
			continue;
		}
		memcpy(r->section, line->section, sizeof(r->section));
		err = follow(r, line, file);
		memcpy(line->section, r->section, sizeof(r->section));
	}
	memcpy(r->section, line->section, sizeof(r->section));
	return err;
}

static int read_text(struct reading *r, const struct kc_text *text, const char *file)
{
	struct kc_lines lines;
	int err = -ENOMEM;

	if (kc_lines_open(&lines, text->at, text->len, r->section))
		err = read_lines(r, &lines, file);
	kc_lines_close(&lines);
	return err;
}

static const char *keep_name(struct kc_cnf *cnf, const char *path)
{
	if (cnf->n_files == KC_CNF_INCLUDES)
		return NULL;
	cnf->file[cnf->n_files] = strdup(path);
	return cnf->file[cnf->n_files] ? cnf->file[cnf->n_files++] : NULL;
}

static int read_file(struct reading *r, const char *path)
{
	struct kc_text text;
	int err = r->depth == MAX_DEPTH ? -ELOOP : kc_files_read(r->files, path, &text);
	const char *name;

	if (err)
		return err == -ENOENT ?
			       err :
			       refuse(r->cnf, err, path, 0,
				      err == -EILSEQ ? "holds a zero byte" : strerror(-err));
	name = keep_name(r->cnf, path);
	r->depth++;
	err = name ? read_text(r, &text, name) :
		     refuse(r->cnf, -ELOOP, path, 0, "too many files are included");
	r->depth--;
	kc_text_free(&text);
	return err;
}

/* Gets libcrypto's verdict, with the line that it means. */
static int parse(struct kc_cnf *cnf)
{
	BIO *bio = BIO_new_mem_buf(cnf->text.at, (int)cnf->text.len);
	unsigned long code;
	const char *why;
	long line = 0;

	cnf->conf = NCONF_new(NULL);
	if (bio && cnf->conf && NCONF_load_bio(cnf->conf, bio, &line) > 0) {
		BIO_free(bio);
		return 0;
	}
	BIO_free(bio);
	NCONF_free(cnf->conf);
	cnf->conf = NULL;
	code = ERR_peek_last_error();
	why = ERR_reason_error_string(code);
	ERR_clear_error();
	if (line < 1 || (size_t)line > cnf->n_lines)
		return refuse(cnf, -EINVAL, cnf->n_files ? cnf->file[0] : "", 0,
			      why ? why : "syntax error");
	return refuse(cnf, -EINVAL, cnf->where[line - 1].file, cnf->where[line - 1].line,
		      why ? why : "syntax error");
}

int kc_cnf_read(struct kc_cnf *cnf, const struct kc_files *files, const char *path)
{
	struct reading r = { .cnf = cnf, .files = files, .section = "default" };
	int err;

	*cnf = (struct kc_cnf){ .root = files->root,
				.where = calloc(MAX_LINES, sizeof(*cnf->where)) };
	r.out = cnf->where ? open_memstream(&cnf->text.at, &cnf->text.len) : NULL;
	if (!r.out)
		return refuse(cnf, -ENOMEM, path, 0, strerror(ENOMEM));
	err = read_file(&r, path);
	if (err == -ENOENT || err == -ENOTDIR)
		err = 0;
	if (fclose(r.out) != 0 && !err)
		err = refuse(cnf, -ENOMEM, path, 0, strerror(ENOMEM));
	return err ? err : parse(cnf);
}

void kc_cnf_free(struct kc_cnf *cnf)
{
	NCONF_free(cnf->conf);
	for (size_t i = 0; i < cnf->n_files; i++)
		free(cnf->file[i]);
	for (size_t i = 0; i < cnf->n_includes; i++)
		free(cnf->include[i].path);
	free(cnf->where);
	free(cnf->text.at);
	*cnf = (struct kc_cnf){ .conf = NULL };
}

const char *kc_cnf_get(const struct kc_cnf *cnf, const char *section, const char *name)
{
	const char *value = kc_conf_get(cnf->conf, section, name);

	ERR_clear_error();
	return value;
}

struct kc_where kc_cnf_where(const struct kc_cnf *cnf, const char *section, const char *name)
{
	struct kc_where where = { .file = NULL };
	struct kc_lines lines;

	if (section && kc_lines_open(&lines, cnf->text.at, cnf->text.len, "default"))
		while (kc_lines_next(&lines))
			if (lines.line.kind == KC_LINE_VALUE &&
			    strcmp(lines.line.section, section) == 0 &&
			    strcmp(lines.line.name, name) == 0)
				where = cnf->where[lines.line.number - 1];
	if (section)
		kc_lines_close(&lines);
	return where;
}
