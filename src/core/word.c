/* SPDX-License-Identifier: Apache-2.0 */
/* No word here means anything, and nothing is allocated. */
#include "core/word.h"

#include <string.h>

#define LONGEST 47	/* a longer word is near to nothing */

bool kc_word_is(struct kc_word word, const char *other)
{
	if (word.len != strlen(other))
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (kc_lower(word.at[i]) != kc_lower(other[i]))
			return false;
	return true;
}

struct kc_word kc_word_trim(const char *text)
{
	struct kc_word word = { text ? text : "", 0 };

	while (kc_is_blank(*word.at))
		word.at++;
	word.len = strlen(word.at);
	while (word.len && kc_is_blank(word.at[word.len - 1]))
		word.len--;
	return word;
}

struct kc_word kc_word_split(struct kc_word word, char c, struct kc_word *rest, bool *found)
{
	const char *at = word.len ? memchr(word.at, c, word.len) : NULL;
	size_t len = at ? (size_t)(at - word.at) : word.len;

	*found = at != NULL;
	*rest = (struct kc_word){ word.at + len + *found, word.len - len - *found };
	return (struct kc_word){ word.at, len };
}

void kc_word_show(char *buf, size_t size, struct kc_word word)
{
	size_t len = word.len < size ? word.len : size - 1;

	for (size_t i = 0; i < len; i++)
		buf[i] = kc_is_printable(word.at[i]) ? word.at[i] : '?';
	buf[len] = '\0';
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned d = a < b ? a : b;

	return d < c ? d : c;
}

/*
 * How many letters have to be put in, left out, replaced or swapped with their neighbour to make
 * one word of the other. At most LONGEST in both.
 */
static unsigned distance(struct kc_word a, struct kc_word b)
{
	unsigned table[3][LONGEST + 1]; /* three rows of it in turn: before, last, this */

	for (size_t j = 0; j <= b.len; j++)
		table[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a.len; i++) {
		unsigned *this = table[i % 3], *last = table[(i + 2) % 3];
		unsigned *before = table[(i + 1) % 3];

		this[0] = (unsigned)i;
		for (size_t j = 1; j <= b.len; j++) {
			char x = kc_lower(a.at[i - 1]), y = kc_lower(b.at[j - 1]);

			this[j] = least(last[j] + 1, this[j - 1] + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == kc_lower(b.at[j - 2]) &&
			    y == kc_lower(a.at[i - 2]) && before[j - 2] + 1 < this[j])
				this[j] = before[j - 2] + 1;
		}
	}
	return table[a.len % 3][b.len];
}

struct kc_search kc_search_for(struct kc_word word)
{
	return (struct kc_search){ word, { "", 0 }, (unsigned)(word.len / 3 + 1) };
}

void kc_search_in(struct kc_search *search, const char *names)
{
	struct kc_word name, rest = { names, strlen(names) };
	bool more = search->word.len <= LONGEST;

	while (more) {
		unsigned d;

		name = kc_word_split(rest, ':', &rest, &more);
		if (name.len > LONGEST)
			continue;
		d = distance(search->word, name);
		if (d < search->distance) {
			search->distance = d;
			search->nearest = name;
		}
	}
}
