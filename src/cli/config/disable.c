/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of ours at the end of a text, between two marks; and kcrypto config disable, which
 * removes what enable has added, and nothing else. A blank line belongs to the block. If the
 * text's last line has no end, the blank line becomes that end, so that removing everything from
 * there on is right in both cases.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"

#define BEGIN "# kcrypto config: begin; 'kcrypto config disable' takes these lines away"
#define END   "# kcrypto config: end"

struct block {
	const char *begin, *lines, *end, *after; /* the marks, and what follows them */
};

/* The start of the first line that starts with @words; NULL if there is none. */
static const char *find_line(const char *at, const char *end, const char *words)
{
	size_t len = strlen(words);

	while (at && at < end) {
		if ((size_t)(end - at) >= len && memcmp(at, words, len) == 0)
			return at;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return NULL;
}

static const char *behind_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

/* 0; -ENOENT: there is none; -EBADMSG: it has no end. */
static int find_block(const struct kc_text *text, struct block *block)
{
	const char *end = text->at + text->len;

	block->begin = text->at ? find_line(text->at, end, BEGIN) : NULL;
	if (!block->begin)
		return -ENOENT;
	block->lines = behind_line(block->begin, end);
	block->end = find_line(block->begin, end, END);
	if (!block->end)
		return -EBADMSG;
	block->after = behind_line(block->end, end);
	return 0;
}

/* With the text's own line ends. */
static void put_lines(FILE *out, const struct kc_text *text, const char *lines)
{
	const char *newline = text->at ? strchr(text->at, '\n') : NULL;
	bool is_crlf = newline && newline > text->at && newline[-1] == '\r';

	for (; *lines; lines++) {
		if (*lines == '\n' && is_crlf)
			putc('\r', out);
		putc(*lines, out);
	}
}

static void put_bytes(FILE *out, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), out);
}

int kc_block_add(const struct kc_text *text, const char *lines, struct kc_text *edited)
{
	const char *start = text->at ? text->at : "", *end = start + text->len;
	struct block block;
	int err = find_block(text, &block);
	FILE *out;

	if (err == -EBADMSG)
		return err;
	if (err && end > start && end[-1] == '\\')
		return -EINVAL;
	*edited = (struct kc_text){ .at = NULL };
	out = open_memstream(&edited->at, &edited->len);
	if (!out)
		return -ENOMEM;
	put_bytes(out, start, err ? end : block.end);
	put_lines(out, text, err ? "\n" BEGIN "\n" : "");
	put_lines(out, text, lines);
	if (err)
		put_lines(out, text, END "\n");
	else
		put_bytes(out, block.end, end);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

/* Takes the block out; @ours gets its lines. 0; -ENOENT: there is none; -EBADMSG: it has no end. */
static int undo_block(const struct kc_text *text, struct kc_text *ours, struct kc_text *edited)
{
	struct block block;
	int err = find_block(text, &block);
	const char *begin = block.begin;

	if (err)
		return err;
	if (begin > text->at && begin[-1] == '\n')
		begin--;
	if (begin > text->at && begin[-1] == '\r' && *begin == '\n')
		begin--;
	*ours = kc_text_copy(block.lines, (size_t)(block.end - block.lines));
	*edited = kc_text_copy(text->at, text->len);
	if (!edited->at)
		return -ENOMEM;
	edited->len = (size_t)(begin - text->at);
	strcpy(edited->at + edited->len, block.after);
	edited->len = strlen(edited->at);
	return 0;
}

/* A file that becomes empty is removed, unless its backup shows that it was empty before. */
static int restore(struct kc_setup *setup, const char *path, struct kc_text after)
{
	char name[PATH_MAX];
	KC_TEXT backup = { .at = NULL };
	int err = kc_setup_read_beside(setup, path, KC_BACKUP, name, &backup);
	bool is_same = !err && kc_text_equals(&backup, &after);

	if (err == -ENOENT && !after.len)
		kc_text_free(&after);
	if (!err && !is_same)
		fprintf(stderr,
			"note: %s%s has also been changed by others; the original is in %s%s\n",
			setup->files.root, path, setup->files.root, name);
	err = kc_files_plan(&setup->files, path, after);
	return err || !is_same ? err :
				 kc_files_plan(&setup->files, name, (struct kc_text){ .at = NULL });
}

/* An engine with an old name may be another's. */
static bool is_left_on(const struct kc_parts *parts)
{
	return parts->is_active || (parts->id && strcmp(parts->id->id, "kcrypto") == 0);
}

/* Is there a line that enable does not write? Its names are those of conf.c. */
static bool has_others(const struct kc_text *text)
{
	static const char names[] =
		" .include openssl_conf providers alg_section random ssl_conf engines "
		"default kcrypto activate default_properties properties "
		"system_default Options kcrypto.Options default_algorithms ";
	KC_TEXT copy = kc_text_copy(text->at, text->len);
	char name[64], *rest = NULL;
	bool has = text->len && !copy.at;
	size_t n;

	for (char *l = copy.at ? strtok_r(copy.at, "\r\n", &rest) : NULL; l && !has;
	     l = strtok_r(NULL, "\r\n", &rest)) {
		l += strspn(l, " \t");
		n = strcspn(l, " \t=");
		n = n < sizeof(name) - 3 ? n : sizeof(name) - 3;
		name[0] = name[n + 1] = ' ';
		memcpy(name + 1, l, n);
		name[n + 2] = '\0';
		has = strchr(l, '=') && *l != '#' && *l != '[' && !strstr(names, name);
	}
	return has;
}

/* Lines that only the user can have written are kept in another file, which must be new. */
static int keep(struct kc_setup *setup, const char *path, const struct kc_text *lines)
{
	const char *root = setup->files.root;
	char name[PATH_MAX];
	KC_TEXT old = { .at = NULL };
	int err;

	if (!has_others(lines))
		return 0;
	err = kc_setup_read_beside(setup, path, ".disabled", name, &old);
	if (!err)
		err = kc_text_equals(&old, lines) ? 0 : -EEXIST;
	else if (err == -ENOENT)
		err = kc_files_plan(&setup->files, name, kc_text_copy(lines->at, lines->len));
	if (err)
		return kc_setup_refuse(setup, err,
				       "%s%s has lines that 'enable' did not write, and they "
				       "cannot be kept in %s%s: %s",
				       root, path, root, name, strerror(-err));
	fprintf(stderr, "note: %s%s has lines that 'enable' did not write; they are kept in %s%s\n",
		root, path, root, name);
	return 0;
}

/* Removes our lines from one file that was read. */
static int undo_file(struct kc_setup *setup, const char *path)
{
	KC_TEXT text = { .at = NULL }, ours = { .at = NULL };
	struct kc_text after = { .at = NULL };
	int err = kc_files_read(&setup->files, path, &text);

	if (err)
		return err == -ENOENT ? 0 : kc_setup_name(setup, path, err);
	if (kc_own_is_ours(&text)) {
		err = keep(setup, path, &text);
		return err ? err : kc_files_plan(&setup->files, path, after);
	}
	err = undo_block(&text, &ours, &after);
	if (err)
		return err == -ENOENT ? 0 : kc_setup_name(setup, path, err);
	err = keep(setup, path, &ours);
	if (!err)
		return restore(setup, path, after);
	kc_text_free(&after);
	return err;
}

/* A line that 'enable' did not write stays. Returns an exit code. */
static int tell_rest(const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	bool is_engine = !parts->is_active;
	char place[KC_PLACE_SIZE];

	if (!is_left_on(parts))
		return KC_EXIT_OK;
	kc_cnf_place_of(place, &setup->conf.cnf, is_engine ? parts->engines : parts->kcrypto,
			is_engine ? parts->engine : "activate");
	fprintf(stderr, "kcrypto: %s: this line turns kcrypto on, and 'enable' did not write it\n",
		place);
	return KC_EXIT_FAILED;
}

int kc_config_disable(struct kc_setup *setup)
{
	const struct kc_cnf *cnf = &setup->conf.cnf;
	int err = 0, code;

	for (size_t i = 0; !err && i < cnf->n_files; i++)
		err = undo_file(setup, cnf->file[i].path);
	if (!err)
		err = kc_setup_read(setup);
	if (err)
		return kc_failure(setup->error);
	code = kc_setup_finish(setup, is_left_on(&setup->conf.parts));
	return code ? code : tell_rest(setup);
}
