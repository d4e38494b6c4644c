/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies one key and its value. Accepts everything that an earlier plugin accepted. A value that
 * it does not understand changes nothing and is kept as a problem, with the closest known word.
 * Allocates nothing, and does not know where the text comes from.
 */
#include "policy/config.h"

#include <stddef.h>
#include <string.h>

#include "policy/config_value.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define DEFAULT_SESSIONS 64
#define MAX_SESSIONS	 65536
#define MAX_VERIFY	 1000000

/* Returns the end of @to, where the NUL is. */
static char *copy_text(char *to, const char *from)
{
	size_t len = strlen(from);

	memcpy(to, from, len + 1);
	return to + len;
}

/* A key, and how its value is read. OpenSSL's own keys have only a name. */
struct key {
	char name[20];
	uint16_t at;	   /* a word or number sets the unsigned here in struct kc_config */
	char words[5][11]; /* the member's values in order, then synonyms */
	uint16_t values;
	unsigned min, max, unit; /* of a number, which is rounded down to whole units */
	void (*set)(struct kc_config *config, const char *key, const char *value);
};

static unsigned *member_of(struct kc_config *config, const struct key *key)
{
	return (unsigned *)(void *)((char *)config + key->at);
}

/* Compares without regard to case. */
static void set_word(struct kc_config *config, const struct key *known, const char *key,
		     const char *value)
{
	unsigned n = 0;
	struct kc_problem *problem;

	for (; n < ARRAY_SIZE(known->words) && known->words[n][0]; n++) {
		if (kc_word_is(value, known->words[n])) {
			*member_of(config, known) = n % known->values;
			return;
		}
	}
	problem = kc_complain(config, KC_BAD_VALUE, key, value);
	for (unsigned i = 0; i < n; i++)
		kc_suggest(problem, known->words[i]);
}

static void set_number(struct kc_config *config, const struct key *known, const char *key,
		       const char *value)
{
	size_t n = 0;
	enum kc_reason reason = kc_number_read(value, &n);

	if (reason == KC_OK && (n < known->min || n > known->max))
		reason = KC_OUT_OF_RANGE;
	if (reason == KC_OK)
		*member_of(config, known) = (unsigned)(n - n % known->unit);
	else
		kc_complain(config, reason, key, value);
}

static void set_tune_file(struct kc_config *config, const char *key, const char *value)
{
	if (kc_word_is(value, "none"))
		config->tune_file[0] = '\0';
	else if (value[0] == '/' && strlen(value) < sizeof(config->tune_file))
		copy_text(config->tune_file, value);
	else
		kc_complain(config, KC_BAD_VALUE, key, value);
}

const struct kc_backend *kc_backend_named(const char *name)
{
	for (const struct kc_backend *const *b = kc_backends; *b; b++)
		for (unsigned i = 0; i < KC_BACKEND_NAMES_MAX; i++)
			if (*name && kc_word_is((*b)->names[i], name))
				return *b;
	return NULL;
}

/* Adds a backend to a list, if it is not there. */
static void add_backend(const struct kc_backend **list, const struct kc_backend *backend)
{
	while (*list && *list != backend)
		list++;
	*list = backend;
}

static void add_all_backends(const struct kc_backend **list)
{
	for (const struct kc_backend *const *b = kc_backends; *b; b++)
		add_backend(list, *b);
}

/* A list without any known word changes nothing. */
static void set_backends(struct kc_config *config, const char *key, const char *list)
{
	const struct kc_backend *found[KC_MAX_BACKENDS + 1] = { NULL };
	char word[KC_WORD_SIZE];

	while (kc_list_next(&list, word, sizeof(word))) {
		const struct kc_backend *backend = kc_backend_named(word);

		if (backend) {
			add_backend(found, backend);
		} else if (kc_word_is(word, "auto")) {
			add_all_backends(found);
		} else {
			struct kc_problem *problem = kc_complain(config, KC_BAD_VALUE, key, word);

			for (const struct kc_backend *const *b = kc_backends; *b; b++)
				kc_suggest(problem, (*b)->names[0]);
			kc_suggest(problem, "auto");
		}
	}
	if (found[0])
		memcpy(config->backend, found, sizeof(found));
}

/* @key comes from kc_config_each_driver_key(), so it ends in an algorithm of the table. */
static void set_driver(struct kc_config *config, const char *key, const char *value)
{
	const char *name = key + strlen("driver.");
	struct kc_config_row *row = &config->row[kc_alg_find(name) - kc_algs];

	if (strlen(value) >= sizeof(row->driver))
		kc_complain(config, KC_BAD_VALUE, key, value);
	else
		copy_text(row->driver, value);
}

#define AT(member) .at = offsetof(struct kc_config, member)

/* The digits are those of enum kc_admit; the words after them have the same order. */
#define SOFT_DRIVERS AT(admit), .words = { "0", "1", "2", "no", "yes" }, .values = 3

static const struct key keys[] = {
	{ "ciphers", .set = kc_list_set },
	{ "digests", .set = kc_list_set },
	{ "macs", .set = kc_list_set },
	{ "soft_drivers", SOFT_DRIVERS },
	{ "use_softdrivers", SOFT_DRIVERS },
	{ "max_request", AT(max_request), .min = KC_MAX_BLOCK, .max = KC_MAX_REQUEST,
	  .unit = KC_MAX_BLOCK },
	{ "max_sessions", AT(max_sessions), .max = MAX_SESSIONS, .unit = 1 },
	{ "verify", AT(verify), .max = MAX_VERIFY, .unit = 1 },
	{ "seccomp", AT(trusts_seccomp), .words = { "avoid", "trust" }, .values = 2 },
	{ "backends", .set = set_backends },
	{ "policy", AT(rule), .words = { "auto", "threshold", "always", "never" }, .values = 4 },
	{ "prefer", AT(prefer), .words = { "throughput", "cpu" }, .values = 2 },
	{ "tune_file", .set = set_tune_file },
	{ "stats", AT(stats), .words = { "0", "1", "no", "yes" }, .values = 2 },
	/* of a provider's section */
	{ "identity" },
	{ "module" },
	{ "activate" },
	{ "soft_load" },
	{ "path" }, /* of a configuration module; one section may serve both */
	/* of an engine's section, which may be moved here unchanged */
	{ "default_algorithms" },
	{ "engine_id" },
	{ "dynamic_path" },
	{ "init" },
	/* the last one, followed by each name of each algorithm */
	{ "driver.", .set = set_driver },
};

#define DRIVER_KEY (ARRAY_SIZE(keys) - 1)

void kc_config_init(struct kc_config *config)
{
	/* n_problems tells which problems are valid. */
	memset(config, 0, offsetof(struct kc_config, problems));
	config->admit = KC_ADMIT_HARDWARE;
	config->max_request = KC_MAX_REQUEST;
	config->max_sessions = DEFAULT_SESSIONS;
	copy_text(config->tune_file, KC_TUNE_FILE);
	add_all_backends(config->backend);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		config->row[i].on = kc_algs[i].kind <= KC_AEAD && !kc_algs[i].named_only;
		config->row[i].threshold = KC_THRESHOLD_MEASURED;
	}
}

/* Writes a key's name as it is, and in the other case. */
static void spell(const char *name, char *as_is, char *other, char (*change)(char c))
{
	size_t n = 0;

	for (; name[n]; n++) {
		as_is[n] = name[n];
		other[n] = change(name[n]);
	}
	as_is[n] = other[n] = '\0';
}

/* OpenSSL's own keys have only a name. */
static bool is_own_key(const struct key *key)
{
	bool has_value = key->words[0][0] || key->max;

	return has_value || key->set;
}

/* A key's other spelling is in upper case, an algorithm's in lower case. */
void kc_config_each_key(kc_key_fn *f, void *arg)
{
	char key[KC_KEY_SIZE], other[KC_KEY_SIZE];

	for (size_t i = 0; i < DRIVER_KEY; i++) {
		spell(keys[i].name, key, other, kc_upper);
		f(arg, key, i);
		if (is_own_key(&keys[i]))
			f(arg, other, i);
	}
}

void kc_config_each_driver_key(const struct kc_config *config, kc_key_fn *f, void *arg)
{
	char key[KC_KEY_SIZE], other[KC_KEY_SIZE];
	char *name = copy_text(key, keys[DRIVER_KEY].name), *other_name = copy_text(other, key);

	for (size_t row = 0; row < KC_ALG_COUNT; row++) {
		const char *own = kc_algs[row].names;

		if (config && !config->row[row].on)
			continue;
		for (; *own; own = kc_name_after(own)) {
			spell(own, name, other_name, kc_lower);
			f(arg, key, DRIVER_KEY);
			f(arg, other, DRIVER_KEY);
		}
	}
}

void kc_config_take(struct kc_config *config, const char *key, size_t number, const char *value)
{
	const struct key *known = &keys[number];

	if (!value[strspn(value, KC_SEPARATORS)])
		kc_complain(config, KC_EMPTY, key, value);
	else if (known->words[0][0])
		set_word(config, known, key, value);
	else if (known->max)
		set_number(config, known, key, value);
	else if (known->set)
		known->set(config, key, value);
}

struct search {
	const char *key;
	size_t number; /* SIZE_MAX: not found */
};

static void compare_key(void *arg, const char *key, size_t number)
{
	struct search *search = arg;

	if (strcmp(search->key, key) == 0)
		search->number = number;
}

static void suggest_key(void *problem, const char *key, size_t number)
{
	(void)number;
	kc_suggest(problem, key);
}

static size_t number_of_key(const char *key)
{
	struct search search = { key, SIZE_MAX };

	kc_config_each_key(compare_key, &search);
	kc_config_each_driver_key(NULL, compare_key, &search);
	return search.number;
}

bool kc_config_knows(const char *key)
{
	return number_of_key(key) != SIZE_MAX;
}

void kc_config_set(struct kc_config *config, const char *key, const char *value)
{
	size_t number = number_of_key(key);
	struct kc_problem *problem;

	if (number != SIZE_MAX) {
		kc_config_take(config, key, number, value);
		return;
	}
	problem = kc_complain(config, KC_UNKNOWN_KEY, key, key);
	kc_config_each_key(suggest_key, problem);
	kc_config_each_driver_key(NULL, suggest_key, problem);
}
