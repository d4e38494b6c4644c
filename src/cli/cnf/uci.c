/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the format as far as entries of modules need it: words, of which some are quoted. */
#include "cli/cnf/uci.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS	  3
#define WORD_SIZE 64

/* A line, by its words. */
struct words {
	char v[WORDS][WORD_SIZE];
	const char *at, *end; /* the line, with its end */
};

/* An entry: "config KIND 'NAME'" and the options below it. */
struct entry {
	char kind[WORD_SIZE], name[WORD_SIZE];
	const char *at, *end;		 /* up to the next entry */
	const char *option, *option_end; /* the line with 'enabled', or NULL */
	bool is_enabled;
};

static const char *take_word(const char *c, const char *end, char word[WORD_SIZE])
{
	char quote = '\0';
	size_t n = 0;

	while (c < end && (*c == ' ' || *c == '\t'))
		c++;
	if (c < end && (*c == '\'' || *c == '"'))
		quote = *c++;
	for (; c < end && (quote ? *c != quote : !strchr(" \t\r\n#", *c)); c++)
		if (n + 1 < WORD_SIZE)
			word[n++] = *c;
	word[n] = '\0';
	return c < end && quote ? c + 1 : c;
}

/* The next line behind @at; false at the end. */
static bool next_line(const struct kc_text *uci, const char *at, struct words *words)
{
	const char *end = uci->at + uci->len, *newline, *c = at;

	if (at == end)
		return false;
	newline = memchr(at, '\n', (size_t)(end - at));
	words->at = at;
	words->end = newline ? newline + 1 : end;
	for (size_t i = 0; i < WORDS; i++)
		c = take_word(c, words->end, words->v[i]);
	return true;
}

static bool is_no(const char *value)
{
	static const char *const no[] = { "0", "no", "off", "false", "disabled" };

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (strcmp(value, no[i]) == 0)
			return true;
	return false;
}

/* The next entry behind @at. Without an option it is enabled, as to the init script. */
static bool next_entry(const struct kc_text *uci, const char *at, struct entry *entry)
{
	struct words words;

	while (next_line(uci, at, &words) && strcmp(words.v[0], "config") != 0)
		at = words.end;
	if (at == uci->at + uci->len)
		return false;
	*entry = (struct entry){ .at = at, .end = words.end, .is_enabled = true };
	memcpy(entry->kind, words.v[1], WORD_SIZE);
	memcpy(entry->name, words.v[2], WORD_SIZE);
	for (at = words.end; next_line(uci, at, &words); at = words.end) {
		if (strcmp(words.v[0], "config") == 0)
			break;
		if (words.v[0][0]) /* blank lines and comments are nobody's */
			entry->end = words.end;
		if (strcmp(words.v[0], "option") != 0 || strcmp(words.v[1], "enabled") != 0)
			continue;
		entry->option = words.at;
		entry->option_end = words.end;
		entry->is_enabled = !is_no(words.v[2]);
	}
	return true;
}

static bool find(const struct kc_text *uci, const char *kind, const char *name, struct entry *entry)
{
	const char *at = uci->at;

	while (at && next_entry(uci, at, entry)) {
		if (strcmp(entry->kind, kind) == 0 && strcmp(entry->name, name) == 0)
			return true;
		at = entry->end;
	}
	return false;
}

/* @uci with other bytes in place of those from @from to @to. */
static struct kc_text replace(const struct kc_text *uci, const char *from, const char *to,
			      const char *by)
{
	struct kc_text text = { .at = NULL };
	FILE *out = open_memstream(&text.at, &text.len);

	if (!out)
		return text;
	fwrite(uci->at, 1, (size_t)(from - uci->at), out);
	fputs(by, out);
	fwrite(to, 1, (size_t)(uci->at + uci->len - to), out);
	if (fclose(out) != 0)
		kc_text_free(&text);
	return text;
}

struct kc_text kc_uci_set(const struct kc_text *uci, const char *kind, const char *name,
			  bool is_enabled)
{
	struct kc_text empty = { .at = "" };
	struct entry entry;
	char added[2 * WORD_SIZE + 64];

	if (!uci->at)
		uci = &empty;
	if (!find(uci, kind, name, &entry)) {
		snprintf(added, sizeof(added), "\nconfig %s '%s'\n\toption enabled '1'\n", kind,
			 name);
		return replace(uci, uci->at + uci->len, uci->at + uci->len,
			       is_enabled ? added : "");
	}
	if (entry.is_enabled == is_enabled)
		return kc_text_copy(uci->at, uci->len);
	if (entry.option)
		return replace(uci, entry.option, entry.option_end,
			       is_enabled ? "\toption enabled '1'\n" : "\toption enabled '0'\n");
	entry.option = memchr(entry.at, '\n', (size_t)(entry.end - entry.at));
	entry.option = entry.option ? entry.option + 1 : entry.end;
	return replace(uci, entry.option, entry.option, "\toption enabled '0'\n");
}

struct kc_text kc_uci_remove(const struct kc_text *uci, const char *kind, const char *name)
{
	struct entry entry;

	if (!uci->at || !find(uci, kind, name, &entry))
		return kc_text_copy(uci->at, uci->len);
	if (entry.at > uci->at && entry.at[-1] == '\n')
		entry.at--;
	return replace(uci, entry.at, entry.end, "");
}

static int foresee(struct kc_files *files, const struct kc_layout *layout,
		   const struct kc_text *uci, const char *kind, const char *path)
{
	struct kc_text text = { .at = NULL };
	FILE *out = open_memstream(&text.at, &text.len);
	struct entry entry;

	if (!out)
		return -ENOMEM;
	for (const char *at = uci->at; at && next_entry(uci, at, &entry); at = entry.end)
		if (entry.is_enabled && strcmp(entry.kind, kind) == 0)
			fprintf(out, "%s=%s%s\n", entry.name, entry.name, layout->suffix);
	if (fclose(out) != 0)
		return -ENOMEM;
	return kc_files_foresee(files, path, text);
}

int kc_uci_foresee(struct kc_files *files, const struct kc_layout *layout)
{
	struct kc_text uci;
	int err = kc_files_read(files, KC_UCI_FILE, &uci);

	if (err == -ENOENT)
		err = 0;
	if (!err && layout->has_providers)
		err = foresee(files, layout, &uci, "provider", "/var/etc/ssl/providers.cnf");
	if (!err)
		err = foresee(files, layout, &uci, "engine", "/var/etc/ssl/engines.cnf");
	kc_text_free(&uci);
	return err;
}
