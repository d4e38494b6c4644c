/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces each line that includes a file by the file's text. A section continues after an include,
 * as it does for libcrypto, which then parses the whole.
 */
#include "cli/cnf/cnf.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 8
#define MAX_LINES ((size_t)1 << 16)
#define BOM	  "\xef\xbb\xbf"

/* The state of one reading. */
struct reading {
	struct kc_cnf *cnf;
	const struct kc_files *files;
	FILE *out;
	char section[KC_NAME_SIZE];
	unsigned depth;
};

static const struct kc_where nowhere;

static int read_file(struct reading *r, const char *path);

static int refuse(struct kc_cnf *cnf, int err, struct kc_where where, const char *why)
{
	cnf->err = err;
	cnf->bad = where;
	snprintf(cnf->why, sizeof(cnf->why), "%s", why);
	return err;
}

/* Adds one line to the whole text. */
static int put(struct reading *r, const char *at, size_t len, struct kc_where where)
{
	struct kc_cnf *cnf = r->cnf;

	if (cnf->n_lines == MAX_LINES)
		return refuse(cnf, -EFBIG, where, "too many lines");
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

static int read_directory(struct reading *r, char **list)
{
	int err = 0;

	for (char **path = list; !err && *path; path++) {
		err = read_file(r, *path);
		err = r->cnf->err ? err : 0; /* unreadable, or planned to be removed */
	}
	kc_files_unlist(list);
	return err;
}

/*
 * The path that OpenSSL opens, or NULL: one that is not plain text is left for it to read, and so
 * is a relative one of another root.
 */
static char *path_of(const struct reading *r, const struct kc_line *line)
{
	const char *value = line->value, *dir = "";
	char here[PATH_MAX], *path = NULL;
	size_t len = strlen(value);

	if (len > 1 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
		value++;
		len -= 2;
	}
	if (!len || strcspn(value, "$\\\"'`") < len || (*value != '/' && *r->files->root))
		return NULL;
	if (*value != '/' && !(dir = secure_getenv("OPENSSL_CONF_INCLUDE")))
		dir = getcwd(here, sizeof(here)) ? here : ".";
	return asprintf(&path, "%s%s%.*s", dir, *dir ? "/" : "", (int)len, value) < 0 ? NULL : path;
}

static int follow(struct reading *r, const struct kc_line *line, const char *file, char *path)
{
	struct kc_cnf *cnf = r->cnf;
	struct kc_include *include = &cnf->include[cnf->n_includes];
	struct kc_where where = { file, line->number };
	char **list;

	if (cnf->n_includes == KC_CNF_FILES) {
		free(path);
		return refuse(cnf, -ELOOP, where, "too many files are included");
	}
	cnf->n_includes++;
	*include = (struct kc_include){ .path = path, .where = where };
	memcpy(include->section, line->section, sizeof(include->section));
	list = kc_files_list(r->files, path);
	include->is_directory = list != NULL;
	include->err = list ? read_directory(r, list) : read_file(r, path);
	return cnf->err ? include->err : 0;
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

static int read_lines(struct reading *r, struct kc_scan *scan, const char *file)
{
	struct kc_line *line = &scan->line;
	bool is_open = false;
	int err = 0;

	while (!err && kc_scan_next(scan)) {
		char *path = line->kind == KC_LINE_INCLUDE ? path_of(r, line) : NULL;

		notice(r->cnf, line, file, &is_open);
		if (!path) {
			err = put_line(r, line, file);
			continue;
		}
		memcpy(r->section, line->section, sizeof(r->section));
		err = follow(r, line, file, path);
		memcpy(line->section, r->section, sizeof(r->section));
	}
	memcpy(r->section, line->section, sizeof(r->section));
	return err;
}

/* OpenSSL skips a byte order mark at the very beginning, and stumbles over one in other files. */
static int read_text(struct reading *r, const struct kc_text *text, const char *file)
{
	size_t skip = r->depth == 1 && strncmp(text->at, BOM, strlen(BOM)) == 0 ? strlen(BOM) : 0;
	struct kc_scan scan;
	int err;

	if (!r->cnf->n_lines) /* so that nothing included is at the beginning */
		put(r, "\n", 1, (struct kc_where){ file, 1 });
	if (!kc_scan_open(&scan, text->at + skip, text->len - skip, r->section))
		return refuse(r->cnf, -ENOMEM, (struct kc_where){ file, 0 }, strerror(ENOMEM));
	err = read_lines(r, &scan, file);
	kc_scan_close(&scan);
	return err;
}

/* A file that cannot be opened is an error without a place: OpenSSL goes on without an include. */
static int read_file(struct reading *r, const char *path)
{
	struct kc_cnf *cnf = r->cnf;
	struct kc_cnf_file *file = &cnf->file[cnf->n_files];
	KC_TEXT text = { .at = NULL };
	int err;

	if (cnf->n_files == KC_CNF_FILES || r->depth == MAX_DEPTH)
		return refuse(cnf, -ELOOP, nowhere, "too many files are included");
	err = kc_files_read(r->files, path, &text);
	if (err && err != -EILSEQ && err != -EFBIG)
		return err;
	*file = (struct kc_cnf_file){ .path = strdup(path), .mode = text.mode };
	if (!file->path)
		return refuse(cnf, -ENOMEM, nowhere, strerror(ENOMEM));
	cnf->n_files++;
	if (err)
		return refuse(cnf, err, (struct kc_where){ file->path, 0 },
			      err == -EILSEQ ? "holds a zero byte" : strerror(-err));
	r->depth++;
	err = read_text(r, &text, file->path);
	r->depth--;
	return err;
}

/* Gets libcrypto's verdict, with the line that it means. */
static int parse(struct kc_cnf *cnf)
{
	BIO *bio = BIO_new_mem_buf(cnf->text.at, (int)cnf->text.len);
	const char *why;
	long line = 0;
	bool ok;

	cnf->conf = NCONF_new(NULL);
	ok = bio && cnf->conf && NCONF_load_bio(cnf->conf, bio, &line) > 0;
	BIO_free(bio);
	why = ok ? NULL : ERR_reason_error_string(ERR_peek_last_error());
	ERR_clear_error();
	if (ok)
		return 0;
	NCONF_free(cnf->conf);
	cnf->conf = NULL;
	return refuse(cnf, -EINVAL,
		      line >= 1 && (size_t)line <= cnf->n_lines ? cnf->where[line - 1] : nowhere,
		      why ? why : "syntax error");
}

int kc_cnf_read(struct kc_cnf *cnf, const struct kc_files *files, const char *path)
{
	struct reading r = { .cnf = cnf, .files = files, .section = "default" };
	int err = -ENOMEM;

	*cnf = (struct kc_cnf){ .root = files->root,
				.main = strdup(path),
				.where = calloc(MAX_LINES, sizeof(*cnf->where)) };
	r.out = cnf->where && cnf->main ? open_memstream(&cnf->text.at, &cnf->text.len) : NULL;
	if (r.out)
		err = read_file(&r, path);
	if (r.out && fclose(r.out) != 0 && !err)
		err = -ENOMEM;
	if (err == -ENOTDIR)
		err = -ENOENT;
	if (err && !cnf->err)
		refuse(cnf, err, nowhere, strerror(-err));
	return err ? err : parse(cnf);
}

int kc_cnf_be_empty(struct kc_cnf *cnf)
{
	cnf->err = 0;
	cnf->conf = NCONF_new(NULL);
	return cnf->conf ? 0 : -ENOMEM;
}

void kc_cnf_free(struct kc_cnf *cnf)
{
	NCONF_free(cnf->conf);
	for (size_t i = 0; i < cnf->n_files; i++)
		free(cnf->file[i].path);
	for (size_t i = 0; i < cnf->n_includes; i++)
		free(cnf->include[i].path);
	free(cnf->where);
	free(cnf->main);
	kc_text_free(&cnf->text);
	*cnf = (struct kc_cnf){ .conf = NULL };
}

STACK_OF(CONF_VALUE) * kc_cnf_section(const struct kc_cnf *cnf, const char *section)
{
	STACK_OF(CONF_VALUE) *lines =
		section && cnf->conf ? NCONF_get_section(cnf->conf, section) : NULL;

	ERR_clear_error();
	return lines;
}

const char *kc_cnf_get(const struct kc_cnf *cnf, const char *section, const char *name)
{
	STACK_OF(CONF_VALUE) *lines = kc_cnf_section(cnf, section);

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++)
		if (strcmp(sk_CONF_VALUE_value(lines, i)->name, name) == 0)
			return sk_CONF_VALUE_value(lines, i)->value;
	return NULL;
}

struct kc_where kc_cnf_where(const struct kc_cnf *cnf, const char *section, const char *name)
{
	struct kc_where where = { .file = NULL };
	struct kc_scan scan;

	if (!section || !kc_scan_open(&scan, cnf->text.at, cnf->text.len, "default"))
		return where;
	while (kc_scan_next(&scan))
		if (scan.line.kind == KC_LINE_VALUE && strcmp(scan.line.section, section) == 0 &&
		    strcmp(scan.line.name, name) == 0)
			where = cnf->where[scan.line.number - 1];
	kc_scan_close(&scan);
	return where;
}

const char *kc_cnf_place(char buf[KC_PLACE_SIZE], const struct kc_cnf *cnf, struct kc_where where)
{
	const char *file = where.file ? where.file : cnf->main;

	if (where.file && where.line)
		snprintf(buf, KC_PLACE_SIZE, "%s%s:%u", cnf->root, file, where.line);
	else
		snprintf(buf, KC_PLACE_SIZE, "%s%s", cnf->root, file);
	return buf;
}

const char *kc_cnf_place_of(char buf[KC_PLACE_SIZE], const struct kc_cnf *cnf, const char *section,
			    const char *name)
{
	return kc_cnf_place(buf, cnf, kc_cnf_where(cnf, section, name));
}

void kc_cnf_write(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s = ", name);
	for (; *value; value++)
		fprintf(out, "%s%c", strchr("$\\\"'`#", *value) ? "\\" : "", *value);
	putc('\n', out);
}
