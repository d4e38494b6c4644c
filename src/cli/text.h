/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of sentences and of paths, which may be missing; lists; the lines of a text. */
#ifndef KC_CLI_TEXT_H
#define KC_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns @text, or @otherwise if @text is NULL. */
static inline const char *kc_text_or(const char *text, const char *otherwise)
{
	if (text)
		return text;
	return otherwise;
}

/* Returns @lead, the words before @text (", driver "), or "" if @text is empty. */
static inline const char *kc_lead(const char *lead, const char *text)
{
	if (*text)
		return lead;
	return "";
}

/* Returns the plural's ending of a noun after the number @n. */
static inline const char *kc_plural(size_t n)
{
	if (n == 1)
		return "";
	return "s";
}

/* Returns the newline of the line at @at, or @end. */
static inline const char *kc_line_end(const char *at, const char *end)
{
	return kc_text_or(memchr(at, '\n', (size_t)(end - at)), end);
}

/* Returns the start of the line after the one at @at, or @end. */
static inline const char *kc_line_after(const char *at, const char *end)
{
	const char *newline = kc_line_end(at, end);

	if (newline == end)
		return end;
	return newline + 1;
}

/* True if OpenSSL takes the next line for a part of this one of @len bytes. */
static inline bool kc_line_goes_on(const char *line, size_t len)
{
	if (!len || line[len - 1] != '\\')
		return false;
	return len < 2 || line[len - 2] != '\\';
}

/* A list in a buffer. It begins with @len and @n zero; text that does not fit is cut. */
struct kc_list {
	char *text;
	size_t size, len;
	size_t n; /* number of members */
};

/* Adds a member, after @separator unless it is the first. */
__attribute__((format(printf, 3, 4))) void kc_list_add(struct kc_list *list, const char *separator,
						       const char *format, ...);

#endif
