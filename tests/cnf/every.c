/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a configuration and replaces some words by the names of the table's rows, so that a new
 * row is tested as soon as it exists: EVERY-DIGEST:0 becomes "MD4:0 MD5:0 …". usage: every FILE
 */
#include <stdio.h>
#include <string.h>

#include "core/alg.h"

static bool is_digest(const struct kc_alg *alg)
{
	return alg->kind == KC_DIGEST;
}

static bool is_mac(const struct kc_alg *alg)
{
	return alg->kind == KC_MAC;
}

/* ECB, which ALL does not include. */
static bool is_not_in_all(const struct kc_alg *alg)
{
	return alg->named_only;
}

static const struct {
	const char *word;
	bool (*has)(const struct kc_alg *alg);
} sets[] = {
	{ "EVERY-DIGEST", is_digest },
	{ "EVERY-MAC", is_mac },
	{ "NOT-IN-ALL", is_not_in_all },
};

#define SETS (sizeof(sets) / sizeof(sets[0]))

/* @word: "WORD" or "WORD:THRESHOLD". */
static void write_word(const char *word)
{
	size_t len = strcspn(word, ":"), set = 0;

	while (set < SETS &&
	       (strlen(sets[set].word) != len || strncmp(sets[set].word, word, len) != 0))
		set++;
	if (set == SETS)
		printf("%s ", word);
	for (size_t i = 0; set < SETS && i < KC_ALG_COUNT; i++)
		if (sets[set].has(&kc_algs[i]))
			printf("%s%s ", kc_alg_name(&kc_algs[i]), word + len);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	char line[1024];

	if (!file)
		return 2;
	while (fgets(line, sizeof(line), file)) {
		for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
			write_word(word);
		putchar('\n');
	}
	return fclose(file) != 0;
}
