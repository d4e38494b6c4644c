/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of somebody else's text: taken apart, compared whatever the case, shown, and the known
 * one that is nearest. ASCII only: the application's locale must not decide what a key is.
 */
#ifndef KC_CORE_WORD_H
#define KC_CORE_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* Not ended by a NUL; lives as long as the text. */
struct kc_word {
	const char *at;
	size_t len;
};

static inline char kc_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline char kc_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static inline bool kc_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool kc_is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

bool kc_word_is(struct kc_word word, const char *other);

/* All of @text but the blanks around it; NULL is an empty text. */
struct kc_word kc_word_trim(const char *text);

/* The part before the first @c; *@rest becomes what is behind it, *@found tells if there is one. */
struct kc_word kc_word_split(struct kc_word word, char c, struct kc_word *rest, bool *found);

/* A copy, cut to @size with the NUL, with '?' for what can't be printed. */
void kc_word_show(char *buf, size_t size, struct kc_word word);

/* The search for the known word that is nearest to an unknown one. */
struct kc_search {
	struct kc_word word;
	struct kc_word nearest;	/* empty while all are further than a third of the length */
	unsigned distance;
};

struct kc_search kc_search_for(struct kc_word word);

/* Looks at each name of a colon-separated list. */
void kc_search_in(struct kc_search *search, const char *names);

#endif
