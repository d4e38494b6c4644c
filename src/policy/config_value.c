/* SPDX-License-Identifier: Apache-2.0 */
/* Words that cannot be understood, and the known words closest to them. */
#include "policy/config_value.h"

#include <string.h>

#define MAX_DISTANCE 3 /* to the closest word, in letters */

void kc_word_copy(char *buf, const char *text)
{
	size_t i;

	for (i = 0; text[i] && i < KC_WORD_SIZE - 1; i++)
		buf[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	buf[i] = '\0';
}

struct kc_problem *kc_complain(struct kc_config *config, enum kc_reason reason, const char *key,
			       const char *word)
{
	struct kc_problem *problem = &config->problems[config->n_problems];

	if (config->n_problems < KC_MAX_PROBLEMS)
		config->n_problems++;
	problem->reason = reason;
	kc_word_copy(problem->key, key);
	kc_word_copy(problem->word, word);
	problem->nearest[0] = '\0';
	return problem;
}

enum kc_reason kc_number_read(const char *text, size_t *n)
{
	bool is_negative = *text == '-';
	const char *digits = text + is_negative;
	uint64_t number = kc_decimal(digits);

	if (!*digits || digits[strspn(digits, "0123456789")])
		return KC_BAD_NUMBER;
	*n = is_negative || number > SIZE_MAX ? SIZE_MAX : (size_t)number;
	return *n == SIZE_MAX && !is_negative ? KC_OUT_OF_RANGE : KC_OK;
}

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * The number of letters that are wrong, missing, superfluous or swapped; above @limit: any larger
 * number.
 */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
	unsigned d;

	while (*a && kc_lower(*a) == kc_lower(*b)) {
		a++;
		b++;
	}
	if (!*a || !*b)
		return (unsigned)(strlen(a) + strlen(b));
	if (limit == 0)
		return 1;
	d = distance(a + 1, b + 1, limit - 1);
	d = lesser(d, distance(a + 1, b, limit - 1));
	d = lesser(d, distance(a, b + 1, limit - 1));
	if (a[0] == b[1] && a[1] == b[0])
		d = lesser(d, distance(a + 2, b + 2, limit - 1));
	return d + 1;
}

void kc_suggest(struct kc_problem *problem, const char *known)
{
	unsigned limit = lesser((unsigned)strlen(problem->word) / 3, MAX_DISTANCE);
	unsigned kept = limit + 1;

	if (problem->nearest[0])
		kept = distance(problem->word, problem->nearest, limit);
	if (distance(problem->word, known, limit) < kept)
		kc_word_copy(problem->nearest, known);
}

int kc_word_choose(struct kc_config *config, const char *key, const char *value, const char *words,
		   int now)
{
	struct kc_problem *problem;
	char word[KC_WORD_SIZE];
	const char *rest = words;

	for (int i = 0; kc_name_next(&rest, word); i++)
		if (kc_word_is(value, word))
			return i;
	problem = kc_complain(config, KC_BAD_VALUE, key, value);
	while (kc_name_next(&words, word))
		kc_suggest(problem, word);
	return now;
}
