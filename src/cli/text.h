/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of sentences and of paths, which may be missing. */
#ifndef KC_CLI_TEXT_H
#define KC_CLI_TEXT_H

#include <stddef.h>

/* @text, or @otherwise if that is NULL. */
static inline const char *kc_text_or(const char *text, const char *otherwise)
{
	if (text)
		return text;
	return otherwise;
}

/* What leads to @text (", driver "), or "" if that is empty and so nothing follows. */
static inline const char *kc_lead(const char *lead, const char *text)
{
	if (*text)
		return lead;
	return "";
}

/* The end of a noun that @n stands before. */
static inline const char *kc_plural(size_t n)
{
	if (n == 1)
		return "";
	return "s";
}

/* A list within a buffer. Zero @len and @n begin it; a text that does not fit is cut. */
struct kc_list {
	char *text;
	size_t size, len;
	size_t n; /* members */
};

/* Adds a member, behind @separator if it is not the first. */
__attribute__((format(printf, 3, 4))) void kc_list_add(struct kc_list *list, const char *separator,
						       const char *format, ...);

#endif
