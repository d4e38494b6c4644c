/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces each line that includes a file by the file's text. A section continues after an include,
 * as it does for libcrypto, which then parses the whole text.
 */
#include "cli/cnf/cnf.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cnf/include.h"

#define BOM "\xef\xbb\xbf"

/* The state of one reading. */
struct reading {
	struct kc_cnf *cnf;
	const struct kc_plan *plan; /* in place of files, or NULL */
	struct kc_where include;    /* the line whose file is being read */
	FILE *out;
	const char *section;
	unsigned depth, number; /* of lines in the whole text */
	struct kc_includes includes;
};

static const struct kc_where nowhere;

static int read_cnf_file(struct reading *r, const char *path);

static int refuse_file(struct kc_cnf *cnf, int err, struct kc_where where, const char *why)
{
	cnf->err = err;
	cnf->bad = where;
	snprintf(cnf->why, sizeof(cnf->why), "%s", why);
	return err;
}

static const struct kc_line *add_line(struct reading *r, const char *words, struct kc_where where)
{
	struct kc_cnf *cnf = r->cnf;
	struct kc_line *line;

	if (cnf->n_lines % 256 == 0)
		cnf->lines = kc_must(realloc(cnf->lines, (cnf->n_lines + 256) * sizeof(*line)));
	line = &cnf->lines[cnf->n_lines++];
	*line = (struct kc_line){ .where = where,
				  .number = r->number + 1,
				  .section = r->section,
				  .name = "",
				  .value = "",
				  .words = kc_must(strdup(words)) };
	kc_line_split(line);
	r->section = line->section;
	return line;
}

/*
 * Reads a file, or those of a directory. If one of these includes a file, OpenSSL reads the rest of
 * the directory next, and the rest of that file after it.
 */
static int follow(struct reading *r, const char *path)
{
	int err = 0;

	if (kc_includes_enter(&r->includes, r->cnf->root, path) == 0)
		err = read_cnf_file(r, path);
	for (char *file; !err && (file = kc_includes_next(&r->includes));) {
		err = read_cnf_file(r, file);
		free(file);
	}
	return err;
}

/* Returns the path that OpenSSL opens; NULL: the line stays, and libcrypto will read it. */
static char *included_path(struct reading *r, const struct kc_line *line)
{
	KC_TEXT value = { .at = NULL };

	if (fflush(r->out) != 0)
		return NULL;
	value.at = kc_includes_expand(&r->includes, &r->cnf->text, line);
	if (!value.at)
		return NULL;
	return kc_includes_path(&r->includes, r->cnf->root, value.at);
}

/* Adds the text of a line of @n lines to the whole, or the files that it includes. */
static int take_text_of(struct reading *r, const struct kc_line *line, const char *at,
			const char *end, unsigned n)
{
	char *path = NULL;
	int err = 0;

	r->include = line->where;
	if (line->kind == KC_LINE_PRAGMA)
		kc_includes_heed(&r->includes, line->value);
	if (line->kind == KC_LINE_INCLUDE)
		path = included_path(r, line);
	if (path) {
		err = follow(r, path);
	} else {
		fwrite(at, 1, (size_t)(end - at), r->out);
		if (end[-1] != '\n')
			fputc('\n', r->out);
		r->number += n;
	}
	free(path);
	return err;
}

/* OpenSSL skips a byte order mark at the very beginning, and fails at one in other files. */
static int read_text(struct reading *r, const struct kc_text *text, const char *file)
{
	bool has_mark = r->depth == 1 && strncmp(text->at, BOM, strlen(BOM)) == 0;
	const char *at = text->at, *end = text->at + text->len;
	char *words = kc_must(malloc(text->len + 1));
	int err = 0;

	if (has_mark)
		at += strlen(BOM);
	for (unsigned number = 1, n; !err && at < end; number += n) {
		const char *start = at;
		const struct kc_line *line;

		at = kc_line_join(words, at, end, &n);
		line = add_line(r, words, (struct kc_where){ file, number });
		err = take_text_of(r, line, start, at, n);
	}
	free(words);
	return err;
}

/* Compares resolved paths, because a file may have several names. */
static const struct kc_text *find_planned(const struct reading *r, const char *path)
{
	char real[PATH_MAX];

	if (!r->plan || !r->plan->n)
		return NULL;
	if (kc_files_resolve(r->cnf->root, path, real) != 0)
		return NULL;
	for (size_t i = 0; i < r->plan->n; i++)
		if (strcmp(r->plan->file[i].path, real) == 0)
			return &r->plan->file[i].text;
	return NULL;
}

/* OpenSSL continues without an included file that it can't open. */
static int read_cnf_file(struct reading *r, const char *path)
{
	struct kc_cnf *cnf = r->cnf;
	struct kc_cnf_file *file = &cnf->file[cnf->n_files];
	KC_TEXT read = { .at = NULL };
	const struct kc_text *planned = find_planned(r, path);
	const struct kc_text *text = planned ? planned : &read;
	const char *why = "holds a zero byte";
	int err = 0;

	if (cnf->n_files == KC_CNF_FILES)
		return refuse_file(cnf, -ELOOP, r->include, "too many files are included");
	if (text == &read)
		err = kc_files_read(cnf->root, path, &read);
	else if (!text->at)
		err = -ENOENT;
	*file = (struct kc_cnf_file){ kc_must(strdup(path)), text->mode, err };
	cnf->n_files++;
	if (err == -EFBIG)
		why = strerror(EFBIG);
	if (err == -EILSEQ || err == -EFBIG)
		return refuse_file(cnf, err, (struct kc_where){ file->path, 0 }, why);
	if (err && r->depth)
		return 0;
	if (err)
		return err;
	r->depth++;
	err = read_text(r, text, file->path);
	r->depth--;
	return err;
}

/* Returns the place of a line of the whole text. */
static struct kc_where place_in_text(const struct kc_cnf *cnf, unsigned number)
{
	struct kc_where where = nowhere;

	for (size_t i = 0; i < cnf->n_lines && cnf->lines[i].number <= number; i++) {
		where = cnf->lines[i].where;
		where.line += number - cnf->lines[i].number;
	}
	return where;
}

/* Has libcrypto parse the text; gets its error, with the line that it means. */
static int parse(struct kc_cnf *cnf)
{
	BIO *bio = BIO_new_mem_buf(cnf->text.at, (int)cnf->text.len);
	const char *why = NULL;
	long line = 0;
	bool ok;

	cnf->conf = NCONF_new(NULL);
	ok = bio && cnf->conf && NCONF_load_bio(cnf->conf, bio, &line) > 0;
	BIO_free(bio);
	if (!ok)
		why = ERR_reason_error_string(ERR_peek_last_error());
	ERR_clear_error();
	if (ok)
		return 0;
	NCONF_free(cnf->conf);
	cnf->conf = NULL;
	if (line < 0)
		line = 0;
	if (!why)
		why = "syntax error";
	return refuse_file(cnf, -EINVAL, place_in_text(cnf, (unsigned)line), why);
}

int kc_cnf_read(struct kc_cnf *cnf, const char *root, const char *path, const struct kc_plan *plan)
{
	struct reading r = { .cnf = cnf, .plan = plan, .section = "default" };
	int err;

	*cnf = (struct kc_cnf){ .root = root, .main = kc_must(strdup(path)) };
	r.out = kc_must(open_memstream(&cnf->text.at, &cnf->text.len));
	fputs("\n", r.out); /* so that nothing included is at the beginning */
	r.number = 1;
	err = read_cnf_file(&r, path);
	kc_includes_free(&r.includes);
	if (fclose(r.out) != 0 && !err)
		err = -ENOMEM;
	if (err == -ENOTDIR)
		err = -ENOENT;
	if (err && !cnf->err)
		refuse_file(cnf, err, nowhere, strerror(-err));
	if (err)
		return err;
	return parse(cnf);
}

void kc_cnf_be_empty(struct kc_cnf *cnf)
{
	cnf->err = 0;
	cnf->is_absent = true;
	cnf->conf = kc_must(NCONF_new(NULL));
}

void kc_cnf_free(struct kc_cnf *cnf)
{
	NCONF_free(cnf->conf);
	for (size_t i = 0; i < cnf->n_files; i++)
		free(cnf->file[i].path);
	for (size_t i = 0; i < cnf->n_lines; i++)
		free(cnf->lines[i].words);
	free(cnf->lines);
	free(cnf->main);
	kc_text_free(&cnf->text);
	*cnf = (struct kc_cnf){ .conf = NULL };
}
