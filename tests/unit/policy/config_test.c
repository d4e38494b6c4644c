/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: what is accepted, what becomes a problem, and that the other values always
 * count. config_value_test has each kind of wrong value for each key.
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policy/config.h"

#define TAKE_WORDS  "ciphers:digests:macs:backends:seccomp:policy:prefer:tune_file" /* no numbers */
#define HUGE_NUMBER "99999999999999999999999"
/* A few ciphers represent all. */
#define WATCHED	    "AES-128-CBC:AES-192-CBC:AES-256-CBC:AES-128-CTR:AES-128-ECB:DES-EDE3-CBC:DES-CBC"
#define ALL_BUT_ECB "AES-128-CBC AES-192-CBC AES-256-CBC AES-128-CTR DES-EDE3-CBC DES-CBC "

/* In the order of the struct. */
#define CASE(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* A list and its expected result. */
struct list_case {
	const char *value;
	const char *on;	       /* the rows that are on, with thresholds that are fixed */
	enum kc_reason reason; /* of the only problem; KC_OK: no problem */
	const char *word, *nearest;
	const char *key; /* NULL: "ciphers" */
};

static const struct kc_config_row *row_of(const struct kc_config *config, const char *name)
{
	const struct kc_alg *alg = kc_alg_find(name);

	assert_non_null(alg);
	return &config->row[alg - kc_algs];
}

static struct kc_config config_with(const char *key, const char *value)
{
	struct kc_config config;

	kc_config_init(&config);
	kc_config_set(&config, key, value);
	return config;
}

/* Compares the rows of the watched ciphers, and those of digests and MACs. */
static void check_rows(const struct kc_config *config, const char *on)
{
	char text[1024] = "";
	int n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const char *name = kc_alg_name(&kc_algs[i]);

		if (!config->row[i].on ||
		    (kc_algs[i].kind <= KC_AEAD && !kc_names_have(WATCHED, name)))
			continue;
		n += sprintf(text + n, "%s", name);
		if (config->row[i].threshold != KC_THRESHOLD_MEASURED)
			n += sprintf(text + n, ":%zu", config->row[i].threshold);
		n += sprintf(text + n, " ");
	}
	assert_string_equal(text, on);
}

static void check_problem(const struct kc_config *config, enum kc_reason reason, const char *word,
			  const char *nearest)
{
	if (reason == KC_OK) {
		assert_int_equal(config->n_problems, 0);
		return;
	}
	assert_int_equal(config->n_problems, 1);
	assert_string_equal(kc_reasons[config->problems[0].reason].word, kc_reasons[reason].word);
	assert_string_equal(config->problems[0].word, word ? word : "");
	assert_string_equal(config->problems[0].nearest, nearest ? nearest : "");
}

static void check_lists(const struct list_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *key = cases[i].key ? cases[i].key : "ciphers";
		struct kc_config config = config_with(key, cases[i].value);

		print_message("  %s = %s\n", key, cases[i].value);
		check_problem(&config, cases[i].reason, cases[i].word, cases[i].nearest);
		check_rows(&config, cases[i].on);
	}
}

#define CHECK_LISTS(cases) check_lists(cases, COUNT(cases))

TEST(without_a_key_the_defaults_hold)
{
	struct kc_config config;

	kc_config_init(&config);
	check_rows(&config, ALL_BUT_ECB);
	assert_int_equal(config.admit, KC_ADMIT_HARDWARE);
	assert_int_equal(config.max_request, 65536);
	assert_int_equal(config.max_sessions, 64);
	assert_int_equal(config.n_problems, 0);
	assert_string_equal(config.row[0].driver, "");
}

TEST(all_stands_for_every_row_that_need_not_be_named)
{
	static const char *const lists[] = { "ALL", "no_ecb", "NONE all", "" /* no change */ };

	for (size_t k = 0; k < COUNT(lists); k++) {
		struct kc_config config = config_with("ciphers", lists[k]);

		for (size_t i = 0; i < KC_ALG_COUNT; i++)
			assert_int_equal(config.row[i].on,
					 kc_algs[i].kind <= KC_AEAD && !kc_algs[i].named_only);
	}
}

TEST(the_lists_of_earlier_plugins_mean_what_they_meant)
{
	static const struct list_case cases[] = {
		{ "aes-128-cbc aes-192-cbc aes-256-cbc des-ede3-cbc",
		  "AES-128-CBC AES-192-CBC AES-256-CBC DES-EDE3-CBC " },
		{ "AES-128-CBC:1024, AES-256-CBC:768, DES-EDE3-CBC:0",
		  "AES-128-CBC:1024 AES-256-CBC:768 DES-EDE3-CBC:0 " },
		{ "ALL", ALL_BUT_ECB },
		{ "NO_ECB", ALL_BUT_ECB },
		{ "none", "" },
		{ "aes-128-cbc aes-192-cbc aes-256-cbc des-cbc des-ede3-cbc",
		  "AES-128-CBC AES-192-CBC AES-256-CBC DES-EDE3-CBC DES-CBC " },
	};

	CHECK_LISTS(cases);
}

TEST(separators_case_and_aliases_may_be_mixed)
{
	static const struct list_case cases[] = {
		{ " ,aes128 :5\t, Aes-128-Ctr ,,des3: 0,\n aes256 : 7",
		  "AES-128-CBC:5 AES-256-CBC:7 AES-128-CTR DES-EDE3-CBC:0 " },
		{ "aLL aes-128-ecb:0",
		  "AES-128-CBC AES-192-CBC AES-256-CBC AES-128-CTR AES-128-ECB:0 DES-EDE3-CBC "
		  "DES-CBC " },
		{ "ALL:512 AES-128-CBC:1024",
		  "AES-128-CBC:1024 AES-192-CBC:512 AES-256-CBC:512 AES-128-CTR:512 "
		  "DES-EDE3-CBC:512 DES-CBC:512 " },
		{ "AES-128-CBC:1024 all",
		  "AES-128-CBC:1024 AES-192-CBC AES-256-CBC AES-128-CTR DES-EDE3-CBC "
		  "DES-CBC " },
		{ "ALL NONE aes256", "AES-256-CBC " },
	};

	CHECK_LISTS(cases);
}

TEST(a_bad_threshold_leaves_the_cipher_on_and_measured)
{
	static const struct list_case cases[] = {
		{ "AES128:-1", "AES-128-CBC " },
		{ "AES128:-" HUGE_NUMBER, "AES-128-CBC " },
		{ "AES128:00100", "AES-128-CBC:100 " },
		{ "AES128:abc", "AES-128-CBC ", KC_BAD_NUMBER, "AES128:abc" },
		{ "AES128:", "AES-128-CBC ", KC_BAD_NUMBER, "AES128:" },
		{ "AES128:10k", "AES-128-CBC ", KC_BAD_NUMBER, "AES128:10k" },
		{ "AES128:+1", "AES-128-CBC ", KC_BAD_NUMBER, "AES128:+1" },
		{ "AES128:" HUGE_NUMBER, "AES-128-CBC ", KC_OUT_OF_RANGE, "AES128:" HUGE_NUMBER },
		{ "AES128:1:2", "AES-128-CBC ", KC_BAD_NUMBER, "AES128:1:2" },
	};

	CHECK_LISTS(cases);
}

TEST(the_largest_threshold_is_one_below_measured)
{
	char value[64];
	struct kc_config config;

	snprintf(value, sizeof(value), "AES128:%zu", SIZE_MAX - 1);
	config = config_with("ciphers", value);
	assert_int_equal(config.n_problems, 0);
	assert_true(row_of(&config, "AES128")->threshold == SIZE_MAX - 1);
	snprintf(value, sizeof(value), "AES128:%zu", SIZE_MAX);
	config = config_with("ciphers", value);
	assert_int_equal(config.n_problems, 1);
}

TEST(an_unknown_word_is_named_and_the_rest_of_the_list_works)
{
	static const struct list_case cases[] = {
		{ "AES-218-CBC, AES-256-CBC:768", "AES-256-CBC:768 ", KC_UNKNOWN_ALGORITHM,
		  "AES-218-CBC", "AES-128-CBC" },
		{ "aes_256_ctr:5", "", KC_UNKNOWN_ALGORITHM, "aes_256_ctr", "AES-256-CTR" },
		{ "AES-1228-CBC", "", KC_UNKNOWN_ALGORITHM, "AES-1228-CBC", "AES-128-CBC" },
		{ "NO-ECB", "", KC_UNKNOWN_ALGORITHM, "NO-ECB", "NO_ECB" },
		{ "AESS-EDE3-CBCC", "", KC_UNKNOWN_ALGORITHM, "AESS-EDE3-CBCC", "DES-EDE3-CBC" },
		{ "AESXXX-EDE3-CBC", "", KC_UNKNOWN_ALGORITHM, "AESXXX-EDE3-CBC" },
		{ ":5", "", KC_UNKNOWN_ALGORITHM },
		{ "\xff\001ES\177.128", "", KC_UNKNOWN_ALGORITHM, "??ES?.128" },
		{ "RC4", "", KC_UNKNOWN_ALGORITHM, "RC4" },
	};

	CHECK_LISTS(cases);
}

#define HASHES(k, v, o, ...) CASE(v, ALL_BUT_ECB o, __VA_ARGS__, .key = k)

TEST(digests_and_macs_are_off_until_listed)
{
	static const struct list_case cases[] = {
		HASHES("DIGESTS", "md4 md5 sha1 sha224 sha256 sha384 sha512",
		       "MD4 MD5 SHA1 SHA224 SHA256 SHA384 SHA512 ", KC_OK),
		HASHES("DIGESTS", "NONE", "", KC_OK),
		HASHES("DIGESTS", "SHA2-256:1000, rmd160, SHA-1:-1", "SHA1 SHA256:1000 RIPEMD160 ",
		       KC_OK),
		HASHES("digests", "md2 sha256", "SHA256 ", KC_UNKNOWN_ALGORITHM, "md2", "MD4"),
		HASHES("digests", "HMAC-SHA256", "", KC_WRONG_LIST, "HMAC-SHA256", "macs"),
		HASHES("digests", "AES-128-CBC", "", KC_WRONG_LIST, "AES-128-CBC", "ciphers"),
		HASHES("CIPHERS", "SHA256 NO_ECB", "", KC_WRONG_LIST, "SHA256", "digests"),
		HASHES("macs", "hmac-sha256:0 CMAC-AES-128", "HMAC-SHA256:0 CMAC-AES-128 ", KC_OK),
		HASHES("MACS", "SHA3-256", "", KC_WRONG_LIST, "SHA3-256", "digests"),
	};

	CHECK_LISTS(cases);
}

TEST(all_digests_are_each_of_the_table_of_that_kind)
{
	struct kc_config config = config_with("digests", "ALL");

	assert_int_equal(config.n_problems, 0);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_algs[i].kind > KC_AEAD)
			assert_int_equal(config.row[i].on, kc_algs[i].kind == KC_DIGEST);
}

/* A key with a value, and the expected configuration. */
struct value_case {
	const char *key, *value;
	enum kc_admit admit;
	size_t max_request;
	unsigned max_sessions, verify;
	enum kc_reason reason;
	const char *word, *nearest;
};

#define SOFT(k, v, a, ...)  CASE(k, v, a, 65536, 64, 0, __VA_ARGS__)
#define REQUEST(v, n, ...)  CASE("max_request", v, KC_ADMIT_HARDWARE, n, 64, 0, __VA_ARGS__)
#define SESSIONS(v, n, ...) CASE("max_sessions", v, KC_ADMIT_HARDWARE, 65536, n, 0, __VA_ARGS__)
#define VERIFY(v, n, ...)   CASE("verify", v, KC_ADMIT_HARDWARE, 65536, 64, n, __VA_ARGS__)
#define INERT(k, v, ...)    CASE(k, v, KC_ADMIT_HARDWARE, 65536, 64, 0, __VA_ARGS__)

static const struct value_case value_cases[] = {
	SOFT("soft_drivers", "0", KC_ADMIT_HARDWARE, KC_OK),
	SOFT("soft_drivers", "1", KC_ADMIT_ALL, KC_OK),
	SOFT("USE_SOFTDRIVERS", "2", KC_ADMIT_UNKNOWN, KC_OK),
	SOFT("use_softdrivers", "yes", KC_ADMIT_ALL, KC_OK),
	SOFT("SOFT_DRIVERS", "No", KC_ADMIT_HARDWARE, KC_OK),
	SOFT("soft_drivers", "3", KC_ADMIT_HARDWARE, KC_BAD_VALUE, "3"),
	SOFT("soft_drivers", "01", KC_ADMIT_HARDWARE, KC_BAD_VALUE, "01"),
	SOFT("soft_drivers", "yse", KC_ADMIT_HARDWARE, KC_BAD_VALUE, "yse", "yes"),

	REQUEST("64", 64, KC_OK),
	REQUEST("4095", 4032, KC_OK),
	REQUEST("65536", 65536, KC_OK),
	REQUEST("65537", 65536, KC_OUT_OF_RANGE, "65537"), /* wrong values change nothing */
	REQUEST("63", 65536, KC_OUT_OF_RANGE, "63"),
	REQUEST("0", 65536, KC_OUT_OF_RANGE, "0"),
	REQUEST("64k", 65536, KC_BAD_NUMBER, "64k"),

	SESSIONS("0", 0, KC_OK),
	SESSIONS("1000", 1000, KC_OK),
	SESSIONS("65536", 65536, KC_OK),
	SESSIONS("65537", 64, KC_OUT_OF_RANGE, "65537"),
	SESSIONS("-", 64, KC_BAD_NUMBER, "-"),
	SESSIONS("1\xff", 64, KC_BAD_NUMBER, "1?"),

	VERIFY("0", 0, KC_OK),
	VERIFY("1", 1, KC_OK),
	VERIFY("1000000", 1000000, KC_OK),
	VERIFY("1000001", 0, KC_OUT_OF_RANGE, "1000001"),

	INERT("DIGESTS", "none", KC_OK),

	INERT("CIPHER", "ALL", KC_UNKNOWN_KEY, "CIPHER", "ciphers"),
	INERT("max_reqeust", "16", KC_UNKNOWN_KEY, "max_reqeust", "max_request"),
	INERT("drivers.AES-128-CBC", "x", KC_UNKNOWN_KEY, "drivers.AES-128-CBC",
	      "driver.AES-128-CBC"),
	INERT("driver", "x", KC_UNKNOWN_KEY, "driver"),
	INERT("threads", "4", KC_UNKNOWN_KEY, "threads"),
	INERT("max_request.x", "16", KC_UNKNOWN_KEY, "max_request.x", "max_request"),
	INERT("", "", KC_UNKNOWN_KEY, ""),
	INERT("\xc3\xa9", "x", KC_UNKNOWN_KEY, "??"),
	INERT("driver.", "x", KC_UNKNOWN_KEY, "driver.", "driver.BF"),
	INERT("driver.BF-CFB64", "x", KC_UNKNOWN_KEY, "driver.BF-CFB64", "driver.BF-CBC"),
	INERT("driver.aes-218-cbc", "x", KC_UNKNOWN_KEY, "driver.aes-218-cbc",
	      "driver.AES-128-CBC"),
	INERT("ACTIVATE", "1", KC_UNKNOWN_KEY, "ACTIVATE", "activate"),
	/* OpenSSL never passes on such a spelling, so the provider cannot ask for it. */
	INERT("Ciphers", "NONE", KC_UNKNOWN_KEY, "Ciphers", "ciphers"),
	INERT("DRIVER.AES-128-CBC", "x", KC_UNKNOWN_KEY, "DRIVER.AES-128-CBC",
	      "driver.AES-128-CBC"),
	INERT("driver.Aes256", "x", KC_UNKNOWN_KEY, "driver.Aes256", "driver.AES256"),
	INERT(" ciphers", "NONE", KC_UNKNOWN_KEY, " ciphers", "ciphers"),
};

TEST(each_value_is_taken_or_named)
{
	for (size_t i = 0; i < COUNT(value_cases); i++) {
		const struct value_case *c = &value_cases[i];
		struct kc_config config = config_with(c->key, c->value);

		print_message("  value case %zu\n", i);
		check_problem(&config, c->reason, c->word, c->nearest);
		assert_int_equal(config.admit, c->admit);
		assert_int_equal(config.max_request, c->max_request);
		assert_int_equal(config.max_sessions, c->max_sessions);
		assert_int_equal(config.verify, c->verify);
	}
}

TEST(a_key_given_twice_counts_as_it_stands_last)
{
	struct kc_config config = config_with("soft_drivers", "1");

	kc_config_set(&config, "CIPHERS", "AES-128-CBC:5 AES-256-CBC:6");
	kc_config_set(&config, "ciphers", "AES-256-CBC");
	check_rows(&config, "AES-256-CBC ");
	kc_config_set(&config, "USE_SOFTDRIVERS", "2");
	kc_config_set(&config, "max_request", "64");
	kc_config_set(&config, "MAX_REQUEST", "128");
	kc_config_set(&config, "max_sessions", "1");
	kc_config_set(&config, "max_sessions", "2");
	kc_config_set(&config, "driver.AES128", "one");
	kc_config_set(&config, "driver.aes-128-cbc", "two");
	assert_int_equal(config.n_problems, 0);
	assert_int_equal(config.admit, KC_ADMIT_UNKNOWN);
	assert_int_equal(config.max_request, 128);
	assert_int_equal(config.max_sessions, 2);
	assert_string_equal(row_of(&config, "AES128")->driver, "two");
}

TEST(a_driver_is_named_per_algorithm)
{
	static const struct {
		const char *value, *driver;
		enum kc_reason reason;
	} cases[] = {
		{ "cbc(aes-eip93)", "cbc(aes-eip93)", KC_OK },
		{ "123456789012345678901234567890123456789012345678901234567890123",
		  "123456789012345678901234567890123456789012345678901234567890123", KC_OK },
		{ "1234567890123456789012345678901234567890123456789012345678901234", "",
		  KC_BAD_VALUE },
		{ "", "", KC_EMPTY },
		{ "-1", "-1", KC_OK },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kc_config config = config_with("driver.aes256", cases[i].value);

		assert_int_equal(config.n_problems, cases[i].reason != KC_OK);
		if (config.n_problems)
			assert_int_equal(config.problems[0].reason, cases[i].reason);
		assert_string_equal(row_of(&config, "AES-256-CBC")->driver, cases[i].driver);
		assert_string_equal(row_of(&config, "AES-128-CBC")->driver, "");
	}
}

TEST(a_word_too_long_to_keep_is_cut)
{
	char word[4096];
	struct kc_config config;

	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	config = config_with(word, word);
	kc_config_set(&config, "ciphers", word);
	kc_config_set(&config, "max_request", word);
	assert_int_equal(config.n_problems, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(strlen(config.problems[i].word), KC_WORD_SIZE - 1);
		assert_string_equal(config.problems[i].nearest, "");
	}
}

TEST(more_problems_than_fit_are_dropped)
{
	struct kc_config config;

	kc_config_init(&config);
	for (int i = 0; i < 3 * KC_MAX_PROBLEMS; i++)
		kc_config_set(&config, "max_request", i < KC_MAX_PROBLEMS ? "x" : "y");
	assert_int_equal(config.n_problems, KC_MAX_PROBLEMS);
	for (int i = 0; i < KC_MAX_PROBLEMS; i++)
		assert_string_equal(config.problems[i].word, "x");
}

TEST(a_problem_names_the_key_as_it_was_written)
{
	struct kc_config config = config_with("ci\xffphers", "ALL");

	assert_string_equal(config.problems[0].key, "ci?phers");
	assert_string_equal(config.problems[0].nearest, "ciphers");
}

static void check_key(void *arg, const char *key, size_t number)
{
	struct kc_config config = config_with(key, "1");
	bool has_words = kc_names_have(TAKE_WORDS, key);

	(void)arg, (void)number;
	assert_true(kc_config_knows(key));
	/* Each of the other keys accepts 1, except max_request. */
	if (!has_words && strcasecmp(key, "max_request") != 0)
		assert_int_equal(config.n_problems, 0);
	if (config.n_problems)
		assert_int_not_equal(config.problems[0].reason, KC_UNKNOWN_KEY);
}

TEST(every_key_that_can_be_asked_for_is_known)
{
	char must_be_there[] =
		"ciphers:CIPHERS:digests:DIGESTS:soft_drivers:USE_SOFTDRIVERS:max_request:"
		"max_sessions:verify:BACKENDS:driver.AES-128-CBC:driver.aes128:driver.DES3:"
		"driver.des-ede3-cbc:driver.AES-256-ECB:identity:init:default_algorithms:"
		"module:activate:soft_load:engine_id:dynamic_path";
	char must_not[] = "cipher:Ciphers:driver.:driver.Aes128:DRIVER.AES128:driver.x:IDENTITY";
	char *there = must_be_there, *not = must_not, *name;

	kc_config_each_key(check_key, NULL);
	kc_config_each_driver_key(NULL, check_key, NULL);
	while ((name = strsep(&there, ":")))
		assert_true(kc_config_knows(name));
	while ((name = strsep(&not, ":")))
		assert_false(kc_config_knows(name));
}

TEST(every_reason_has_a_word_and_a_text)
{
	for (size_t i = 0; i < KC_REASON_COUNT; i++) {
		assert_non_null(kc_reasons[i].word);
		assert_non_null(kc_reasons[i].text);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(kc_reasons[i].word, kc_reasons[j].word);
	}
}
