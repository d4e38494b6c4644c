/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/words.h"

#include <ctype.h>
#include <string.h>

/*
 * Copies the line at @at, with those that continue it, to @words as libcrypto joins them. Returns
 * the next one.
 */
const char *kc_words_join(char *words, const char *at, const char *end, unsigned *n)
{
	bool goes_on = true;
	size_t len = 0;

	for (*n = 0; goes_on && at < end; ++*n) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		size_t got = (size_t)(stop - at);

		while (got && at[got - 1] == '\r')
			got--;
		memcpy(words + len, at, got);
		len += got;
		goes_on = len && words[len - 1] == '\\' && (len < 2 || words[len - 2] != '\\');
		len -= goes_on;
		at = stop + (newline != NULL);
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
void kc_words_split(struct kc_line *line)
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
		if (*words == '=')
			words = trim(words + 1);
		line->value = words;
	} else if (equals) {
		line->kind = KC_LINE_VALUE;
		line->value = trim(equals + 1);
		*equals = '\0';
		line->name = trim(words);
	}
}
