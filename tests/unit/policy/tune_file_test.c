/* SPDX-License-Identifier: Apache-2.0 */
/* The tune file counts if it is complete, safe and of this machine. */
#include "unit/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "policy/tune_file.h"
#include "standin/standin.h"
#include "policy/config.h"
#include "cli/tune/tune.h"

static char path[64], link_path[80];
static struct kc_policy policy;
static struct kc_config config;
static bool has_digest; /* the driver takes blocks, too */

static void make_paths(void)
{
	int fd;

	strcpy(path, "/tmp/kc-tuned.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	snprintf(link_path, sizeof(link_path), "%s.link", path);
	assert_int_equal(symlink(path, link_path), 0);
}

static void remove_paths(void)
{
	unlink(link_path);
	assert_int_equal(unlink(path), 0);
}

/* The list of a test's kernel. */
static void list_drivers(void)
{
	standin_reset();
	standin_driver("cbc(aes)", "mv-cbc-aes", 300, true);
	standin_driver("ctr(aes)", "ctr-aes-qce", 275, true);
	kc_config_init(&config);
	kc_config_set(&config, "tune_file", path);
	if (!has_digest)
		return;
	standin.takes_blocks = true;
	standin_driver("sha256", "mv-sha256", 300, true);
	kc_config_set(&config, "digests", "SHA256");
}

static struct kc_fact *add_fact(struct kc_tuned *t, enum kc_alg_id id, enum kc_reason reason)
{
	struct kc_fact *fact = kc_tuned_add_fact(t, policy.row[id]);

	fact->reason = reason;
	for (int prefer = 0; prefer < KC_PREFER_COUNT; prefer++)
		for (int dir = 0; dir < 2; dir++)
			fact->threshold[prefer][dir] = (uint32_t)(1000 + prefer * 200 + dir * 20);
	fact->longest = 32768;
	fact->session_bytes = 4711;
	return fact;
}

static struct kc_tuned *begin(void)
{
	struct kc_tuned *t;

	list_drivers();
	kc_config_set(&config, "tune_file", "none");
	kc_policy_free(&policy);
	kc_policy_load(&policy, &config);
	t = kc_tuned_new(standin.drivers.n, 4);
	assert_non_null(t);
	kc_tuned_add_drivers(t, kc_backends[0], &standin.drivers);
	kc_config_set(&config, "tune_file", path);
	return t;
}

static void write_file(const void *bytes, size_t size, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void finish(struct kc_tuned *t)
{
	kc_tuned_seal(t);
	write_file(t, t->size, 0644);
	free(t);
}

/* A file with one fact of AES-128-CBC. */
static void write_one(enum kc_reason reason)
{
	struct kc_tuned *t = begin();

	add_fact(t, KC_ALG_AES_128_CBC, reason);
	finish(t);
}

static struct kc_candidate *load(enum kc_alg_id id)
{
	kc_policy_free(&policy);
	kc_policy_load(&policy, &config);
	return policy.row[id];
}

TEST(a_driver_that_was_proved_has_its_thresholds_from_the_file)
{
	struct kc_candidate *c;

	write_one(KC_OK);
	c = load(KC_ALG_AES_128_CBC);
	assert_int_equal(policy.tuned, KC_OK);
	assert_int_equal(c->trust, KC_PROVEN);
	assert_int_equal(c->terms.threshold[KC_DECRYPT], 1000);
	assert_int_equal(c->terms.threshold[KC_ENCRYPT], 1020);
	assert_int_equal(c->terms.longest, 32768);
	assert_int_equal(c->terms.session_bytes, 4711);
	kc_config_set(&config, "prefer", "cpu");
	assert_int_equal(load(KC_ALG_AES_128_CBC)->terms.threshold[KC_ENCRYPT], 1220);
	/* The same driver with another key length, for which the file has no facts. */
	assert_int_equal(load(KC_ALG_AES_256_CBC)->trust, KC_UNTRIED);
}

TEST(a_file_without_a_longest_request_limits_none)
{
	static const uint32_t longest[] = { KC_TUNED_NEVER, 0 };

	for (size_t i = 0; i < COUNT(longest); i++) {
		struct kc_tuned *t = begin();

		add_fact(t, KC_ALG_AES_128_CBC, KC_OK)->longest = longest[i];
		finish(t);
		assert_true(load(KC_ALG_AES_128_CBC)->terms.longest == SIZE_MAX);
	}
}

TEST(the_kernel_is_not_asked_where_the_file_knows)
{
	write_one(KC_OK);
	standin_driver("cbc(des3_ede)", "mv-cbc-des3-ede", 300, true);
	assert_false(load(KC_ALG_DES_EDE3_CBC)->is_offered);
	assert_string_equal(load(KC_ALG_AES_128_CTR)->driver, "ctr-aes-qce");
	kc_config_set(&config, "tune_file", "none");
	assert_true(load(KC_ALG_DES_EDE3_CBC)->is_offered);
}

TEST(what_the_administrator_wrote_goes_before_the_file)
{
	write_one(KC_OK);
	kc_config_set(&config, "ciphers", "AES-128-CBC:2048");
	assert_int_equal(load(KC_ALG_AES_128_CBC)->terms.threshold[KC_ENCRYPT], 2048);
	kc_config_set(&config, "ciphers", "AES-256-CBC");
	assert_false(load(KC_ALG_AES_128_CBC)->is_offered);
	assert_int_equal(load(KC_ALG_AES_128_CBC)->reason, KC_NOT_LISTED);
}

TEST(a_driver_that_failed_is_not_offered)
{
	static const enum kc_reason reasons[] = { KC_WRONG_ANSWER, KC_NO_ANSWER, KC_OPEN_FAILED };

	for (size_t i = 0; i < COUNT(reasons); i++) {
		write_one(reasons[i]);
		assert_false(load(KC_ALG_AES_128_CBC)->is_offered);
		assert_int_equal(load(KC_ALG_AES_128_CBC)->reason, reasons[i]);
		assert_true(policy.offers_any);
	}
}

TEST(a_driver_that_is_slower_at_every_size_is_not_offered)
{
	struct kc_tuned *t = begin();
	struct kc_fact *fact = add_fact(t, KC_ALG_AES_128_CBC, KC_OK);

	fact->threshold[KC_PREFER_THROUGHPUT][KC_DECRYPT] = KC_TUNED_NEVER;
	fact->threshold[KC_PREFER_THROUGHPUT][KC_ENCRYPT] = KC_TUNED_NEVER;
	finish(t);
	assert_false(load(KC_ALG_AES_128_CBC)->is_offered);
	assert_int_equal(load(KC_ALG_AES_128_CBC)->reason, KC_SLOWER);
	/* The driver takes less of the CPU. */
	kc_config_set(&config, "prefer", "cpu");
	assert_true(load(KC_ALG_AES_128_CBC)->is_offered);
	kc_config_set(&config, "prefer", "throughput");
	kc_config_set(&config, "ciphers", "AES-128-CBC:512");
	assert_true(load(KC_ALG_AES_128_CBC)->is_offered);
}

/* Whether kcrypto tune --if-stale would leave the file. */
static bool is_fresh(void)
{
	kc_config_set(&config, "ciphers", "AES-128-CBC");
	return kc_tune_is_fresh(&config, path);
}

static void write_unsettled(enum kc_prefer prefer)
{
	struct kc_tuned *t = begin();
	struct kc_fact *fact = add_fact(t, KC_ALG_AES_128_CBC, KC_OK);

	fact->threshold[prefer][KC_DECRYPT] = KC_TUNED_UNSETTLED;
	finish(t);
}

TEST(what_is_not_settled_each_process_measures_for_itself)
{
	struct kc_candidate *c;

	write_unsettled(KC_PREFER_THROUGHPUT);
	c = load(KC_ALG_AES_128_CBC);
	assert_int_equal(policy.tuned, KC_OK);
	assert_true(c->is_offered);
	assert_false(c->terms.is_tuned);
	assert_int_equal(c->trust, KC_UNTRIED);
	assert_true(c->terms.floor != SIZE_MAX);
	kc_config_set(&config, "prefer", "cpu");
	assert_int_equal(load(KC_ALG_AES_128_CBC)->trust, KC_PROVEN);
	kc_config_set(&config, "prefer", "throughput");
	/* A configured threshold leaves nothing to measure. */
	kc_config_set(&config, "ciphers", "AES-128-CBC:512");
	assert_int_equal(load(KC_ALG_AES_128_CBC)->trust, KC_PROVEN);
}

TEST(what_is_not_settled_is_not_up_to_date)
{
	write_one(KC_OK);
	assert_true(is_fresh());
	write_one(KC_NO_ANSWER);
	assert_true(is_fresh());
	write_unsettled(KC_PREFER_THROUGHPUT);
	assert_false(is_fresh());
	/* What nobody asks for need not be settled. */
	write_unsettled(KC_PREFER_CPU);
	assert_true(is_fresh());
	kc_config_set(&config, "prefer", "cpu");
	assert_false(is_fresh());
}

TEST(a_file_about_more_drivers_than_are_offered_is_not_up_to_date)
{
	struct kc_tuned *t = begin();

	add_fact(t, KC_ALG_AES_128_CBC, KC_OK);
	add_fact(t, KC_ALG_AES_128_CTR, KC_OK);
	finish(t);
	assert_false(is_fresh());
}

/* Loads SHA-256, with its blocks' result from @threshold on, unless that is 0. */
static struct kc_candidate *load_digest(uint32_t threshold)
{
	struct kc_tuned *t = begin();
	struct kc_fact *fact;

	add_fact(t, KC_ALG_AES_128_CBC, KC_OK);
	add_fact(t, KC_ALG_SHA256, KC_OK);
	if (threshold) {
		fact = kc_tuned_add_fact(t, policy.row[KC_ALG_SHA256]->blocks);
		for (int i = 0; i < KC_PREFER_COUNT * 2; i++)
			fact->threshold[i / 2][i % 2] = threshold;
	}
	finish(t);
	return load(KC_ALG_SHA256);
}

TEST(blocks_of_a_digest_have_a_fact_of_their_own)
{
	struct kc_candidate *c;

	has_digest = true;
	c = load_digest(9000);
	assert_int_equal(c->terms.threshold[KC_ENCRYPT], 1020);
	assert_ptr_equal(kc_candidate_in_blocks(c), c->blocks);
	assert_int_equal(c->blocks->trust, KC_PROVEN);
	assert_int_equal(c->blocks->terms.threshold[KC_ENCRYPT], 9000);
	assert_int_equal(c->blocks->terms.longest, SIZE_MAX);
	assert_true(is_fresh());
	c = load_digest(KC_TUNED_NEVER);
	assert_true(c->is_offered);
	assert_null(kc_candidate_in_blocks(c));
	assert_true(is_fresh());
	c = load_digest(0);
	assert_int_equal(c->blocks->trust, KC_UNTRIED);
	assert_false(is_fresh());
	has_digest = false;
}

static enum kc_reason reason_of_file(void)
{
	kc_policy_free(&policy);
	kc_policy_load(&policy, &config);
	/* Whatever the file contains, the kernel's list counts. */
	assert_true(policy.row[KC_ALG_AES_128_CBC]->is_offered);
	assert_int_not_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_PROVEN);
	return policy.tuned;
}

TEST(a_file_that_others_may_write_is_no_file)
{
	write_one(KC_OK);
	chmod(path, 0664);
	assert_int_equal(reason_of_file(), KC_TUNED_WRITABLE);
	chmod(path, 0646);
	assert_int_equal(reason_of_file(), KC_TUNED_WRITABLE);
	chmod(path, 0644);
	kc_config_set(&config, "tune_file", link_path);
	assert_int_equal(reason_of_file(), KC_TUNED_WRITABLE);
	kc_config_set(&config, "tune_file", "/nowhere/at/all");
	assert_int_equal(reason_of_file(), KC_TUNED_ABSENT);
	kc_config_set(&config, "tune_file", "/dev/null");
	assert_int_equal(reason_of_file(), KC_TUNED_DAMAGED);
}

TEST(a_file_with_any_byte_changed_is_no_file)
{
	struct kc_tuned *t = begin();
	uint8_t *bytes = (uint8_t *)t;
	size_t size;

	add_fact(t, KC_ALG_AES_128_CBC, KC_OK);
	kc_tuned_seal(t);
	size = t->size;
	assert_true(size > 500);
	for (size_t i = 0; i < size; i += 13) {
		bytes[i] ^= 0x10;
		write_file(bytes, size, 0644);
		assert_int_equal(reason_of_file(), KC_TUNED_DAMAGED);
		bytes[i] ^= 0x10;
	}
	for (size_t less = 0; less < size; less += 97) {
		write_file(bytes, less, 0644);
		assert_int_equal(reason_of_file(), KC_TUNED_DAMAGED);
	}
	free(t);
}

TEST(a_file_of_another_kernel_cpu_version_or_format_is_stale)
{
	static const size_t places[] = { offsetof(struct kc_tuned, magic) + 6,
					 offsetof(struct kc_tuned, machine.kernel),
					 offsetof(struct kc_tuned, machine.version),
					 offsetof(struct kc_tuned, machine.instructions) };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct kc_tuned *t = begin();

		add_fact(t, KC_ALG_AES_128_CBC, KC_OK);
		((char *)t)[places[i]] ^= 1;
		finish(t);
		assert_int_equal(reason_of_file(), KC_TUNED_STALE);
	}
}

const struct suite suite = { .set_up = make_paths, .tear_down = remove_paths };
