/* SPDX-License-Identifier: Apache-2.0 */
/* The keys digests and macs, and what follows where a backend has to be asked for by name. */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include "policy/config.h"
#include "policy/config_keys.h"
#include "policy/policy.h"
#include "standin/standin.h"

static const struct {
	const char *key, *value;
	const char *on; /* digests and MACs */
	enum kc_reason reason;
	const char *word, *nearest;
} cases[] = {
	{ "DIGESTS", "md4 md5 sha1 sha224 sha256 sha384 sha512",
	  "MD4 MD5 SHA1 SHA224 SHA256 SHA384 SHA512 " },
	{ "DIGESTS", "NONE", "" },
	{ "DIGESTS", "SHA2-256:1000, rmd160, SHA-1:-1", "SHA1 SHA256:1000 RIPEMD160 " },
	{ "digests", "md2 sha256", "SHA256 ", KC_UNKNOWN_ALGORITHM, "md2", "MD4" },
	{ "digests", "HMAC-SHA256", "", KC_WRONG_LIST, "HMAC-SHA256", "macs" },
	{ "digests", "AES-128-CBC", "", KC_WRONG_LIST, "AES-128-CBC", "ciphers" },
	{ "CIPHERS", "SHA256 NO_ECB", "", KC_WRONG_LIST, "SHA256", "digests" },
	{ "macs", "hmac-sha256:0 CMAC-AES-128", "HMAC-SHA256:0 CMAC-AES-128 " },
	{ "MACS", "SHA3-256", "", KC_WRONG_LIST, "SHA3-256", "digests" },
};

static void list(const struct kc_config *config, char *text)
{
	*text = '\0';
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		char name[KC_ALG_NAME_SIZE];

		if (!config->row[i].on || kc_algs[i].kind <= KC_AEAD)
			continue;
		text += sprintf(text, "%s", kc_alg_name(&kc_algs[i], name, sizeof(name)));
		if (config->row[i].threshold != KC_THRESHOLD_MEASURED)
			text += sprintf(text, ":%zu", config->row[i].threshold);
		text += sprintf(text, " ");
	}
}

TEST(they_are_off_until_listed)
{
	struct kc_config config;
	char on[2048];

	kc_config_init(&config);
	list(&config, on);
	assert_string_equal(on, "");
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s = %s\n", cases[i].key, cases[i].value);
		kc_config_init(&config);
		kc_config_set(&config, cases[i].key, cases[i].value);
		list(&config, on);
		assert_string_equal(on, cases[i].on);
		assert_int_equal(config.n_problems, cases[i].reason != KC_OK);
		if (cases[i].reason == KC_OK)
			continue;
		assert_int_equal(config.problems[0].reason, cases[i].reason);
		assert_string_equal(config.problems[0].word, cases[i].word);
		assert_string_equal(config.problems[0].nearest, cases[i].nearest);
	}
}

TEST(all_is_each_of_the_table_of_its_kind)
{
	struct kc_config config;

	kc_config_init(&config);
	kc_config_set(&config, "digests", "ALL");
	assert_int_equal(config.n_problems, 0);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_algs[i].kind > KC_AEAD)
			assert_int_equal(config.row[i].on, kc_algs[i].kind == KC_DIGEST);
}

static enum kc_reason reason_of(const char *value, enum kc_alg_id id, bool hashes_by_name)
{
	static struct kc_policy policy;
	struct kc_backend backend = *kc_backends[0];
	struct kc_drivers drivers = { .n = 0 };
	struct kc_config config;

	backend.hashes_by_name = hashes_by_name;
	kc_policy_free(&policy);
	kc_config_init(&config);
	kc_config_set(&config, "digests", value);
	standin_reset();
	standin_driver("sha256", "mv-sha256", 300, true);
	standin_driver("sha1", "mv-sha1", 300, true);
	drivers = standin.drivers;
	standin_reset();
	kc_policy_add(&policy, &config, &backend, &drivers);
	return policy.row[id]->reason;
}

TEST(a_way_that_may_crash_has_to_be_asked_for_by_name)
{
	assert_int_equal(reason_of("ALL", KC_ALG_SHA256, false), KC_OK);
	assert_int_equal(reason_of("ALL", KC_ALG_SHA256, true), KC_ONLY_BY_NAME);
	assert_int_equal(reason_of("ALL sha256", KC_ALG_SHA256, true), KC_OK);
	assert_int_equal(reason_of("ALL sha256", KC_ALG_SHA1, true), KC_ONLY_BY_NAME);
	assert_int_equal(reason_of("NONE", KC_ALG_SHA1, true), KC_NOT_LISTED);
	assert_int_equal(reason_of("sha512", KC_ALG_SHA512, true), KC_NO_DRIVER);
}
