/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a file like libcrypto's conf_def.c: continuations first, then comments, then words. */
#include "cli/cnf/cnf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n\f\v";

bool kc_scan_open(struct kc_scan *scan, const char *text, size_t len, const char *section)
{
	*scan = (struct kc_scan){ .next = text, .end = text + len, .words = malloc(len + 1) };
	snprintf(scan->line.section, sizeof(scan->line.section), "%s", section);
	return scan->words;
}

void kc_scan_close(struct kc_scan *scan)
{
	free(scan->words);
	scan->words = NULL;
}

/* Appends one line of the file to the words at @to. True if the next line belongs to it. */
static bool take(struct kc_scan *scan, size_t *to)
{
	const char *start = scan->next;
	const char *newline = memchr(start, '\n', (size_t)(scan->end - start));
	size_t len = (size_t)((newline ? newline : scan->end) - start), total;
	bool goes_on;

	scan->next = newline ? newline + 1 : scan->end;
	scan->line.last++;
	while (len && (start[len - 1] == '\r' || start[len - 1] == '\n'))
		len--;
	memcpy(scan->words + *to, start, len);
	total = *to + len;
	goes_on = total && scan->words[total - 1] == '\\' &&
		  (total < 2 || scan->words[total - 2] != '\\');
	*to = total - goes_on;
	scan->words[*to] = '\0';
	return goes_on && scan->next < scan->end;
}

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

static void copy_name(char to[KC_NAME_SIZE], const char *from, size_t len)
{
	snprintf(to, KC_NAME_SIZE, "%.*s", (int)len, from);
}

static void read_section(struct kc_line *line, char *words)
{
	char *end = strrchr(words, ']');

	line->kind = KC_LINE_SECTION;
	if (end)
		*end = '\0';
	words = trim(words + 1);
	copy_name(line->section, words, strlen(words));
}

static bool is_include(const char *words)
{
	return strncmp(words, ".include", 8) == 0 &&
	       (words[8] == '=' || isspace((unsigned char)words[8]));
}

static void read_include(struct kc_line *line, char *words)
{
	char *value = trim(words + 8);

	line->kind = KC_LINE_INCLUDE;
	line->value = *value == '=' ? trim(value + 1) : value;
}

/* Leaves a name of the form section::name as written. */
static void read_value(struct kc_line *line, char *words)
{
	char *equals = strchr(words, '=');

	if (!equals)
		return;
	line->kind = KC_LINE_VALUE;
	line->value = trim(equals + 1);
	*equals = '\0';
	words = trim(words);
	copy_name(line->name, words, strlen(words));
}

bool kc_scan_next(struct kc_scan *scan)
{
	struct kc_line *line = &scan->line;
	size_t len = 0;
	char *words;

	if (scan->next == scan->end)
		return false;
	line->kind = KC_LINE_OTHER;
	line->at = scan->next;
	line->number = line->last + 1;
	line->value = "";
	line->name[0] = '\0';
	while (take(scan, &len))
		;
	line->len = (size_t)(scan->next - line->at);
	scan->words[strcspn(scan->words, "#")] = '\0';
	words = trim(scan->words);
	if (*words == '[')
		read_section(line, words);
	else if (is_include(words))
		read_include(line, words);
	else
		read_value(line, words);
	return true;
}
