/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/line.h"

#include <stdbool.h>
#include <string.h>

/* See line.h. */
const char *kc_line_join(char *words, const char *at, const char *end, unsigned *n)
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

static const char blanks[] = " \t\r\n\f\v";

static char *trim(char *word)
{
	size_t len;

	word += strspn(word, blanks);
	len = strlen(word);
	while (len && strchr(blanks, word[len - 1]))
		len--;
	word[len] = '\0';
	return word;
}

/* A backslash takes away the meaning of the next character. */
static char *skip_escaped(char *at)
{
	if (*at == '\\' && at[1])
		return at + 2;
	return at + 1;
}

static char *skip_quoted(char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at = skip_escaped(at);
	if (*at)
		return at + 1;
	return at;
}

/* Within quotes, a '#' starts no comment. */
static void drop_remark(char *words)
{
	while (*words && *words != '#')
		words = strchr("\"'`", *words) ? skip_quoted(words) : skip_escaped(words);
	*words = '\0';
}

/*
 * Returns the value of a directive, with or without an '='. NULL: these words are not that
 * directive. libcrypto compares only the beginning of the first word.
 */
static char *value_of(char *words, const char *directive)
{
	static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_!.%&*+,/;?@^~|-";
	size_t len = strlen(directive);
	char *rest;

	if (strncmp(words, directive, len) != 0)
		return NULL;
	rest = words + strspn(words, names);
	rest += strspn(rest, blanks);
	if (*rest == '=')
		return trim(rest + 1);
	if (rest == words + len)
		return NULL;
	return trim(rest);
}

static bool take_directive(struct kc_line *line, char *words)
{
	static const struct {
		const char *word;
		enum kc_line_kind kind;
	} known[] = { { ".pragma", KC_LINE_PRAGMA }, { ".include", KC_LINE_INCLUDE } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *value = value_of(words, known[i].word);

		if (!value)
			continue;
		line->kind = known[i].kind;
		line->value = value;
		return true;
	}
	return false;
}

/*
 * Works like libcrypto's conf_def.c: first comments, then words. Leaves a name of the form
 * section::name as written.
 */
void kc_line_split(struct kc_line *line)
{
	char *words, *equals;

	drop_remark(line->words);
	words = trim(line->words);
	equals = strchr(words, '=');
	if (*words == '[') {
		line->kind = KC_LINE_SECTION;
		if (strrchr(words, ']'))
			*strrchr(words, ']') = '\0';
		line->section = trim(words + 1);
	} else if (!take_directive(line, words) && equals) {
		line->kind = KC_LINE_VALUE;
		line->value = trim(equals + 1);
		*equals = '\0';
		line->name = trim(words);
	}
}
