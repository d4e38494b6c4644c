/* SPDX-License-Identifier: Apache-2.0 */
/* Each change makes the text anew; configuration files are short. */
#include "cli/config/edit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"

#define MARK	"\xef\xbb\xbf" /* a byte order mark in UTF-8 */
#define COMMENT "# kcrypto config fix: "

void kc_text_set(struct kc_text *text, const char *at, size_t len)
{
	char *copy = kc_must(malloc(len + 1));

	memcpy(copy, at, len);
	copy[len] = '\0';
	free(text->at);
	text->at = copy;
	text->len = len;
}

/* Returns the start of a line; the text's end if it has fewer lines. */
static const char *seek_line(const struct kc_text *text, unsigned line)
{
	const char *at = text->at, *end = text->at + text->len;

	for (; line > 1 && at < end; line--)
		at = kc_line_after(at, end);
	return at;
}

/* Returns the length without the line's end, which may have two bytes. */
static size_t line_length(const struct kc_text *text, const char *at)
{
	size_t len = (size_t)(kc_line_end(at, text->at + text->len) - at);

	while (len && at[len - 1] == '\r')
		len--;
	return len;
}

/* Returns the start of the first line that does not continue the one at @at. */
static const char *behind(const struct kc_text *text, const char *at)
{
	const char *end = text->at + text->len;
	bool goes_on = true;

	while (goes_on && at < end) {
		goes_on = kc_line_goes_on(at, line_length(text, at));
		at = kc_line_after(at, end);
	}
	return at;
}

char *kc_text_line(const struct kc_text *text, unsigned line)
{
	const char *at;

	if (!text || !text->at || !line)
		return NULL;
	at = seek_line(text, line);
	if (at == text->at + text->len)
		return NULL;
	return kc_must(strndup(at, line_length(text, at)));
}

/* Replaces the text's bytes from @from to @to by @with. */
static void splice(struct kc_text *text, const char *from, const char *to, const char *with)
{
	size_t head = (size_t)(from - text->at), tail = (size_t)(text->at + text->len - to);
	size_t len = strlen(with);
	char *all = kc_must(malloc(head + len + tail + 1));

	memcpy(all, text->at, head);
	memcpy(all + head, with, len);
	memcpy(all + head + len, to, tail);
	kc_text_set(text, all, head + len + tail);
	free(all);
}

void kc_text_replace(struct kc_text *text, unsigned line, const char *with)
{
	const char *at = seek_line(text, line), *end = behind(text, at);

	/* Keeps the end of the last line. */
	while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	splice(text, at, end, with);
}

void kc_text_comment(struct kc_text *text, unsigned line)
{
	size_t from = (size_t)(seek_line(text, line) - text->at);
	size_t left = (size_t)(behind(text, text->at + from) - (text->at + from));

	while (left) {
		const char *at = text->at + from;
		size_t len = (size_t)(kc_line_after(at, at + left) - at);

		splice(text, at, at, COMMENT);
		from += strlen(COMMENT) + len;
		left -= len;
	}
}

bool kc_text_has_crlf(const struct kc_text *text)
{
	const char *newline;

	if (!text->at)
		return false;
	newline = strchr(text->at, '\n');
	if (!newline || newline == text->at)
		return false;
	return newline[-1] == '\r';
}

void kc_text_prepend(struct kc_text *text, const char *line)
{
	static const char *const ends[] = { "\n", "\r\n" };
	size_t skip = 0;

	if (strncmp(text->at, MARK, strlen(MARK)) == 0)
		skip = strlen(MARK);
	splice(text, text->at + skip, text->at + skip, ends[kc_text_has_crlf(text)]);
	splice(text, text->at + skip, text->at + skip, line);
}

/* A file whose lines end in CR LF gets such lines. */
void kc_text_insert(struct kc_text *text, unsigned line, const char *lines)
{
	size_t at = (size_t)(behind(text, seek_line(text, line)) - text->at);
	bool is_crlf = kc_text_has_crlf(text);
	char *with = kc_must(malloc(2 * strlen(lines) + 4)), *to = with;

	if (at && text->at[at - 1] != '\n')
		*to++ = '\n';
	for (const char *from = lines; *from; from++) {
		if (*from == '\n' && is_crlf)
			*to++ = '\r';
		*to++ = *from;
	}
	strcpy(to, is_crlf ? "\r\n" : "\n");
	splice(text, text->at + at, text->at + at, with);
	free(with);
}

bool kc_text_break(struct kc_text *text)
{
	if (!text->at || strchr(text->at, '\n') || !strchr(text->at, '\r'))
		return false;
	for (char *at = text->at; (at = strchr(at, '\r'));)
		*at = '\n';
	return true;
}

/* Writes a character of at most 16 bits as UTF-8. Returns its length. */
static size_t put_utf8(char *to, unsigned c)
{
	size_t n = 0;

	if (c < 0x80) {
		to[n++] = (char)c;
	} else if (c < 0x800) {
		to[n++] = (char)(0xc0 | c >> 6);
		to[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		to[n++] = (char)(0xe0 | c >> 12);
		to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		to[n++] = (char)(0x80 | (c & 0x3f));
	}
	return n;
}

/*
 * Returns 0 for big-endian, 1 for little-endian, -1 if it is not UTF-16. Most characters are ASCII.
 */
static int order_of(const struct kc_text *text)
{
	const unsigned char *b = (const unsigned char *)text->at;
	size_t zeros[2] = { 0, 0 };

	if (text->len < 2)
		return -1;
	if (b[0] == 0xff && b[1] == 0xfe)
		return 1;
	if (b[0] == 0xfe && b[1] == 0xff)
		return 0;
	for (size_t i = 0; i < text->len; i++)
		zeros[i & 1] += !b[i];
	if (zeros[1] > text->len / 4)
		return 1;
	if (zeros[0] > text->len / 4)
		return 0;
	return -1;
}

/* @order: from order_of(). */
static unsigned character(const char *at, int order)
{
	const unsigned char *b = (const unsigned char *)at;

	if (order < 0)
		return b[0];
	return b[!order] | (unsigned)b[order] << 8;
}

bool kc_text_decode(struct kc_text *text)
{
	int order = order_of(text);
	char *to = kc_must(malloc(text->len * 3 / 2 + 1));
	size_t n = 0, step = 1 + (order >= 0);
	bool has_zeros = text->at && memchr(text->at, '\0', text->len);

	for (size_t i = 0; has_zeros && i + step <= text->len; i += step) {
		unsigned c = character(text->at + i, order);

		if (step == 1 && c)
			to[n++] = (char)c;
		else if (c && c != 0xfeff)
			n += put_utf8(to + n, c);
	}
	if (has_zeros)
		kc_text_set(text, to, n);
	free(to);
	return has_zeros;
}

bool kc_text_plain(char *line)
{
	static const struct {
		const char *from;
		char to;
	} known[] = { { "\xe2\x80\x9c", '"' },	{ "\xe2\x80\x9d", '"' },  { "\xe2\x80\x9e", '"' },
		      { "\xe2\x80\x98", '\'' }, { "\xe2\x80\x99", '\'' }, { "\xc2\xa0", ' ' },
		      { "\xe2\x80\x8b", ' ' },	{ "\xe2\x80\xaf", ' ' },  { MARK, ' ' },
		      { "\xe2\x80\x93", '-' } };
	bool has = false;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (char *at; (at = strstr(line, known[i].from)); has = true) {
			size_t len = strlen(known[i].from);

			*at = known[i].to;
			memmove(at + 1, at + len, strlen(at + len) + 1);
		}
	return has;
}
