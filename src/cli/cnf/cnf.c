/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces each line that includes a file by the file's text. A section continues after an include,
 * as it does for libcrypto, which then parses the whole.
 */
#include "cli/cnf/cnf.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define MAX_DEPTH 8
#define BOM	  "\xef\xbb\xbf"

/* The state of one reading. */
struct reading {
	struct kc_cnf *cnf;
	const struct kc_plan *plan; /* in place of files, or NULL */
	struct kc_where include;    /* the line that is being followed */
	FILE *out;
	const char *section;
	unsigned depth, number; /* of lines in the whole text */
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

/*
 * Copies the line at @at, with those that continue it, to @words as libcrypto joins them. Returns
 * the next one.
 */
static const char *join(char *words, const char *at, const char *end, unsigned *n)
{
	bool goes_on = true;
	size_t len = 0;

	for (*n = 0; goes_on && at < end; ++*n) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t got = (size_t)((newline ? newline : end) - at);

		while (got && at[got - 1] == '\r')
			got--;
		memcpy(words + len, at, got);
		len += got;
		goes_on = len && words[len - 1] == '\\' && (len < 2 || words[len - 2] != '\\');
		len -= goes_on;
		at = newline ? newline + 1 : end;
	}
	words[len] = '\0';
	return at;
}

static char *trim(char *word)
{
	static const char blanks[] = " \t\r\n\f\v";
	size_t len;

	word += strspn(word, blanks);
	len = strlen(word);
	while (len && strchr(blanks, word[len - 1]))
		len--;
	word[len] = '\0';
	return word;
}

/* Like conf_def.c: comments, then words. Leaves a name of the form section::name as written. */
static void split(struct kc_line *line)
{
	char *words, *equals;

	line->words[strcspn(line->words, "#")] = '\0';
	words = trim(line->words);
	equals = strchr(words, '=');
	if (*words == '[') {
		line->kind = KC_LINE_SECTION;
		if (strrchr(words, ']'))
			*strrchr(words, ']') = '\0';
		line->section = trim(words + 1);
	} else if (strncmp(words, ".include", 8) == 0 &&
		   (words[8] == '=' || isspace((unsigned char)words[8]))) {
		line->kind = KC_LINE_INCLUDE;
		words = trim(words + 8);
		line->value = *words == '=' ? trim(words + 1) : words;
	} else if (equals) {
		line->kind = KC_LINE_VALUE;
		line->value = trim(equals + 1);
		*equals = '\0';
		line->name = trim(words);
	}
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
	split(line);
	r->section = line->section;
	return line;
}

/*
 * The path that OpenSSL opens, or NULL: one that is not plain text is left for it to read, and so
 * is a relative one of another root.
 */
static char *path_of(const struct reading *r, const char *value)
{
	char here[PATH_MAX], *path = NULL;
	const char *dir = "";
	size_t len = strlen(value);

	if (len > 1 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
		value++;
		len -= 2;
	}
	if (!len || strcspn(value, "$\\\"'`") < len || (*value != '/' && *r->cnf->root))
		return NULL;
	if (*value != '/' && !(dir = secure_getenv("OPENSSL_CONF_INCLUDE")))
		dir = getcwd(here, sizeof(here)) ? here : ".";
	return asprintf(&path, "%s%s%.*s", dir, *dir ? "/" : "", (int)len, value) < 0 ? NULL : path;
}

/* Reads a file, or those of a directory. */
static int follow(struct reading *r, const char *path)
{
	const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
	struct dirent **list = NULL;
	int n = kc_files_list(r->cnf->root, path, &list);
	int err = n < 0 ? read_file(r, path) : 0;
	char file[PATH_MAX];

	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s%s%s", path, slash, list[i]->d_name);
		if (!err)
			err = read_file(r, file);
		free(list[i]);
	}
	free(list);
	return err;
}

/* Adds the text of a line of @n lines to the whole, or the files that it includes. */
static int take(struct reading *r, const struct kc_line *line, const char *at, const char *end,
		unsigned n)
{
	char *path = line->kind == KC_LINE_INCLUDE ? path_of(r, line->value) : NULL;
	int err = 0;

	r->include = line->where;
	if (path) {
		err = follow(r, path);
	} else {
		fwrite(at, 1, (size_t)(end - at), r->out);
		fputs(end[-1] == '\n' ? "" : "\n", r->out);
		r->number += n;
	}
	free(path);
	return err;
}

/* OpenSSL skips a byte order mark at the very beginning, and stumbles over one in other files. */
static int read_text(struct reading *r, const struct kc_text *text, const char *file)
{
	bool has_mark = r->depth == 1 && strncmp(text->at, BOM, strlen(BOM)) == 0;
	const char *at = text->at + (has_mark ? strlen(BOM) : 0), *end = text->at + text->len;
	char *words = kc_must(malloc(text->len + 1));
	int err = 0;

	for (unsigned number = 1, n; !err && at < end; number += n) {
		const char *start = at;
		const struct kc_line *line;

		at = join(words, at, end, &n);
		line = add_line(r, words, (struct kc_where){ file, number });
		err = take(r, line, start, at, n);
	}
	free(words);
	return err;
}

/* A file may have several names. */
static const struct kc_text *find_planned(const struct reading *r, const char *path)
{
	char real[PATH_MAX];

	if (!r->plan || !r->plan->n || kc_files_resolve(r->cnf->root, path, real) != 0)
		return NULL;
	for (size_t i = 0; i < r->plan->n; i++)
		if (strcmp(r->plan->file[i].path, real) == 0)
			return &r->plan->file[i].text;
	return NULL;
}

/* OpenSSL goes on without an included file that it cannot open. */
static int read_file(struct reading *r, const char *path)
{
	struct kc_cnf *cnf = r->cnf;
	struct kc_cnf_file *file = &cnf->file[cnf->n_files];
	KC_TEXT read = { .at = NULL };
	const struct kc_text *planned = find_planned(r, path);
	const struct kc_text *text = planned ? planned : &read;
	int err = 0;

	if (cnf->n_files == KC_CNF_FILES || r->depth == MAX_DEPTH)
		return refuse(cnf, -ELOOP, r->include, "too many files are included");
	if (text == &read)
		err = kc_files_read(cnf->root, path, &read);
	else if (!text->at)
		err = -ENOENT;
	*file = (struct kc_cnf_file){ kc_must(strdup(path)), text->mode, err };
	cnf->n_files++;
	if (err == -EILSEQ || err == -EFBIG)
		return refuse(cnf, err, (struct kc_where){ file->path, 0 },
			      err == -EILSEQ ? "holds a zero byte" : strerror(-err));
	if (err)
		return r->depth ? 0 : err;
	r->depth++;
	err = read_text(r, text, file->path);
	r->depth--;
	return err;
}

/* The place of a line of the whole text. */
static struct kc_where place_in_text(const struct kc_cnf *cnf, unsigned number)
{
	struct kc_where where = nowhere;

	for (size_t i = 0; i < cnf->n_lines && cnf->lines[i].number <= number; i++) {
		where = cnf->lines[i].where;
		where.line += number - cnf->lines[i].number;
	}
	return where;
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
	return refuse(cnf, -EINVAL, place_in_text(cnf, line > 0 ? (unsigned)line : 0),
		      why ? why : "syntax error");
}

int kc_cnf_read(struct kc_cnf *cnf, const char *root, const char *path, const struct kc_plan *plan)
{
	struct reading r = { .cnf = cnf, .plan = plan, .section = "default" };
	int err;

	*cnf = (struct kc_cnf){ .root = root, .main = kc_must(strdup(path)) };
	r.out = kc_must(open_memstream(&cnf->text.at, &cnf->text.len));
	fputs("\n", r.out); /* so that nothing included is at the beginning */
	r.number = 1;
	err = read_file(&r, path);
	if (fclose(r.out) != 0 && !err)
		err = -ENOMEM;
	if (err == -ENOTDIR)
		err = -ENOENT;
	if (err && !cnf->err)
		refuse(cnf, err, nowhere, strerror(-err));
	return err ? err : parse(cnf);
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

static STACK_OF(CONF_VALUE) * find_section(const struct kc_cnf *cnf, const char *section)
{
	STACK_OF(CONF_VALUE) *lines =
		section && cnf->conf ? NCONF_get_section(cnf->conf, section) : NULL;

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

	return i < sk_CONF_VALUE_num(lines) ? sk_CONF_VALUE_value(lines, i) : NULL;
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
	size_t n = (size_t)snprintf(place, PATH_MAX, "%s%s", cnf->root,
				    where.file ? where.file : cnf->main);

	if (where.file && where.line && n < PATH_MAX)
		snprintf(place + n, sizeof(place) - n, ":%u", where.line);
	return place;
}

const char *kc_cnf_place_of(const struct kc_cnf *cnf, const char *section, const char *name)
{
	struct kc_where where = nowhere;

	for (const struct kc_line *l = cnf->lines; section && l != kc_cnf_end(cnf); l++)
		if (l->kind == KC_LINE_VALUE && strcmp(l->section, section) == 0 &&
		    strcmp(l->name, name) == 0)
			where = l->where;
	return kc_cnf_place(cnf, where);
}
