/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thresholds that kcrypto list (quickly) and tune (in passes) measure, on a simulated machine:
 * the time of a request is a straight line, and some measurements are disturbed.
 */
#include "unit/offload/timed.h"

#include <string.h>

#include "base/base.h"
#include "cli/probe/estimate.h"
#include "cli/run/meter.h"

static struct kc_ranges found;
static int
	cpu_error; /* percent of CPU time, now up, now down, and the other way at the next size */
static unsigned slices;

struct kc_meter kc_meter_read(void)
{
	return (struct kc_meter){ .machine_ns = (int64_t)machine };
}

struct kc_meter kc_meter_since(const struct kc_meter *from)
{
	int64_t ns = (int64_t)machine - from->machine_ns;
	bool is_up = (slices + slices / (2 * KC_ESTIMATE_ROUNDS)) % 2;

	slices++;
	return (struct kc_meter){ .machine_ns = ns + (is_up ? ns : -ns) * cpu_error / 100 };
}

static enum kc_reason quickly(struct kc_candidate *c)
{
	return kc_estimate_run(c, &timed, 0, UINT64_MAX, &found);
}

/* Measures in slices of @ms. */
static enum kc_reason in_passes(struct kc_candidate *c, unsigned ms)
{
	return kc_estimate_run(c, &timed, (uint64_t)ms * MS, UINT64_MAX, &found);
}

/* By wall time the lines cross at 8 KiB, by CPU time at 2 KiB. */
static struct kc_candidate *prepare_two_clocks(void)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	soft = soft_cpu = (struct price){ 1600, 65536 };
	kernel = (struct price){ 394816, 16384 };
	kernel_cpu = (struct price){ 34368, 49152 };
	cpu_error = 0;
	return c;
}

/* An eighth is added on purpose. */
static void assert_near(size_t bytes, double at)
{
	if ((double)bytes < at || (double)bytes > at * 1.4)
		fail_msg("%zu instead of %g", bytes, at);
}

TEST(the_threshold_is_where_the_lines_cross)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	assert_int_equal(quickly(c), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_int_equal(c->terms.threshold[dir], CROSSING + CROSSING / 8);
	kernel.once = soft.per_kib * LIMIT / 1024;
	assert_int_equal(quickly(c), KC_SLOWER);
}

TEST(the_threshold_may_be_as_low_as_the_shortest_request_that_is_measured)
{
	static const size_t lengths[] = { 32, 96, 144, 200 };

	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct kc_candidate *c = prepare("AES-128-CBC");
		size_t at = lengths[i] < 64 ? 64 : lengths[i] * 9 / 8;

		kernel.once = soft.once + soft.per_kib * lengths[i] / 1024;
		assert_int_equal(quickly(c), KC_OK);
		for (int dir = 0; dir < 2; dir++)
			assert_in_range(c->terms.threshold[dir], at, at + 16);
	}
}

TEST(the_gain_is_that_of_the_longest_request_which_pays)
{
	struct kc_candidate *c = prepare_two_clocks();

	/* At 64 KiB: 4,195,904 ns and 1,443,392 ns; 4,195,904 ns and 3,180,096 ns of the CPU's. */
	assert_int_equal(in_passes(c, 100), KC_OK);
	assert_in_range(found.gain.speed, 285, 295);
	assert_in_range(found.gain.cpu, 72, 80);
	/* The CPU's clock is too coarse. */
	assert_int_equal(quickly(c), KC_OK);
	assert_in_range(found.gain.speed, 285, 295);
	assert_int_equal(found.gain.cpu, 0);
}

/* Intermediate values exceed 32 bits. */
TEST(the_price_is_right_whatever_a_size_t_holds)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	kernel = (struct price){ MS, soft.per_kib / 4 };
	soft.per_kib *= 4;
	assert_int_equal(quickly(c), KC_OK);
	assert_in_range(c->terms.once_ns, MS - 1000, MS + 1000);
	assert_in_range(c->terms.kib_ns, kernel.per_kib - 10, kernel.per_kib + 10);
}

static unsigned mostly(unsigned i)
{
	static const unsigned percent[] = { 300, 170, 40, 900, 3, 260, 80, 1, 400, 5, 90 };

	return percent[i % COUNT(percent)];
}

static unsigned all_else_but_one_in_five(unsigned i)
{
	return i % 5 == 2 ? 0 : 150 + i * 37 % 500;
}

TEST(noise_moves_no_threshold_by_much)
{
	static unsigned (*const noises[])(unsigned) = { mostly, at_first,
							all_else_but_one_in_five };

	for (size_t i = 0; i < 20 * COUNT(noises); i++) {
		struct kc_candidate *c = prepare("AES-128-CBC");

		disturbance = noises[i / 20];
		disturbed = (unsigned)i % 20;
		assert_int_equal(quickly(c), KC_OK);
		for (int dir = 0; dir < 2; dir++)
			assert_in_range(c->terms.threshold[dir], CROSSING, CROSSING * 3 / 2);
	}
}

/* Each request takes longer than the previous one, so no two are alike. */
static unsigned ever_more(unsigned i)
{
	return i * i * 20;
}

TEST(it_ends_where_no_two_runs_agree)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	disturbance = ever_more;
	quickly(c);
	assert_in_range(standin.requests, 20, 2 * KC_ESTIMATE_SIZES * 17);
}

/* The number of requests until then, in slices of 6 ms. */
static unsigned requests_until(uint64_t until_ns, uint64_t once_ns)
{
	struct kc_candidate *c = prepare_two_clocks();
	unsigned before = standin.requests;

	kernel.once = once_ns;
	kc_estimate_run(c, &timed, 6 * MS, until_ns, &found);
	return standin.requests - before;
}

TEST(a_slow_driver_is_measured_only_a_little_when_its_time_is_up)
{
	assert_true(requests_until(0, 10 * MS) * 3 < requests_until(UINT64_MAX, 10 * MS));
	assert_int_equal(requests_until(0, 394816), requests_until(UINT64_MAX, 394816));
}

TEST(undisturbed_each_clock_has_its_own_crossing)
{
	struct kc_candidate *c = prepare_two_clocks();

	assert_int_equal(in_passes(c, 6), KC_OK);
	for (int dir = 0; dir < 2; dir++) {
		assert_near(found.threshold[KC_PREFER_THROUGHPUT][dir], 8192);
		assert_near(found.threshold[KC_PREFER_CPU][dir], 2048);
	}
}

static unsigned disturbed_at;

static unsigned once(unsigned i)
{
	return i == disturbed_at ? 10000 : 0;
}

TEST(one_disturbed_request_decides_nothing)
{
	for (disturbed_at = 0; disturbed_at < 300; disturbed_at += 7) {
		struct kc_candidate *c = prepare_two_clocks();

		disturbance = once;
		assert_int_equal(in_passes(c, 6), KC_OK);
		assert_near(found.threshold[KC_PREFER_THROUGHPUT][KC_ENCRYPT], 8192);
	}
}

/*
 * A step like that of OpenSSL's AES: shorter texts take more of software's time than longer ones.
 */
static struct kc_candidate *prepare_step(size_t at)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	step = at;
	soft = soft_cpu = (struct price){ .per_kib = 32000 };
	below_step = (struct price){ .per_kib = 90000 };
	kernel = kernel_cpu = (struct price){ at * 35, 1000 };
	cpu_error = 0;
	return c;
}

static uint64_t ns_of(const struct price *p, size_t len)
{
	return p->once + p->per_kib * len / 1024;
}

TEST(the_kernel_pays_at_each_length_above_a_threshold)
{
	static const size_t steps[] = { 128, 256, 384, 512, 768, 1024, 2048 };

	for (size_t i = 0; i < COUNT(steps); i++) {
		struct kc_candidate *c = prepare_step(steps[i]);

		assert_int_equal(in_passes(c, 6), KC_OK);
		for (int k = 0; k < 4; k++) {
			size_t from = found.threshold[k / 2][k % 2];

			assert_in_range(from, steps[i], 2 * steps[i]);
			for (size_t len = from; len < 8192; len += 16)
				if (ns_of(&kernel, len) >= ns_of(&soft, len))
					fail_msg("step %zu, %d: from %zu, %zu loses", step, k, from,
						 len);
		}
	}
}

TEST(coarse_cpu_time_is_made_up_for_by_many_sizes)
{
	for (int error = -15; error < 20; error += 30) {
		struct kc_candidate *c = prepare_two_clocks();
		size_t n;

		cpu_error = error;
		assert_int_equal(in_passes(c, 6), KC_OK);
		n = found.threshold[KC_PREFER_CPU][KC_ENCRYPT];
		if (n < 1536 || n > 3600)
			fail_msg("%zu instead of 2048, an eighth more", n);
	}
	cpu_error = 0;
}

TEST(beyond_what_the_kernel_takes_it_never_pays)
{
	struct kc_candidate *c = prepare_two_clocks();

	c->max_request = 4096;
	assert_int_equal(in_passes(c, 6), KC_SLOWER);
	assert_true(found.threshold[KC_PREFER_THROUGHPUT][KC_ENCRYPT] == KC_NEVER_PAYS);
	assert_near(found.threshold[KC_PREFER_CPU][KC_ENCRYPT], 2048);
}

/* Once-costs of the kernel's requests in each pass. A pass begins with the longest requests. */
static const uint64_t *once_by_pass;
static size_t last_len;

static void by_pass(size_t len)
{
	if (len > last_len && len == LIMIT)
		kernel.once = *once_by_pass++;
	last_len = len;
	now += kernel.once + kernel.per_kib * len / 1024;
	machine += kernel_cpu.once + kernel_cpu.per_kib * len / 1024;
}

static struct kc_candidate *prepare_passes(const uint64_t *once_ns)
{
	struct kc_candidate *c = prepare_two_clocks();

	once_by_pass = once_ns;
	last_len = 0;
	standin.working = by_pass;
	return c;
}

TEST(passes_that_do_not_agree_leave_the_threshold_alone)
{
	static const uint64_t each_other[] = { 1600, 12800, 102400, 819200, 6553600, 1, 1, 1 };

	/* Slices of a millisecond give no CPU time, which must not cause another pass. */
	for (unsigned ms = 1; ms <= 6; ms += 5) {
		struct kc_candidate *c = prepare_passes(each_other);
		size_t before = c->terms.threshold[KC_DECRYPT];

		assert_int_equal(in_passes(c, ms), KC_OK);
		assert_true(found.threshold[KC_PREFER_THROUGHPUT][KC_DECRYPT] == KC_UNSETTLED);
		assert_int_equal(c->terms.threshold[KC_DECRYPT], before);
		/* The other direction's two passes agree; one measures the longest request. */
		assert_int_equal(once_by_pass - each_other, KC_ESTIMATE_PASSES + 3);
	}
}

TEST(a_pass_that_stands_alone_decides_nothing)
{
	/* And each direction's measurement of the longest request. */
	static const uint64_t busy_at_first[] = { 6553600, 394816, 394816, 394816,
						  6553600, 394816, 394816, 394816 };
	struct kc_candidate *c = prepare_passes(busy_at_first);

	assert_int_equal(in_passes(c, 6), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_near(found.threshold[KC_PREFER_THROUGHPUT][dir], 8192);
}

static void assert_range(const struct kc_candidate *c, size_t longest)
{
	assert_int_equal(found.longest, longest);
	assert_int_equal(c->terms.longest, longest);
	for (int dir = 0; dir < 2; dir++) {
		assert_near(c->terms.threshold[dir], 512);
	}
}

/* In requests of 512 bytes the driver takes as long as software. */
static struct kc_candidate *prepare_limit(size_t longest)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	kernel = soft_cpu = kernel_cpu = (struct price){ 4000, 8000 };
	longest_of_driver = longest;
	return c;
}

TEST(a_driver_that_is_software_above_a_length_pays_up_to_it)
{
	static const size_t limits[] = { 8192, 12288, 16384, 20480, 28672, 32768, 49152, 61440 };

	for (size_t i = 0; i < 2 * COUNT(limits); i++) {
		struct kc_candidate *c = prepare_limit(limits[i / 2]);

		counts_pages = i % 2;
		assert_int_equal(quickly(c), KC_OK);
		assert_range(c, limits[i / 2]);
		assert_in_range(c->terms.kib_ns, 7990, 8010);
		assert_int_equal(in_passes(c, 6), KC_OK);
		assert_range(c, limits[i / 2]);
	}
}

/* The device's pieces are faster still. */
TEST(a_limit_is_one_where_the_kernels_software_is_faster_than_ours)
{
	struct kc_candidate *c = prepare_limit(32768);

	beyond.per_kib = 14000;
	assert_int_equal(quickly(c), KC_OK);
	assert_range(c, 32768);
	assert_int_equal(in_passes(c, 6), KC_OK);
	assert_range(c, 32768);
}

/* A limit of less than a page, between two sizes. */
TEST(a_short_limit_is_found_to_the_algorithms_floor)
{
	struct kc_candidate *c = prepare_limit(3000);

	assert_int_equal(quickly(c), KC_OK);
	assert_in_range(found.longest, 3000 - 256, 3000);
}

/* The longest request begins with a page. Within a page, it needs one more. */
TEST(a_driver_that_counts_pages_has_a_limit_where_max_request_is_that_limit)
{
	for (int i = 0; i < 2; i++) {
		struct kc_candidate *c = prepare_limit(32768);

		counts_pages = i;
		c->max_request = 32768;
		assert_int_equal(quickly(c), KC_OK);
		assert_range(c, i ? 32768 : SIZE_MAX);
	}
}

static uint64_t longest_ns;

static void at_60_kb_per_s(size_t len)
{
	uint64_t ns = 1000000 + len * 16667;

	longest_ns = ns > longest_ns ? ns : longest_ns;
	now += ns;
}

/* An engine of 60 KB/s takes more than a second for 64 KiB. */
TEST(a_slow_driver_is_not_asked_for_long_requests)
{
	for (unsigned ms = 0; ms <= 1; ms++) {
		struct kc_candidate *c = prepare("AES-128-CBC");
		uint64_t start = now;

		longest_ns = 0;
		standin.working = at_60_kb_per_s;
		atomic_store(&c->terms.once_ns, 1000000);
		atomic_store(&c->terms.kib_ns, 1024 * 16667);
		assert_int_equal(in_passes(c, ms), KC_SLOWER);
		/* One request of 4 KiB checks the claim. */
		assert_true(longest_ns <= 70 * MS);
		assert_true(now - start <= 1200 * (uint64_t)MS);
		assert_true(found.longest == SIZE_MAX);
	}
}

/* A busy machine may have delayed all requests of the trial. */
TEST(a_driver_that_only_the_trial_calls_slow_is_asked_for_all_sizes)
{
	struct kc_candidate *c = prepare_limit(32768);

	atomic_store(&c->terms.once_ns, 100 * MS);
	atomic_store(&c->terms.kib_ns, 100 * MS);
	assert_int_equal(quickly(c), KC_OK);
	assert_range(c, 32768);
}

/* An AEAD's session takes shorter requests than any other. */
TEST(the_longest_request_is_the_longest_that_the_session_takes)
{
	static const enum kc_alg_id ids[] = { KC_ALG_AES_128_GCM, KC_ALG_AES_256_CCM,
					      KC_ALG_CHACHA20_POLY1305 };

	for (size_t i = 0; i < COUNT(ids); i++) {
		enum kc_reason why;

		configure("ALL", NULL);
		why = kc_estimate_run(policy.row[ids[i]], kc_base_get(&kc_algs[ids[i]]), 0,
				      UINT64_MAX, &found);
		assert_true(why == KC_OK || why == KC_SLOWER);
		assert_in_range(standin.largest, 65000, LIMIT - 1);
	}
}

/* Makes two requests by the base of @alg in one context, the second one with the same key. */
static void do_twice(const struct kc_alg *alg, enum kc_dir dir, const uint8_t *from, uint8_t *tag)
{
	static const uint8_t ccm_nonce[KC_MAX_IV] = { 2 }, bytes[KC_MAX_KEY] = "any key";
	static uint8_t to[2][1024];
	const struct kc_base *base = kc_base_get(alg);
	struct kc_key with = { .bytes = bytes, .len = alg->key_len, .tag_len = 16 };
	struct kc_req req = { .dir = dir,
			      .iv = alg->family == KC_CCM ? ccm_nonce : iv,
			      .in = from,
			      .len = sizeof(to[0]),
			      .aad = key,
			      .aad_len = 13,
			      .tag = tag };
	void *ctx = base->newctx(base);
	uint8_t first_tag[16];

	for (int i = 0; i < 2; i++) {
		req.out = to[i];
		assert_int_equal(base->whole(base, ctx, &with, &req), 1);
		with.bytes = NULL;
		if (!i)
			memcpy(first_tag, tag, sizeof(first_tag));
	}
	base->freectx(ctx);
	assert_memory_equal(to[0], to[1], sizeof(to[0]));
	assert_memory_equal(first_tag, tag, sizeof(first_tag));
	memcpy(want, to[0], sizeof(to[0]));
}

TEST(software_with_the_key_that_it_has_gives_the_same)
{
	uint8_t tag[16] = { 0 }, sealed[1024];

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_alg_is_hash(&kc_algs[i]) || !kc_base_get(&kc_algs[i]))
			continue;
		do_twice(&kc_algs[i], KC_ENCRYPT, in, tag);
		memcpy(sealed, want, sizeof(sealed));
		do_twice(&kc_algs[i], KC_DECRYPT, sealed, tag);
		assert_memory_equal(want, in, sizeof(sealed));
	}
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
