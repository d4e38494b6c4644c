/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every spelling of every key with every kind of wrong value, before and after a right value.
 * config_test tests the meaning of right values.
 */
#include "unit/check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/backend.h"
#include "policy/config.h"

#define HUGE_NUMBER "340282366920938463463374607431768211456"

enum kind { EMPTY, BLANK, NEGATIVE, HUGE, WORD, UNKNOWN, BINARY, LONG, KINDS };

static char longest[100000];

static const char *const values[KINDS] = {
	[EMPTY] = "",
	[BLANK] = " \t,\r\n",
	[NEGATIVE] = "-1",
	[HUGE] = HUGE_NUMBER,
	[WORD] = "sixteen",
	[UNKNOWN] = "AES-512-XYZ",
	[BINARY] = "\x01\x80\x7f\xff%n",
	[LONG] = longest,
};

/* The result for each kind of value; KC_OK: accepted. */
struct class
{
	const char *key; /* in lower case; "" represents all others */
	const char *right;
	enum kc_reason reason[KINDS];
};

#define ALL_NULL KC_EMPTY, KC_EMPTY
#define REST(r)	 r, r, r, r, r, r
#define SIZE                                                                                       \
	ALL_NULL, KC_OUT_OF_RANGE, KC_OUT_OF_RANGE, KC_BAD_NUMBER, KC_BAD_NUMBER, KC_BAD_NUMBER,   \
		KC_BAD_NUMBER

static const struct class classes[] = {
	{ "ciphers", "AES-256-CTR:77", { ALL_NULL, REST(KC_UNKNOWN_ALGORITHM) } },
	{ "digests", "NONE", { ALL_NULL, REST(KC_UNKNOWN_ALGORITHM) } },
	{ "macs", "NONE", { ALL_NULL, REST(KC_UNKNOWN_ALGORITHM) } },
	{ "soft_drivers", "2", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "use_softdrivers", "1", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "max_request", "128", { SIZE } },
	{ "max_sessions", "3", { SIZE } },
	{ "verify", "7", { SIZE } },
	{ "seccomp", "trust", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "policy", "threshold", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "prefer", "cpu", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "tune_file", "/a/file", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "stats", "yes", { ALL_NULL, REST(KC_BAD_VALUE) } },
	{ "backends", "stand-in", { ALL_NULL, REST(KC_BAD_VALUE) } },
	/* A driver may have any name that fits; only the kernel can tell whether it exists. */
	{ "driver.", "mv-cbc-aes", { ALL_NULL, KC_OK, KC_OK, KC_OK, KC_OK, KC_OK, KC_BAD_VALUE } },
	/* OpenSSL's own keys: kcrypto ignores them, but an empty key is a mistake all the same. */
	{ "", "1", { ALL_NULL, REST(KC_OK) } },
};

static const struct class *class_of(const char *key)
{
	char low[KC_WORD_SIZE] = "";
	const struct class *c = classes;

	for (size_t i = 0; key[i]; i++)
		low[i] = (char)tolower((unsigned char)key[i]);
	if (strncmp(low, "driver.", 7) == 0)
		low[7] = '\0';
	while (c->key[0] && strcmp(c->key, low) != 0)
		c++;
	return c;
}

static void assert_same_values(const struct kc_config *a, const struct kc_config *b)
{
	assert_int_equal(a->admit, b->admit);
	assert_int_equal(a->max_request, b->max_request);
	assert_int_equal(a->max_sessions, b->max_sessions);
	assert_int_equal(a->verify, b->verify);
	assert_int_equal(a->trusts_seccomp, b->trusts_seccomp);
	assert_int_equal(a->rule, b->rule);
	assert_int_equal(a->prefer, b->prefer);
	assert_string_equal(a->tune_file, b->tune_file);
	assert_int_equal(a->stats, b->stats);
	assert_memory_equal(a->backend, b->backend, sizeof(a->backend));
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		assert_int_equal(a->row[i].on, b->row[i].on);
		assert_true(a->row[i].threshold == b->row[i].threshold);
		assert_string_equal(a->row[i].driver, b->row[i].driver);
	}
}

static void assert_problem(const struct kc_config *config, enum kc_reason reason, const char *key)
{
	assert_int_equal(config->n_problems, reason != KC_OK);
	if (reason == KC_OK)
		return;
	assert_int_equal(config->problems[0].reason, reason);
	assert_string_equal(config->problems[0].key, key);
}

/* The result of a list without known words: nothing is on, because nothing was listed. */
static void list_nothing(struct kc_config *config, const char *key)
{
	bool is_ciphers = strcasecmp(key, "ciphers") == 0;
	bool is_digests = strcasecmp(key, "digests") == 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		bool is_meant = kc_algs[i].kind <= KC_AEAD ?
					is_ciphers :
					(kc_algs[i].kind == KC_DIGEST) == is_digests && !is_ciphers;

		if (!is_meant)
			continue;
		config->row[i].on = false;
		config->row[i].threshold = KC_THRESHOLD_MEASURED;
	}
}

/* @before: the configuration before @value is added. */
static void check_value(const struct kc_config *before, const char *key, enum kind kind)
{
	const struct class *class = class_of(key);
	enum kc_reason reason = class->reason[kind];
	struct kc_config config = *before, expected = *before;

	kc_config_set(&config, key, values[kind]);
	assert_problem(&config, reason, key);
	if (reason == KC_UNKNOWN_ALGORITHM)
		list_nothing(&expected, key);
	if (reason == KC_OK && strcmp(class->key, "driver.") == 0) {
		const char *name = key + strlen("driver.");

		strcpy(expected.row[kc_alg_find(name) - kc_algs].driver, values[kind]);
	}
	assert_same_values(&config, &expected);
}

/* Checks one kind of value for a key. */
typedef void check_fn(const char *key, enum kind kind);

static unsigned n_keys;

static void check_key(void *arg, const char *key, size_t number)
{
	check_fn *const *check = arg;

	(void)number;
	n_keys++;
	for (int kind = 0; kind < KINDS; kind++)
		(*check)(key, (enum kind)kind);
}

static void for_each_key(check_fn *check)
{
	n_keys = 0;
	kc_config_each_key(check_key, &check);
	kc_config_each_driver_key(NULL, check_key, &check);
	assert_true(n_keys > KC_ALG_COUNT);
}

static void alone(const char *key, enum kind kind)
{
	struct kc_config config;

	kc_config_init(&config);
	check_value(&config, key, kind);
}

static void after_a_right_one(const char *key, enum kind kind)
{
	struct kc_config config;

	kc_config_init(&config);
	kc_config_set(&config, key, class_of(key)->right);
	assert_int_equal(config.n_problems, 0);
	check_value(&config, key, kind);
}

static void before_a_right_one(const char *key, enum kind kind)
{
	const char *right = class_of(key)->right;
	struct kc_config config, expected;

	kc_config_init(&expected);
	kc_config_set(&expected, key, right);
	kc_config_init(&config);
	kc_config_set(&config, key, values[kind]);
	kc_config_set(&config, key, right);
	assert_problem(&config, class_of(key)->reason[kind], key);
	assert_same_values(&config, &expected);
}

static void twice(const char *key, enum kind kind)
{
	struct kc_config config;
	enum kc_reason reason = class_of(key)->reason[kind];

	kc_config_init(&config);
	kc_config_set(&config, key, values[kind]);
	kc_config_set(&config, key, values[kind]);
	assert_int_equal(config.n_problems, reason == KC_OK ? 0 : 2);
}

/* Whether it is a key; SHA-1 and SHA1 are both names. */
static bool is_known(const char *key)
{
	return strncmp(key, "driver.", 7) == 0 && kc_alg_find(key + 7);
}

/*
 * A key that lacks every third letter is unknown and changes nothing, and a similar key is named.
 */
static void a_letter_short(const char *key, enum kind kind)
{
	/* Each key gets one kind of value, in rotation, as there are thousands of such keys. */
	if (strlen(key) % KINDS != kind)
		return;
	for (size_t i = strlen(key) % 3; key[i]; i += 3) {
		struct kc_config config, expected;
		char wrong[KC_WORD_SIZE];

		snprintf(wrong, sizeof(wrong), "%.*s%s", (int)i, key, key + i + 1);
		if (is_known(wrong))
			continue;
		kc_config_init(&expected);
		kc_config_init(&config);
		kc_config_set(&config, wrong, values[kind]);
		assert_problem(&config, KC_UNKNOWN_KEY, wrong);
		assert_true(config.problems[0].nearest[0]);
		assert_same_values(&config, &expected);
	}
}

TEST(a_wrong_value_leaves_the_default_and_is_named)
{
	for_each_key(alone);
}

TEST(a_wrong_value_leaves_the_right_one_before_it)
{
	for_each_key(after_a_right_one);
}

TEST(a_right_value_after_a_wrong_one_counts)
{
	for_each_key(before_a_right_one);
}

TEST(a_wrong_value_given_twice_is_named_twice)
{
	for_each_key(twice);
}

TEST(a_key_that_lacks_a_letter_is_unknown_with_any_value)
{
	for_each_key(a_letter_short);
}

int main(int argc, char **argv)
{
	memset(longest, 'x', sizeof(longest) - 1);
	return check_main(argc, argv);
}
