/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blank line belongs to the block. If the text's last line has no end, the blank line becomes
 * that end, so that removing everything from there on is right in both cases.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BEGIN "# kcrypto config: begin; 'kcrypto config disable' takes these lines away"
#define END   "# kcrypto config: end"

/* Collects text. */
struct writer {
	FILE *out;
	const char *newline; /* the text's line ending */
};

static int open_writer(struct writer *w, const struct kc_text *text, struct kc_text *edited)
{
	const char *newline = text->at ? memchr(text->at, '\n', text->len) : NULL;
	bool is_crlf = newline && newline > text->at && newline[-1] == '\r';

	*edited = (struct kc_text){ .at = NULL };
	w->newline = is_crlf ? "\r\n" : "\n";
	w->out = open_memstream(&edited->at, &edited->len);
	return w->out ? 0 : -ENOMEM;
}

static int close_writer(struct writer *w, struct kc_text *edited)
{
	if (fclose(w->out) == 0)
		return 0;
	kc_text_free(edited);
	return -ENOMEM;
}

static void put_bytes(struct writer *w, const char *from, const char *to)
{
	if (to > from)
		fwrite(from, 1, (size_t)(to - from), w->out);
}

static void put_lines(struct writer *w, const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		fprintf(w->out, "%.*s%s", (int)len, lines, w->newline);
		lines += len + (lines[len] == '\n');
	}
}

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

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

int kc_edit_add(const struct kc_text *text, const char *lines, struct kc_text *edited)
{
	const char *start = text->at ? text->at : "", *end = start + text->len;
	const char *begin = find_line(start, end, BEGIN);
	const char *at = begin ? find_line(begin, end, END) : NULL;
	struct writer w;

	if (begin && !at)
		return -EBADMSG;
	if (!begin && end > start && end[-1] == '\\')
		return -EINVAL;
	if (open_writer(&w, text, edited))
		return -ENOMEM;
	put_bytes(&w, start, at ? at : end);
	if (!begin)
		put_lines(&w, "\n" BEGIN "\n");
	put_lines(&w, lines);
	if (at)
		put_bytes(&w, at, end);
	else
		put_lines(&w, END "\n");
	return close_writer(&w, edited);
}

struct kc_text kc_edit_block(const struct kc_text *text)
{
	char *end = text->at + text->len;
	const char *begin = find_line(text->at, end, BEGIN);
	const char *last = begin ? find_line(begin, end, END) : NULL;
	const char *at = last ? line_end(begin, end) : end;

	return (struct kc_text){ .at = (char *)at, .len = last ? (size_t)(last - at) : 0 };
}

/* The byte before the blank line of the block that starts at @begin. */
static const char *skip_blank_line(const char *start, const char *begin)
{
	if (begin > start && begin[-1] == '\n')
		begin--;
	if (begin > start && begin[-1] == '\r' && *begin == '\n')
		begin--;
	return begin;
}

int kc_edit_undo(const struct kc_text *text, struct kc_text *edited)
{
	const char *start = text->at ? text->at : "", *end = start + text->len;
	const char *begin = find_line(start, end, BEGIN);
	const char *last = begin ? find_line(begin, end, END) : NULL;
	struct writer w;

	if (begin && !last)
		return -EBADMSG;
	if (open_writer(&w, text, edited))
		return -ENOMEM;
	put_bytes(&w, start, begin ? skip_blank_line(start, begin) : end);
	if (begin)
		put_bytes(&w, line_end(last, end), end);
	return close_writer(&w, edited);
}
