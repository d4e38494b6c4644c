/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's ids: what each starts from, and what a list does to the one before it. */
#include "unit/check.h"

#include <string.h>

#include "engine/engine_ids.h"
#include "policy/config.h"

static bool is_on(const struct kc_config *config, const char *name)
{
	return config->row[kc_alg_find(name) - kc_algs].on;
}

static void check(const struct kc_config *config, bool cbc, bool ctr, bool ecb, bool sha256)
{
	assert_int_equal(is_on(config, "AES-128-CBC"), cbc);
	assert_int_equal(is_on(config, "AES-128-CTR"), ctr);
	assert_int_equal(is_on(config, "AES-128-ECB"), ecb);
	assert_int_equal(is_on(config, "SHA256"), sha256);
	assert_int_equal(config->n_problems, 0);
}

static void set(struct kc_config *config, const struct kc_id *id, const char *key,
		const char *value)
{
	kc_config_set(config, key, value);
	kc_id_keep(id, config);
}

TEST(a_list_replaces_the_one_before_it)
{
	const struct kc_id *id = kc_id_find("afalg");
	struct kc_config config;

	kc_id_init(id, &config);
	check(&config, true, true, false, false);
	set(&config, id, "CIPHERS", "aes-128-cbc");
	check(&config, true, false, false, false);
	set(&config, id, "CIPHERS", "aes-128-ctr");
	check(&config, false, true, false, false);
}

TEST(under_af_alg_it_adds_to_it_from_nothing_on)
{
	const struct kc_id *id = kc_id_find("af_alg");
	struct kc_config config;

	kc_id_init(id, &config);
	check(&config, false, false, false, false);
	set(&config, id, "CIPHERS", "aes-128-cbc:100");
	set(&config, id, "DIGESTS", "sha256");
	check(&config, true, false, false, true);
	set(&config, id, "CIPHERS", "aes-128-ecb");
	check(&config, true, false, true, true);
	assert_int_equal(config.row[KC_ALG_AES_128_CBC].threshold, 100);
	assert_true(config.row[KC_ALG_AES_128_CBC].is_named);
	set(&config, id, "CIPHERS", "NONE aes-128-ctr");
	check(&config, false, true, false, true);
	set(&config, id, "CIPHERS", "ALL");
	check(&config, true, true, false, true);
}

TEST(a_backend_stays_the_ids)
{
	const struct kc_id *id = kc_id_find("devcrypto");
	struct kc_config config;

	kc_id_init(id, &config);
	set(&config, id, "backends", "AF_ALG");
	assert_string_equal(config.backend[0]->names[0], "/dev/kcrypto");
	assert_string_equal(config.backend[1]->names[0], "/dev/crypto");
	assert_null(config.backend[2]);
}
