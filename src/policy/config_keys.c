/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one key and its value at a time. Accepts everything that an earlier plugin accepted. A
 * value that cannot be understood changes nothing and is kept as a problem, with the known word
 * closest to it. Allocates nothing, and does not know where the text comes from.
 */
#include "policy/config.h"
#include "policy/config_keys.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "policy/config_value.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define DEFAULT_SESSIONS 64
#define MAX_SESSIONS	 65536
#define MAX_VERIFY	 1000000

/* Returns the end of @to, where the NUL is. */
static char *copy(char *to, const char *from)
{
	size_t len = strlen(from);

	memcpy(to, from, len + 1);
	return to + len;
}

/* Returns the number in @value, or @now if it is not between @min and @max. */
static size_t read_size(struct kc_config *config, const char *key, const char *value, size_t min,
			size_t max, size_t now)
{
	size_t n = 0;
	enum kc_reason reason = kc_number_read(value, &n);

	if (reason == KC_OK && (n < min || n > max))
		reason = KC_OUT_OF_RANGE;
	if (reason == KC_OK)
		return n;
	kc_complain(config, reason, key, value);
	return now;
}

/* The digits are those of enum kc_admit, and the words after them follow the same order. */
static void set_soft_drivers(struct kc_config *config, const char *key, const char *value)
{
	config->admit = kc_word_choose(config, key, value, "0:1:2:no:yes", config->admit) % 3;
}

static void set_seccomp(struct kc_config *config, const char *key, const char *value)
{
	config->trusts_seccomp =
		kc_word_choose(config, key, value, "avoid:trust", config->trusts_seccomp);
}

/* In the order of enum kc_prefer. */
static void set_prefer(struct kc_config *config, const char *key, const char *value)
{
	config->prefer = kc_word_choose(config, key, value, "throughput:cpu", config->prefer);
}

/* In the order of enum kc_rule. */
static void set_rule(struct kc_config *config, const char *key, const char *value)
{
	config->rule =
		kc_word_choose(config, key, value, "auto:threshold:always:never", config->rule);
}

static void set_stats(struct kc_config *config, const char *key, const char *value)
{
	config->stats = kc_word_choose(config, key, value, "0:1:no:yes", config->stats) % 2;
}

static void set_tune_file(struct kc_config *config, const char *key, const char *value)
{
	bool is_none = kc_word_is(value, "none");

	if ((value[0] != '/' && !is_none) || strlen(value) >= sizeof(config->tune_file))
		kc_complain(config, KC_BAD_VALUE, key, value);
	else
		copy(config->tune_file, is_none ? "" : value);
}

static void set_max_request(struct kc_config *config, const char *key, const char *value)
{
	size_t n = read_size(config, key, value, KC_MAX_BLOCK, KC_MAX_REQUEST, config->max_request);

	config->max_request = n - n % KC_MAX_BLOCK;
}

static void set_max_sessions(struct kc_config *config, const char *key, const char *value)
{
	config->max_sessions =
		(unsigned)read_size(config, key, value, 0, MAX_SESSIONS, config->max_sessions);
}

static void set_verify(struct kc_config *config, const char *key, const char *value)
{
	config->verify = (unsigned)read_size(config, key, value, 0, MAX_VERIFY, config->verify);
}

const struct kc_backend *kc_backend_named(const char *name)
{
	for (const struct kc_backend *const *b = kc_backends; *b; b++)
		for (unsigned i = 0; i < KC_BACKEND_NAMES_MAX; i++)
			if (*name && kc_word_is((*b)->names[i], name))
				return *b;
	return NULL;
}

static void use_backend(struct kc_config *config, const struct kc_backend *backend)
{
	const struct kc_backend **at = config->backend;

	while (*at && *at != backend)
		at++;
	*at = backend;
}

static void add_all_backends(struct kc_config *config)
{
	for (const struct kc_backend *const *b = kc_backends; *b; b++)
		use_backend(config, *b);
}

/* A list without any known word changes nothing. */
static void set_backends(struct kc_config *config, const char *key, const char *list)
{
	const struct kc_backend *before[KC_MAX_BACKENDS + 1];
	char word[KC_WORD_SIZE];

	memcpy(before, config->backend, sizeof(before));
	memset(config->backend, 0, sizeof(config->backend));
	while (*(list += strspn(list, KC_SEPARATORS))) {
		size_t len = strcspn(list, KC_SEPARATORS);
		const struct kc_backend *backend;

		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		list += len;
		backend = kc_backend_named(word);
		if (backend) {
			use_backend(config, backend);
		} else if (kc_word_is(word, "auto")) {
			add_all_backends(config);
		} else {
			struct kc_problem *problem = kc_complain(config, KC_BAD_VALUE, key, word);

			for (const struct kc_backend *const *b = kc_backends; *b; b++)
				kc_suggest(problem, (*b)->names[0]);
			kc_suggest(problem, "auto");
		}
	}
	if (!config->backend[0])
		memcpy(config->backend, before, sizeof(before));
}

/* @key comes from kc_config_next(), so it ends in an algorithm of the table. */
static void set_driver(struct kc_config *config, const char *key, const char *value)
{
	const char *name = key + strlen("driver.");
	struct kc_config_row *row = &config->row[kc_alg_find(name, strlen(name)) - kc_algs];

	if (strlen(value) >= sizeof(row->driver))
		kc_complain(config, KC_BAD_VALUE, key, value);
	else
		snprintf(row->driver, sizeof(row->driver), "%s", value);
}

#define DRIVER_KEY 14

/* A key without a setter is OpenSSL's own. */
static const struct {
	const char *name;
	void (*set)(struct kc_config *config, const char *key, const char *value);
} keys[] = {
	{ "ciphers", kc_list_set },
	{ "digests", kc_list_set },
	{ "macs", kc_list_set },
	{ "soft_drivers", set_soft_drivers },
	{ "use_softdrivers", set_soft_drivers },
	{ "max_request", set_max_request },
	{ "max_sessions", set_max_sessions },
	{ "verify", set_verify },
	{ "seccomp", set_seccomp },
	{ "backends", set_backends },
	{ "policy", set_rule },
	{ "prefer", set_prefer },
	{ "tune_file", set_tune_file },
	{ "stats", set_stats },
	/* followed by each name of each algorithm */
	[DRIVER_KEY] = { "driver.", set_driver },
	/* of a provider's section */
	{ "identity", NULL },
	{ "module", NULL },
	{ "activate", NULL },
	{ "soft_load", NULL },
	/* of an engine's section, which may be moved here unchanged */
	{ "default_algorithms", NULL },
	{ "engine_id", NULL },
	{ "dynamic_path", NULL },
	{ "init", NULL },
};

void kc_config_init(struct kc_config *config)
{
	/* n_problems tells which problems count. */
	memset(config, 0, offsetof(struct kc_config, problems));
	config->admit = KC_ADMIT_HARDWARE;
	config->max_request = KC_MAX_REQUEST;
	config->max_sessions = DEFAULT_SESSIONS;
	copy(config->tune_file, KC_TUNE_FILE);
	add_all_backends(config);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		config->row[i].on = kc_algs[i].kind <= KC_AEAD && !kc_algs[i].named_only;
		config->row[i].threshold = KC_THRESHOLD_MEASURED;
	}
}

/*
 * The next name of the table's rows, including every alias, after "driver."; false after the last
 * one.
 */
static bool next_driver_key(struct kc_config_walk *walk, char *to)
{
	size_t len;

	if (!walk->alias)
		walk->alias = kc_algs[walk->row].names;
	while (!*walk->alias) {
		if (++walk->row == KC_ALG_COUNT)
			return false;
		walk->alias = kc_algs[walk->row].names;
	}
	len = strcspn(walk->alias, ":");
	memcpy(to, walk->alias, len);
	to[len] = '\0';
	/* Both spellings of a name come before the next name. */
	if (walk->in_other_case)
		walk->alias += len + (walk->alias[len] == ':');
	return true;
}

/* Every other spelling: a key in upper case, an algorithm in lower case. */
bool kc_config_next(struct kc_config_walk *walk)
{
	char *c;

	walk->is_driver = walk->next == DRIVER_KEY;
	if (walk->next == ARRAY_SIZE(keys))
		return false;
	c = copy(walk->key, keys[walk->next].name);
	if (walk->is_driver && !next_driver_key(walk, c)) {
		walk->next++;
		return kc_config_next(walk);
	}
	walk->i = walk->next;
	if (!walk->is_driver)
		c = walk->key;
	for (; walk->in_other_case && *c; c++)
		*c = walk->is_driver ? kc_lower(*c) : kc_upper(*c);
	/* OpenSSL's own keys have only one spelling. */
	walk->in_other_case = !walk->in_other_case && keys[walk->i].set;
	walk->next += !walk->is_driver && !walk->in_other_case;
	return true;
}

struct kc_config_walk kc_config_drivers(size_t row)
{
	return (struct kc_config_walk){ .next = DRIVER_KEY, .row = row };
}

void kc_config_take(struct kc_config *config, const struct kc_config_walk *walk, const char *value)
{
	if (!value[strspn(value, KC_SEPARATORS)])
		kc_complain(config, KC_EMPTY, walk->key, value);
	else if (keys[walk->i].set)
		keys[walk->i].set(config, walk->key, value);
}

void kc_config_set(struct kc_config *config, const char *key, const char *value)
{
	struct kc_config_walk walk = { .i = 0 };
	struct kc_problem *problem;

	while (kc_config_next(&walk)) {
		if (strcmp(key, walk.key) == 0) {
			kc_config_take(config, &walk, value);
			return;
		}
	}
	problem = kc_complain(config, KC_UNKNOWN_KEY, key, key);
	walk = (struct kc_config_walk){ .i = 0 };
	while (kc_config_next(&walk))
		kc_suggest(problem, walk.key);
}
