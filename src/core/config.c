/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one key and its value at a time. What an earlier plugin accepted is accepted; what cannot
 * be understood is kept as a problem, with the known word that is nearest. Allocates nothing and
 * does not know where the text comes from.
 */
#include "core/config.h"

#include <stdio.h>
#include <string.h>

#include "core/backend.h"
#include "core/word.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define DEFAULT_SESSIONS 64
#define MAX_SESSIONS 65536
#define ENDLESS SIZE_MAX	/* a number too large to be kept */

static const struct kc_word no_word = { "", 0 };

static void complain(struct kc_config *config, enum kc_reason reason, const char *key,
		     struct kc_word word, struct kc_word nearest)
{
	unsigned n = config->n_problems++;
	struct kc_problem *problem = &config->problems[n < KC_MAX_PROBLEMS ? n : 0];

	/* The rest is counted, not kept. */
	if (n >= KC_MAX_PROBLEMS)
		return;
	problem->reason = reason;
	kc_word_show(problem->key, sizeof(problem->key), kc_word_trim(key));
	kc_word_show(problem->word, sizeof(problem->word), word);
	kc_word_show(problem->nearest, sizeof(problem->nearest), nearest);
}

/*
 * A whole number, perhaps negative. KC_OK, or what is wrong with it; *@n is then 0, or ENDLESS
 * if it is too large.
 */
static enum kc_reason read_number(struct kc_word word, size_t *n, bool *is_negative)
{
	size_t i = 0;

	*n = 0;
	*is_negative = word.len && word.at[0] == '-';
	if (*is_negative)
		i++;
	if (i == word.len)
		return KC_BAD_NUMBER;
	for (; i < word.len; i++) {
		unsigned digit = (unsigned char)word.at[i] - '0';

		if (digit > 9) {
			*n = 0;
			return KC_BAD_NUMBER;
		}
		*n = *n > (ENDLESS - 1 - digit) / 10 ? ENDLESS : *n * 10 + digit;
	}
	return *n == ENDLESS && !*is_negative ? KC_OUT_OF_RANGE : KC_OK;
}

/* A number of @min … @max; what is outside counts as the nearer end, a negative one as none. */
static bool read_size(struct kc_config *config, const char *key, struct kc_word value, size_t min,
		      size_t max, size_t *n)
{
	bool is_negative;
	enum kc_reason reason = value.len ? read_number(value, n, &is_negative) : KC_EMPTY;

	if (reason == KC_OK && (is_negative || *n < min || *n > max))
		reason = KC_OUT_OF_RANGE;
	if (reason != KC_OK)
		complain(config, reason, key, value, no_word);
	if (reason == KC_OUT_OF_RANGE && !is_negative)
		*n = *n < min ? min : max;
	return reason == KC_OK || (reason == KC_OUT_OF_RANGE && !is_negative);
}

/* The next entry of a list; false after the last. */
static bool next_entry(struct kc_word *list, struct kc_word *entry)
{
	while (list->len && (kc_is_blank(*list->at) || *list->at == ','))
		*list = (struct kc_word){ list->at + 1, list->len - 1 };
	*entry = (struct kc_word){ list->at, 0 };
	while (list->len && !kc_is_blank(*list->at) && *list->at != ',') {
		*list = (struct kc_word){ list->at + 1, list->len - 1 };
		entry->len++;
	}
	return entry->len > 0;
}

#define LIST_WORDS "ALL:NONE:NO_ECB"

/* A word that stands for several algorithms. A threshold is set only where one was given. */
static bool apply_list_word(struct kc_config *config, struct kc_word name, const size_t *threshold)
{
	bool is_none = kc_word_is(name, "NONE");

	if (!is_none && !kc_word_is(name, "ALL") && !kc_word_is(name, "NO_ECB"))
		return false;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct kc_config_row *row = &config->row[i];

		if (is_none)
			row->on = false;
		if (is_none || !kc_algs[i].on_by_default)
			continue;
		row->on = true;
		if (threshold)
			row->threshold = *threshold;
	}
	return true;
}

static struct kc_word nearest_alg(struct kc_word name, const char *also)
{
	struct kc_search search = kc_search_for(name);

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_search_in(&search, kc_algs[i].names);
	kc_search_in(&search, also);
	return search.nearest;
}

/* NAME or NAME:N */
static void apply_list_entry(struct kc_config *config, const char *key, struct kc_word entry)
{
	bool has_number;
	struct kc_word number, name = kc_word_split(entry, ':', &number, &has_number);
	const struct kc_alg *alg = kc_alg_find(name.at, name.len);
	size_t threshold = KC_THRESHOLD_MEASURED;

	if (has_number) {
		bool is_negative;
		enum kc_reason reason = read_number(number, &threshold, &is_negative);

		if (reason != KC_OK)
			complain(config, reason, key, entry, no_word);
		if (reason != KC_OK || is_negative)
			threshold = KC_THRESHOLD_MEASURED;
	}
	if (apply_list_word(config, name, has_number ? &threshold : NULL))
		return;
	if (!alg) {
		complain(config, KC_UNKNOWN_ALGORITHM, key, name.len ? name : entry,
			 nearest_alg(name, LIST_WORDS));
		return;
	}
	config->row[alg - kc_algs].on = true;
	config->row[alg - kc_algs].threshold = threshold;
}

static void set_ciphers(struct kc_config *config, const char *key, struct kc_word list)
{
	struct kc_word entry;

	if (!next_entry(&list, &entry)) {
		complain(config, KC_EMPTY, key, no_word, no_word);
		return;
	}
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		config->row[i].on = false;
		config->row[i].threshold = KC_THRESHOLD_MEASURED;
	}
	do
		apply_list_entry(config, key, entry);
	while (next_entry(&list, &entry));
}

static void set_digests(struct kc_config *config, const char *key, struct kc_word list)
{
	if (list.len && !kc_word_is(list, "NONE"))
		complain(config, KC_NOT_SUPPORTED_YET, key, list, no_word);
}

static void set_soft_drivers(struct kc_config *config, const char *key, struct kc_word value)
{
	static const struct {
		const char *word;
		enum kc_admit admit;
	} words[] = {
		{ "0", KC_ADMIT_HARDWARE }, { "no", KC_ADMIT_HARDWARE },
		{ "1", KC_ADMIT_ALL }, { "yes", KC_ADMIT_ALL },
		{ "2", KC_ADMIT_UNKNOWN },
	};
	struct kc_search search = kc_search_for(value);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (kc_word_is(value, words[i].word)) {
			config->admit = words[i].admit;
			return;
		}
		kc_search_in(&search, words[i].word);
	}
	complain(config, value.len ? KC_BAD_VALUE : KC_EMPTY, key, value, search.nearest);
}

static void set_max_request(struct kc_config *config, const char *key, struct kc_word value)
{
	size_t n;

	if (read_size(config, key, value, KC_MAX_BLOCK, KC_MAX_REQUEST, &n))
		config->max_request = n - n % KC_MAX_BLOCK;
}

static void set_max_sessions(struct kc_config *config, const char *key, struct kc_word value)
{
	size_t n;

	if (read_size(config, key, value, 0, MAX_SESSIONS, &n))
		config->max_sessions = (unsigned)n;
}

/* @key is driver.ALGORITHM, or kc_config_set() would not be here. */
static void set_driver(struct kc_config *config, const char *key, struct kc_word value)
{
	bool is_bad = value.len >= KC_DRIVER_NAME_SIZE, has_dot;
	const struct kc_alg *alg;
	struct kc_word name;

	kc_word_split(kc_word_trim(key), '.', &name, &has_dot);
	alg = kc_alg_find(name.at, name.len);
	if (!alg) {
		complain(config, KC_UNKNOWN_ALGORITHM, key, name, nearest_alg(name, ""));
		return;
	}
	for (size_t i = 0; i < value.len; i++)
		is_bad = is_bad || !kc_is_printable(value.at[i]) || value.at[i] == ' ';
	if (is_bad || !value.len) {
		complain(config, is_bad ? KC_BAD_VALUE : KC_EMPTY, key, value, no_word);
		return;
	}
	snprintf(config->row[alg - kc_algs].driver, KC_DRIVER_NAME_SIZE, "%.*s", (int)value.len,
		 value.at);
}

/* A name that ends in a dot is the beginning of a key; no setter: it is OpenSSL's own. */
static const struct {
	const char *name;
	void (*set)(struct kc_config *config, const char *key, struct kc_word value);
} keys[] = {
	{ "ciphers", set_ciphers },
	{ "digests", set_digests },
	{ "soft_drivers", set_soft_drivers },
	{ "use_softdrivers", set_soft_drivers },
	{ "max_request", set_max_request },
	{ "max_sessions", set_max_sessions },
	{ "driver.", set_driver },
	/* of a provider's section */
	{ "identity", NULL },
	{ "module", NULL },
	{ "activate", NULL },
	{ "soft_load", NULL },
	/* of an engine's section, which may be moved here as it is */
	{ "default_algorithms", NULL },
	{ "engine_id", NULL },
	{ "dynamic_path", NULL },
	{ "init", NULL },
};

void kc_config_init(struct kc_config *config)
{
	*config = (struct kc_config){
		.admit = KC_ADMIT_HARDWARE,
		.max_request = KC_MAX_REQUEST,
		.max_sessions = DEFAULT_SESSIONS,
	};
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		config->row[i].on = kc_algs[i].on_by_default;
		config->row[i].threshold = KC_THRESHOLD_MEASURED;
	}
}

/* The part of a key that stands in the table: all of it, or up to the dot and with it. */
static struct kc_word key_stem(const char *key, struct kc_word *rest)
{
	bool has_dot;
	struct kc_word stem = kc_word_split(kc_word_trim(key), '.', rest, &has_dot);

	return (struct kc_word){ stem.at, stem.len + has_dot };
}

static bool is_beginning(struct kc_word name)
{
	return name.len && name.at[name.len - 1] == '.';
}

static void complain_of_key(struct kc_config *config, const char *key)
{
	struct kc_word rest, stem = key_stem(key, &rest);
	struct kc_search search = kc_search_for(stem);
	char nearest[KC_WORD_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		kc_search_in(&search, keys[i].name);
	/* drivers.AES-128-CBC: the algorithm belongs to what was meant, too. */
	snprintf(nearest, sizeof(nearest), "%.*s%.*s", (int)search.nearest.len, search.nearest.at,
		 is_beginning(search.nearest) && rest.len < sizeof(nearest) ? (int)rest.len : 0,
		 rest.at);
	complain(config, KC_UNKNOWN_KEY, key, kc_word_trim(key), kc_word_trim(nearest));
}

void kc_config_set(struct kc_config *config, const char *key, const char *value)
{
	struct kc_word rest, stem = key_stem(key, &rest);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!kc_word_is(stem, keys[i].name))
			continue;
		if (keys[i].set)
			keys[i].set(config, key, kc_word_trim(value));
		return;
	}
	complain_of_key(config, key);
}

/* The i-th name of the rows, every alias counted; empty after the last. */
static struct kc_word alias(size_t i)
{
	for (size_t row = 0; row < KC_ALG_COUNT; row++) {
		struct kc_word name, rest = { kc_algs[row].names, strlen(kc_algs[row].names) };
		bool more = true;

		while (more) {
			name = kc_word_split(rest, ':', &rest, &more);
			if (i-- == 0)
				return name;
		}
	}
	return no_word;
}

/* Two spellings each, as in the table and in the other case; then driver.ALIAS. */
const char *kc_config_key(size_t i, char *buf, size_t size)
{
	struct kc_word name;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		if (!keys[k].set || keys[k].set == set_driver)
			continue;
		if (i > 1) {
			i -= 2;
			continue;
		}
		snprintf(buf, size, "%s", keys[k].name);
		for (char *c = buf; i && *c; c++)
			*c = kc_upper(*c);
		return buf;
	}
	name = alias(i / 2);
	if (!name.len)
		return NULL;
	snprintf(buf, size, "driver.%.*s", (int)name.len, name.at);
	for (char *c = buf; i % 2 && *c; c++)
		*c = kc_lower(*c);
	return buf;
}
