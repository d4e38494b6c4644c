/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems with words, and the known words closest to them; and lists of algorithms: names with or
 * without a threshold, and words for several algorithms.
 */
#include "policy/config_value.h"

#include <string.h>

#define MAX_DISTANCE 3 /* letters, to the closest word */

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

void kc_word_copy(char *buf, const char *text)
{
	size_t i;

	for (i = 0; text[i] && i < KC_WORD_SIZE - 1; i++)
		buf[i] = is_printable(text[i]) ? text[i] : '?';
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
	*n = SIZE_MAX; /* a negative number allows any length */
	if (is_negative)
		return KC_OK;
	if (number >= SIZE_MAX)
		return KC_OUT_OF_RANGE;
	*n = (size_t)number;
	return KC_OK;
}

/*
 * Returns the number of letters that are wrong, missing, superfluous or swapped; any number above
 * @limit if there are more.
 */
static size_t distance(const char *a, const char *b, size_t limit)
{
	size_t d;

	while (*a && kc_lower(*a) == kc_lower(*b)) {
		a++;
		b++;
	}
	if (!*a || !*b)
		return strlen(a) + strlen(b);
	if (limit == 0)
		return 1;
	d = distance(a + 1, b + 1, limit - 1);
	d = kc_min(d, distance(a + 1, b, limit - 1));
	d = kc_min(d, distance(a, b + 1, limit - 1));
	if (a[0] == b[1] && a[1] == b[0])
		d = kc_min(d, distance(a + 2, b + 2, limit - 1));
	return d + 1;
}

void kc_suggest(struct kc_problem *problem, const char *known)
{
	size_t limit = kc_min(strlen(problem->word) / 3, MAX_DISTANCE);
	size_t kept = limit + 1;

	if (problem->nearest[0])
		kept = distance(problem->word, problem->nearest, limit);
	if (distance(problem->word, known, limit) < kept)
		kc_word_copy(problem->nearest, known);
}

#define BLANKS " \t\r\n\v\f"

/* The key whose list has the rows of each kind. */
static const char *const keys[KC_KIND_COUNT] = {
	[KC_CIPHER] = "ciphers",
	[KC_AEAD] = "ciphers",
	[KC_DIGEST] = "digests",
	[KC_MAC] = "macs",
};

/* True if @alg belongs to the list with this key, in any case. */
static bool is_of(const char *list, const struct kc_alg *alg)
{
	return kc_word_is(keys[alg->kind], list);
}

/* Applies an algorithm's name or a keyword; false if @word is neither. */
static bool apply_word(struct kc_config *config, const char *list, const char *word,
		       bool has_number, size_t threshold)
{
	const struct kc_alg *alg = kc_alg_find(word);
	bool is_none = kc_word_is(word, "NONE");
	bool is_all = kc_word_is(word, "ALL") || kc_word_is(word, "NO_ECB");

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct kc_config_row *row = &config->row[i];
		bool is_named = alg == &kc_algs[i];

		if (!is_of(list, &kc_algs[i]))
			continue;
		if (is_none)
			row->on = row->is_named = false;
		if (!is_named && (!is_all || kc_algs[i].named_only))
			continue;
		row->on = true;
		row->is_named |= is_named;
		if (is_named || has_number)
			row->threshold = threshold;
	}
	return alg != NULL || is_none || is_all;
}

/* Suggests the known name that is closest to the problem's word. */
static void suggest_algorithm(struct kc_problem *problem, const char *list)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const char *known = kc_algs[i].names;

		if (!is_of(list, &kc_algs[i]))
			continue;
		for (; *known; known = kc_name_after(known))
			kc_suggest(problem, known);
	}
	if (kc_word_is(keys[KC_CIPHER], list))
		kc_suggest(problem, "NO_ECB");
	kc_suggest(problem, "NONE");
	kc_suggest(problem, "ALL");
}

/* NAME or NAME:N */
static void apply_list_entry(struct kc_config *config, const char *list, char *entry)
{
	char *colon = entry + strcspn(entry, ":");
	bool has_number = *colon;
	size_t threshold = KC_THRESHOLD_MEASURED;
	enum kc_reason reason = KC_OK;
	const struct kc_alg *alg;

	if (has_number)
		reason = kc_number_read(colon + 1, &threshold);
	if (reason != KC_OK)
		kc_complain(config, reason, list, entry);
	*colon = '\0';
	alg = kc_alg_find(entry);
	if (alg && !is_of(list, alg))
		kc_word_copy(kc_complain(config, KC_WRONG_LIST, list, entry)->nearest,
			     keys[alg->kind]);
	else if (!apply_word(config, list, entry, has_number, threshold))
		suggest_algorithm(kc_complain(config, KC_UNKNOWN_ALGORITHM, list, entry), list);
}

bool kc_list_next(const char **list, char *entry, size_t size)
{
	const char *value = *list + strspn(*list, KC_SEPARATORS);
	size_t len = 0;

	for (; *value; value++) {
		const char *next = value + strspn(value, BLANKS);
		bool is_at_colon = *next == ':' || (len && entry[len - 1] == ':');

		bool is_last = !*next || *next == ',';

		if (*value == ',')
			break;
		if (next > value && (!is_at_colon || is_last))
			break;
		value = next;
		if (len + 1 < size)
			entry[len++] = *value;
	}
	entry[len] = '\0';
	*list = value;
	return len;
}

void kc_list_set(struct kc_config *config, const char *key, const char *value)
{
	char entry[2 * KC_WORD_SIZE];

	for (size_t i = 0; !config->lists_add && i < KC_ALG_COUNT; i++) {
		if (!is_of(key, &kc_algs[i]))
			continue;
		config->row[i].on = config->row[i].is_named = false;
		config->row[i].threshold = KC_THRESHOLD_MEASURED;
	}
	while (kc_list_next(&value, entry, sizeof(entry)))
		apply_list_entry(config, key, entry);
}
