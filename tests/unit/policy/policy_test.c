/* SPDX-License-Identifier: Apache-2.0 */
/* Which driver is chosen, by which name it is bound, and the reason if none is chosen. */
#include "unit/check.h"

#include <errno.h>
#include <string.h>

#include "policy/policy.h"
#include "standin/standin.h"
#include "policy/config.h"

static struct kc_policy policy;

static void decide(const struct kc_config *config, const struct kc_backend *backend)
{
	kc_policy_free(&policy);
	kc_policy_add(&policy, config, backend, &standin.drivers, NULL);
}

struct faced {
	const char *what;
	struct {
		const char *driver;
		int priority;
		bool kdo;
	} driver[3];
	const char *soft, *named;
	int row;
	/* the result */
	const char *best, *bind;
	enum kc_reason reason;
};

/* In the order of the struct; the row is without its prefix. */
#define FACED(what, soft, named, row, best, bind, reason, ...)                                     \
	{                                                                                          \
		what, { __VA_ARGS__ }, soft, named, KC_ALG_##row, best, bind, reason               \
	}

static const struct faced cases[] = {
	FACED("CAAM wins by priority", "0", NULL, AES_128_CBC, "cbc-aes-caam", "cbc-aes-caam",
	      KC_OK, { "cbc-aes-caam", 3000, true }, { "cbc-aes-neonbs", 250, false }),
	FACED("virtio below AES instructions is bound by its own name", "0", NULL, AES_256_CBC,
	      "virtio_crypto_aes_cbc", "virtio_crypto_aes_cbc", KC_OK,
	      { "virtio_crypto_aes_cbc", 150, false }, { "cbc-aes-aesni", 400, false }),
	FACED("Geode does AES-128", "0", NULL, AES_128_CBC, "cbc-aes-geode", "cbc-aes-geode", KC_OK,
	      { "cbc-aes-geode", 400, true }, { "cbc(aes-generic)", 100, false }),
	FACED("Geode does AES-256 in software", "0", NULL, AES_256_CBC, "cbc-aes-geode", "",
	      KC_DRIVERS_SOFTWARE, { "cbc-aes-geode", 400, true }),
	FACED("software is not admitted", "0", NULL, AES_128_CBC, "cbc-aes-aesni", "",
	      KC_ONLY_SOFTWARE, { "cbc-aes-aesni", 400, false }),
	FACED("software that is admitted is the kernel's candidate", "1", NULL, AES_128_CBC,
	      "cbc-aes-aesni", "", KC_OK, { "cbc-aes-aesni", 400, false }),
	FACED("software that is admitted need not be listed", "1", NULL, AES_128_CBC, "", "", KC_OK,
	      { NULL, 0, false }),
	FACED("hardware goes before software of a higher priority", "1", NULL, AES_128_CBC,
	      "mv-cbc-aes", "mv-cbc-aes", KC_OK, { "cbc-aes-aesni", 400, false },
	      { "mv-cbc-aes", 300, true }),
	FACED("nothing is listed", "0", NULL, AES_128_CBC, "", "", KC_NO_DRIVER,
	      { NULL, 0, false }),
	FACED("a named driver is taken, whatever it is", "0", "cbc(aes-generic)", AES_128_CBC,
	      "cbc(aes-generic)", "cbc(aes-generic)", KC_OK, { "cbc-aes-aesni", 400, false },
	      { "cbc(aes-generic)", 100, false }),
	FACED("a named driver is absent", "0", "mv-cbc-eas", AES_128_CBC, "mv-cbc-aes",
	      "mv-cbc-aes", KC_NAMED_DRIVER_ABSENT, { "mv-cbc-aes", 300, true }),
	FACED("ECB is not listed by name", "0", NULL, AES_128_ECB, "", "", KC_NOT_LISTED,
	      { "mv-cbc-aes", 300, true }),
};

/* @ciphers: NULL for the default. */
static void face(struct kc_config *config, const struct faced *f, const char *ciphers)
{
	kc_config_init(config);
	kc_config_set(config, "tune_file", "none");
	kc_config_set(config, "soft_drivers", f->soft);
	if (ciphers)
		kc_config_set(config, "ciphers", ciphers);
	if (f->named)
		kc_config_set(config, "driver.AES-128-CBC", f->named);
	standin_reset();
	for (size_t i = 0; i < COUNT(f->driver) && f->driver[i].driver; i++)
		standin_driver("cbc(aes)", f->driver[i].driver, f->driver[i].priority,
			       f->driver[i].kdo);
}

static void assert_same_offers(const struct kc_policy *all, const struct kc_policy *offered)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *full = all->row[i], *c = offered->row[i];

		assert_int_equal(c != NULL, full->is_offered);
		if (!c)
			continue;
		assert_true(c->is_offered);
		assert_string_equal(c->driver, full->driver);
		assert_string_equal(kc_candidate_bind(c), kc_candidate_bind(full));
		assert_ptr_equal(c->alg, full->alg);
	}
}

TEST(what_is_offered_does_not_depend_on_what_else_is_kept)
{
	static const char *const ciphers[] = { "ALL", "AES-128-CBC", "AES-256-CBC", "NONE" };
	static struct kc_policy all, offered;
	struct kc_config config;

	for (size_t i = 0; i < COUNT(cases) * COUNT(ciphers); i++) {
		face(&config, &cases[i / COUNT(ciphers)], ciphers[i % COUNT(ciphers)]);
		kc_policy_load(&all, &config);
		config.offered_only = true;
		memset(&offered, 0xa5, sizeof(offered)); /* as malloc() may leave it */
		kc_policy_load(&offered, &config);
		assert_same_offers(&all, &offered);
		kc_policy_free(&all);
		kc_policy_free(&offered);
	}
}

TEST(the_right_driver_is_chosen_or_the_reason_told)
{
	struct kc_config config;

	for (const struct faced *f = cases; f < cases + COUNT(cases); f++) {
		const struct kc_candidate *c;

		print_message("  %s\n", f->what);
		face(&config, f, NULL);
		decide(&config, kc_backends[0]);
		c = policy.row[f->row];
		assert_string_equal(c->driver, f->best);
		assert_string_equal(kc_candidate_bind(c), f->bind);
		assert_int_equal(c->reason, f->reason);
		assert_int_equal(c->is_offered, f->reason == KC_OK);
	}
}

TEST(a_configured_threshold_is_kept_and_an_absent_one_starts_at_the_rows)
{
	struct kc_config config;

	kc_config_init(&config);
	kc_config_set(&config, "ciphers", "AES-128-CBC:4096 AES-256-CBC");
	decide(&config, kc_backends[0]);
	assert_true(policy.row[KC_ALG_AES_128_CBC]->terms.is_fixed);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->terms.threshold[KC_ENCRYPT], 4096);
	assert_false(policy.row[KC_ALG_AES_256_CBC]->terms.is_fixed);
	assert_int_equal(policy.row[KC_ALG_AES_256_CBC]->terms.threshold[KC_DECRYPT],
			 kc_algs[KC_ALG_AES_256_CBC].default_threshold);
}

TEST(a_legacy_row_is_offered_only_where_the_legacy_provider_is_active)
{
	static const struct {
		bool has_driver, active;
		enum kc_reason reason;
	} rows[] = {
		{ true, true, KC_OK },
		{ true, false, KC_LEGACY_INACTIVE },
		{ false, false, KC_NO_DRIVER },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kc_config config;

		standin_reset();
		if (rows[i].has_driver)
			standin_driver("cbc(des)", "mv-cbc-des", 300, true);
		kc_config_init(&config);
		assert_false(config.legacy);
		config.legacy = rows[i].active;
		decide(&config, kc_backends[0]);
		assert_int_equal(policy.row[KC_ALG_DES_CBC]->reason, rows[i].reason);
		assert_int_equal(policy.offers_legacy, rows[i].reason == KC_OK);
		assert_int_equal(policy.offers_any, rows[i].reason == KC_OK);
	}
}

/* ---- where the kernel alone chooses the driver ---- */

static int identify(const struct kc_session *session, struct kc_driver *driver)
{
	(void)session;
	(void)driver;
	return -EIO;
}

static unsigned number(const struct kc_alg *alg)
{
	return alg->kind == KC_CIPHER;
}

static const struct kc_backend chooses = { .names = { "chooses" },
					   .identify = identify,
					   .number = number };

struct chosen {
	const char *driver[2]; /* listed, the first of the higher priority */
	const char *key, *value;
	enum kc_reason reason;
};

static struct kc_candidate *choose(const struct chosen *c)
{
	struct kc_config config;

	standin_reset();
	for (int i = 0; i < 2 && c->driver[i]; i++) {
		struct kc_driver d = { .name = "cbc(aes)", .priority = 400 - 100 * i };

		strcpy(d.driver, c->driver[i]);
		kc_drivers_add(&standin.drivers, &d);
	}
	kc_config_init(&config);
	if (c->key)
		kc_config_set(&config, c->key, c->value);
	decide(&config, &chooses);
	return policy.row[KC_ALG_AES_128_CBC];
}

TEST(the_driver_that_the_kernel_prefers_decides_where_it_chooses)
{
	static const struct chosen chosen[] = {
		{ { "mv-cbc-aes-dcp", "cbc-aes-aesni" }, NULL, NULL, KC_OK },
		{ { "cbc-aes-aesni", "cbc-aes-dcp" }, NULL, NULL, KC_ONLY_SOFTWARE },
		{ { "cbc-aes-aesni", "cbc-aes-dcp" }, "ciphers", "AES-128-CBC", KC_ONLY_SOFTWARE },
		{ { "cbc-aes-aesni", NULL }, "soft_drivers", "1", KC_OK },
		{ { "cbc-aes-new", NULL }, NULL, NULL, KC_NATURE_UNKNOWN },
		{ { "cbc-aes-new", NULL }, "ciphers", "AES-128-CBC", KC_OK },
		{ { "cbc-aes-dcp", NULL }, "driver.AES-128-CBC", "cbc-aes-dcp", KC_OK },
		{ { "cbc-aes-dcp", NULL }, "driver.AES-128-CBC", "x", KC_NAMED_DRIVER_ABSENT },
		{ { NULL, NULL }, NULL, NULL, KC_NO_DRIVER },
		{ { NULL, NULL }, "ciphers", "ALL", KC_NO_DRIVER },
		{ { NULL, NULL }, "ciphers", "AES-128-CBC", KC_OK },
		{ { NULL, NULL }, "soft_drivers", "1", KC_OK },
	};

	for (size_t i = 0; i < COUNT(chosen); i++) {
		const struct kc_candidate *c = choose(&chosen[i]);

		print_message("  case %zu\n", i);
		assert_int_equal(c->reason, chosen[i].reason);
		assert_int_equal(policy.row[KC_ALG_AES_128_GCM]->is_offered, false);
	}
}

TEST(the_driver_of_the_first_session_is_used_if_it_is_admitted)
{
	static const struct {
		struct chosen chosen;
		const char *got;
		bool kdo;
		enum kc_reason reason;
	} sessions[] = {
		{ { { "cbc-aes-dcp" } }, "cbc-aes-dcp", false, KC_OK },
		{ { { "cbc-aes-dcp" } }, "cbc-aes-new", true, KC_OK },
		{ { { "cbc-aes-dcp" } }, "cbc-aes-new", false, KC_NATURE_UNKNOWN },
		{ { { "cbc-aes-dcp" } }, "cbc-aes-aesni", false, KC_ONLY_SOFTWARE },
		{ { { NULL }, "soft_drivers", "1" }, "cbc-aes-aesni", false, KC_OK },
		{ { { NULL }, "ciphers", "AES-128-CBC" }, "mv-cbc-aes", true, KC_OK },
		{ { { NULL }, "ciphers", "AES-128-CBC" }, "cbc(aes-lib)", false, KC_ONLY_SOFTWARE },
		{ { { "cbc-aes-dcp" }, "driver.AES-128-CBC", "cbc-aes-dcp" },
		  "cbc-aes-rk",
		  false,
		  KC_NAMED_DRIVER_ABSENT },
	};

	for (size_t i = 0; i < COUNT(sessions); i++) {
		struct kc_candidate *c = choose(&sessions[i].chosen);
		struct kc_driver got = { .kernel_driver_only = sessions[i].kdo };

		print_message("  case %zu\n", i);
		assert_int_equal(c->reason, KC_OK);
		strcpy(got.driver, sessions[i].got);
		assert_int_equal(kc_candidate_meet(c, &got), sessions[i].reason ? -ENOENT : 0);
		assert_int_equal(c->reason, sessions[i].reason);
		assert_string_equal(c->driver, sessions[i].got);
	}
}

static enum kc_reason reason_of(const char *digests, enum kc_alg_id id, bool hashes_by_name)
{
	struct kc_backend backend = *kc_backends[0];
	struct kc_config config;

	backend.hashes_by_name = hashes_by_name;
	kc_config_init(&config);
	kc_config_set(&config, "digests", digests);
	standin_reset();
	standin_driver("sha256", "mv-sha256", 300, true);
	standin_driver("sha1", "mv-sha1", 300, true);
	decide(&config, &backend);
	return policy.row[id]->reason;
}

/* The reason is its own, and it also replaces that of a driver that is not listed. */
TEST(no_sessions_at_all_is_said_as_it_is_configured)
{
	static struct kc_config config;

	kc_config_init(&config);
	kc_config_set(&config, "soft_drivers", "1");
	kc_config_set(&config, "max_sessions", "0");
	decide(&config, &standin_backend);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->reason, KC_NO_SESSIONS);
	assert_int_equal(policy.row[KC_ALG_AES_128_ECB]->reason, KC_NOT_LISTED);
	assert_false(policy.offers_any);
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
