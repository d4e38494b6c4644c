/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of ours at the end of a text, between two marks. A blank line belongs to them. If the
 * text's last line has no end, the blank line becomes that end, so that removing everything from
 * there on is right in both cases.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <string.h>

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

int kc_edit_add(const struct kc_text *text, const char *lines, struct kc_text *edited)
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

struct kc_text kc_edit_block(const struct kc_text *text)
{
	struct block b;

	return find_block(text, &b) ? (struct kc_text){ .at = NULL } :
				      kc_text_copy(b.lines, (size_t)(b.end - b.lines));
}

int kc_edit_undo(const struct kc_text *text, struct kc_text *edited)
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
	*edited = kc_text_copy(text->at, text->len);
	if (!edited->at)
		return -ENOMEM;
	edited->len = (size_t)(begin - text->at);
	strcpy(edited->at + edited->len, block.after);
	edited->len = strlen(edited->at);
	return 0;
}
