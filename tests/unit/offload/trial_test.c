/* SPDX-License-Identifier: Apache-2.0 */
/* What a process learns of a driver: at its trial, and from its own requests. */
#include "unit/offload/timed.h"

#include <errno.h>
#include <string.h>

#include "core/base.h"
#include "offload/gate.h"
#include "offload/trial.h"
#include "policy/learn.h"

static uint8_t there[LIMIT], here[LIMIT];
static struct kc_gate gate;
static const struct kc_key with = { .bytes = key, .len = 16 };

/* The requests since start_over(). */
static struct {
	unsigned requests, by_kernel, by_both;
	uint64_t wasted_ns; /* beyond the time of the better choice */
} seen;

static void start_over(void)
{
	memset(&seen, 0, sizeof(seen));
}

static uint64_t costs(const struct price *p, size_t len)
{
	return p->once + p->per_kib * len / 1024;
}

/* An application's request in the context of @gate. */
static void request(size_t len)
{
	struct kc_req req = { .dir = KC_ENCRYPT, .iv = iv, .in = here, .out = there, .len = len };
	uint64_t start = now, least = costs(&soft, len);

	if (costs(&kernel, len) < least)
		least = costs(&kernel, len);
	seen.requests++;
	if (len < gate.entry || kc_gate_stay(&gate, len) ||
	    !kc_gate_open(&gate, &timed, KC_ENCRYPT, &with, len)) {
		now += costs(&soft, len);
	} else {
		bool is_pair = kc_gate_claim_pair(&gate, &req, with.len);
		unsigned kernels = standin.requests;

		assert_int_equal(kc_gate_run(&gate, &timed, &with, &req), 0);
		seen.by_both += is_pair;
		seen.by_kernel += !is_pair;
		assert_int_equal(standin.requests, kernels + 1);
	}
	seen.wasted_ns += now - start - least;
}

static void requests(size_t len, unsigned n)
{
	start_over();
	while (n--)
		request(len);
}

static void begin(const char *ciphers)
{
	if (gate.first)
		kc_gate_end(&gate);
	kc_gate_init(&gate, prepare(ciphers));
	kc_gate_renew(&gate, KC_ENCRYPT);
}

/* In percent of the time of the better choice. */
static unsigned waste(size_t len)
{
	uint64_t best =
		costs(&soft, len) < costs(&kernel, len) ? costs(&soft, len) : costs(&kernel, len);

	return (unsigned)(100 * seen.wasted_ns / (best * seen.requests));
}

TEST(a_trial_guesses_where_the_lines_cross)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_in_range(c->terms.threshold[dir], CROSSING, CROSSING * 5 / 4);
	kernel.once = soft.per_kib * LIMIT / 512;
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_true(c->terms.threshold[dir] == SIZE_MAX);
}

TEST(a_trial_says_why_no_session_opens)
{
	static const struct {
		int err;
		bool is_listed, hides;
		enum kc_reason reason;
	} cases[] = {
		{ EMFILE, true, true, KC_OPEN_FAILED },	 { ENOENT, true, true, KC_HARDWARE_HIDDEN },
		{ ENOENT, true, false, KC_OPEN_FAILED }, { ENOENT, false, true, KC_NO_DRIVER },
		{ EACCES, false, true, KC_OPEN_FAILED },
	};
	struct kc_candidate *c = prepare("AES-128-CBC"), unlisted = *c;

	unlisted.driver[0] = '\0';
	for (size_t i = 0; i < COUNT(cases); i++) {
		standin.open_errno = cases[i].err;
		standin.hides = cases[i].hides;
		assert_int_equal(kc_trial_run(cases[i].is_listed ? c : &unlisted, &timed),
				 cases[i].reason);
	}
}

static void *no_context(const struct kc_base *base)
{
	(void)base;
	return NULL;
}

static int no_answer(const struct kc_base *base, void *ctx, const struct kc_key *k,
		     const struct kc_req *req)
{
	(void)base;
	(void)ctx;
	(void)k;
	(void)req;
	return 0;
}

/* Nothing is counted against a driver that was not asked. */
TEST(a_trial_without_an_answer_of_the_bases_says_why)
{
	struct kc_candidate *c = prepare("AES-128-CBC");
	struct kc_base base = timed;

	base.whole = no_answer;
	assert_int_equal(kc_trial_run(c, &base), KC_BASE_FAILED);
	base = timed;
	base.newctx = no_context;
	assert_int_equal(kc_trial_run(c, &base), KC_NO_MEMORY);
}

TEST(each_trial_that_fails_doubles_the_bytes_before_the_next)
{
	begin("AES-128-CBC");
	standin.open_errno = EMFILE;
	for (unsigned n = 1; n < 4; n++) {
		while (gate.candidate->failures < n)
			request(4096);
		assert_int_equal(gate.candidate->terms.before_look, KC_BYTES_BEFORE_TRIAL << n);
	}
}

TEST(a_trial_is_short)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	soft.once = kernel.once = kernel.per_kib = 0;
	now = 0;
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	/* In both directions. */
	assert_true(now < costs(&soft, 2 * 16 * 1024));
}

/* Intermediate values exceed 32 bits. */
TEST(the_price_is_right_whatever_a_size_t_holds)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	soft.per_kib *= 4;
	kernel = (struct price){ 100 * MS, 16000 };
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	assert_in_range(c->terms.once_ns, 100 * MS, 100 * MS + 1000);
	assert_in_range(c->terms.kib_ns, 15000, 17000);
}

/* kcrypto tune examines a driver before it measures it. */
TEST(a_driver_that_was_examined_is_measured_all_the_same)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	kernel = (struct price){ MS, 1000 };
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	kernel = (struct price){ 20 * MS, 1000 };
	c->is_examined = true;
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	assert_in_range(c->terms.once_ns, 20 * MS, 20 * MS + 1000);
}

TEST(a_configured_threshold_stays)
{
	begin("AES-128-CBC:4096");
	requests(LIMIT, 1000);
	assert_int_equal(gate.candidate->terms.threshold[KC_ENCRYPT], 4096);
	assert_int_equal(seen.by_both, 3);
	assert_true(seen.by_kernel > 900);
}

/* At any size, the time is in the long run within a few percent of the better way's. */
TEST(each_size_is_done_the_better_way)
{
	static const uint64_t fixed[] = { 10000, 100000, 256000, 2000000 };

	for (size_t f = 0; f < COUNT(fixed); f++) {
		for (size_t len = 2048; len <= LIMIT; len *= 2) {
			begin("AES-128-CBC");
			kernel = (struct price){ fixed[f], 4000 };
			requests(len, 2000);
			requests(len, 3000);
			assert_true(waste(len) <= 3);
		}
	}
}

/* Where the estimate is far off, since the kernel's times are no straight line. */
TEST(a_wrong_guess_is_put_right)
{
	begin("AES-128-CBC");
	kernel = (struct price){ 256000, 0 };
	requests(LIMIT, 100);
	assert_true(seen.by_kernel > 0);
	/* From now on the kernel is so slow that no request pays. */
	kernel.per_kib = 30000;
	requests(LIMIT, 100);
	requests(LIMIT, 10000);
	assert_true(waste(LIMIT) <= 3);
	assert_true(gate.candidate->terms.threshold[KC_ENCRYPT] == SIZE_MAX);
	/* The kernel is fast again. */
	kernel.per_kib = 0;
	requests(LIMIT, 2000);
	requests(LIMIT, 10000);
	assert_true(waste(LIMIT) <= 3);
	assert_true(seen.by_kernel > 9000);
}

TEST(a_slow_device_is_left_within_a_few_requests)
{
	uint64_t slow;

	begin("AES-128-CBC");
	kernel = (struct price){ 10000, 1000 };
	requests(16384, 2000);
	assert_true(seen.by_kernel > 1900);
	kernel.once = 20 * MS;
	requests(16384, 200);
	assert_true(seen.by_kernel + seen.by_both <= 20);
	/* And the way is tried again and again, for a hundredth of the time. */
	slow = now;
	requests(16384, 50000);
	assert_in_range(seen.by_kernel + seen.by_both, 3, 10);
	slow = now - slow;
	assert_true((seen.by_kernel + seen.by_both) * 20 * MS <= slow / 50);
	kernel.once = 10000;
	requests(16384, 20000);
	assert_true(seen.by_kernel > 8000);
}

static unsigned one_in_ten(unsigned i)
{
	return i % 10 == 7 ? 3000 : 0;
}

static unsigned uneven(unsigned i)
{
	return i * 37 % 40;
}

/* The number of 500 requests that the kernel gets, after 200 requests have shown what pays. */
static unsigned amid_noise(unsigned (*noise)(unsigned), unsigned from, uint64_t once_ns)
{
	begin("AES-128-CBC");
	kernel = (struct price){ once_ns, 4000 };
	disturbance = noise;
	disturbed = from;
	requests(16384, 200);
	requests(16384, 500);
	return seen.by_kernel;
}

TEST(noise_decides_nothing)
{
	static unsigned (*const noises[])(unsigned) = { one_in_ten, at_first, uneven };

	for (size_t i = 0; i < COUNT(noises); i++) {
		for (unsigned from = 0; from < 20; from++) {
			assert_true(amid_noise(noises[i], from, 50000) > 450);
			assert_true(amid_noise(noises[i], from, 500000) < 25);
		}
	}
}

/* The time in which a process starts, where software takes 16 us per KiB. */
#define START (7 * MS)

/* The time of a process with @n requests. */
static uint64_t process(const char *ciphers, struct price price, size_t len, unsigned n)
{
	uint64_t start;

	begin(ciphers);
	kernel = price;
	start = now;
	requests(len, n);
	return START + now - start;
}

TEST(a_process_that_does_little_pays_little)
{
	for (unsigned n = 1; n <= 4096; n += 1 + n / 16) {
		uint64_t took = process("AES-128-CBC", (struct price){ 30000, 8000 }, 4096, n);

		assert_true(took * 100 <= (START + n * costs(&soft, 4096)) * 120);
	}
}

/* Compared with software, and with a process whose configuration says that the kernel pays. */
TEST(what_a_process_does_not_know_costs_it_little)
{
	static const struct price fast = { 10000, 800 };

	for (size_t len = 4096; len <= LIMIT; len *= 4) {
		for (unsigned n = 1; n * len <= 4 << 20; n += 1 + n / 8) {
			uint64_t took = process("AES-128-CBC", fast, len, n);
			uint64_t best = process("AES-128-CBC:0", fast, len, n);

			if (START + n * costs(&soft, len) < best)
				best = START + n * costs(&soft, len);
			assert_true(took * 100 <= best * 121);
		}
	}
}

TEST(a_lie_among_the_first_requests_is_found)
{
	struct kc_req req = { .dir = KC_ENCRYPT, .iv = iv, .in = here, .out = there, .len = LIMIT };

	begin("AES-128-CBC");
	kernel = (struct price){ 1000, 1000 };
	while (!kc_gate_open(&gate, &timed, KC_ENCRYPT, &with, LIMIT))
		;
	assert_true(kc_terms_is_new(gate.candidate, KC_ENCRYPT, LIMIT, 0));
	standin.lies = true;
	assert_true(kc_gate_run(&gate, &timed, &with, &req) != 0);
	assert_int_equal(gate.candidate->trust, KC_REFUSED);
	assert_false(kc_gate_open(&gate, &timed, KC_ENCRYPT, &with, LIMIT));
	standin.lies = false;
}

/* In 32 bits, 32 MiB times 128 is 0; with any number of bits, this product is. */
TEST(a_look_that_opens_a_dear_session_is_made_seldom)
{
	const struct kc_pair pair = { KC_ENCRYPT, 4096, 1000, 2000 };

	begin("AES-128-CBC");
	atomic_store(&gate.candidate->terms.threshold[KC_ENCRYPT], SIZE_MAX);
	atomic_store(&gate.candidate->terms.session_bytes, SIZE_MAX / 2 + 1);
	kc_terms_pair(gate.candidate, &pair);
	assert_true(gate.candidate->terms.before_look > SIZE_MAX / 4);
}

static void assert_thresholds(size_t in_jobs, size_t outside)
{
	assert_true(kc_terms_threshold(&gate.candidate->terms, KC_ENCRYPT) == in_jobs);
	assert_true(kc_terms_alone(&gate.candidate->terms, KC_ENCRYPT) == outside);
}

/* A request alone takes 2000 ns in the kernel and 1000 ns in software. */
static void look_in_job(bool amid_others)
{
	const struct kc_pair pair = { KC_ENCRYPT, 4096, 1000, 2000, true, amid_others };

	begin("AES-128-CBC");
	atomic_store(&gate.candidate->terms.threshold[KC_ENCRYPT], SIZE_MAX);
	for (int i = 0; i < 3; i++)
		kc_terms_pair(gate.candidate, &pair);
}

TEST(what_does_not_pay_alone_is_tried_in_jobs)
{
	const struct kc_pair longer = { KC_ENCRYPT, 16384, 9000, 1000 };

	look_in_job(false);
	assert_thresholds(4096, SIZE_MAX);
	for (int i = 0; i < 20; i++)
		kc_terms_flight(gate.candidate, KC_ENCRYPT, 4096, 500);
	assert_thresholds(4096, SIZE_MAX);
	for (int i = 0; i < 3; i++)
		kc_terms_pair(gate.candidate, &longer);
	assert_thresholds(4096, 16384);
}

TEST(what_does_not_pay_in_jobs_either_goes_back_to_software)
{
	look_in_job(false);
	for (int i = 0; i < 17; i++)
		kc_terms_flight(gate.candidate, KC_ENCRYPT, 4096, 1500);
	assert_thresholds(SIZE_MAX, SIZE_MAX);
}

TEST(what_pays_alone_pays_in_jobs)
{
	const struct kc_pair pair = { KC_ENCRYPT, 4096, 2000, 1000, true, false };
	const struct kc_pair amid = { KC_ENCRYPT, 4096, 2000, 9000, true, true };

	begin("AES-128-CBC");
	atomic_store(&gate.candidate->terms.threshold[KC_ENCRYPT], SIZE_MAX);
	for (int i = 0; i < 9; i++)
		kc_terms_pair(gate.candidate, i < 3 ? &pair : &amid);
	for (int i = 0; i < 20; i++)
		kc_terms_flight(gate.candidate, KC_ENCRYPT, 4096, 9000);
	assert_thresholds(4096, 4096);
}

TEST(several_requests_of_an_update_may_pay_where_one_does_not)
{
	const struct kc_pair pair = { KC_ENCRYPT, KC_MAX_REQUEST, 1000, 2000 };

	begin("AES-128-CBC");
	for (int i = 0; i < 3; i++)
		kc_terms_pair(gate.candidate, &pair);
	assert_thresholds(SIZE_MAX, SIZE_MAX);
	kc_terms_kernel(gate.candidate, &gate.stake, KC_ENCRYPT, 4 * KC_MAX_REQUEST, 3000);
	assert_thresholds(4 * KC_MAX_REQUEST, 4 * KC_MAX_REQUEST);
	for (int i = 0; i < 9; i++)
		kc_terms_kernel(gate.candidate, &gate.stake, KC_ENCRYPT, 4 * KC_MAX_REQUEST, 9000);
	assert_thresholds(SIZE_MAX, SIZE_MAX);
}

TEST(what_a_context_set_aside_it_gives_back)
{
	size_t before;

	begin("AES-128-CBC");
	before = gate.candidate->terms.before_look;
	for (int i = 0; i < 5; i++)
		request(2048);
	/* One by one, then more and more at a time. */
	assert_int_equal(before - gate.candidate->terms.before_look, 8 * 2048);
	kc_gate_end(&gate);
	assert_int_equal(before - gate.candidate->terms.before_look, 5 * 2048);
}

static void think(void)
{
	now += MS;
}

/* Makes a message in a new context, as OpenSSL 3.0 does. Returns the cost that is noted for it. */
static uint32_t cost_of_digest(struct kc_candidate *c)
{
	const struct kc_base *base = kc_base_get(c->alg);
	const struct kc_req req = { .dir = KC_ENCRYPT, .in = in, .len = 4096, .tag = here };
	const struct kc_key none = { .len = 0 };

	kc_gate_init(&gate, c);
	kc_gate_renew(&gate, KC_ENCRYPT);
	assert_true(kc_gate_open(&gate, base, KC_ENCRYPT, &none, req.len));
	assert_int_equal(kc_gate_run(&gate, base, &none, &req), 0);
	kc_gate_end(&gate);
	return c->terms.costs[KC_ENCRYPT].kernel[KC_SIZE_CLASSES - 6];
}

/* It must not open a file of /proc at a loss for each message. */
TEST(to_get_a_session_again_is_a_part_of_a_digests_cost)
{
	struct kc_candidate *c;
	uint32_t cost;

	prepare("AES-128-CBC");
	load_policy("digests", "SHA256", NULL);
	c = policy.row[KC_ALG_SHA256];
	c->terms.is_tuned = true;
	c->is_examined = true;
	c->terms.floor = 0;
	atomic_store(&c->trust, KC_TRUSTED);
	atomic_store(&c->terms.threshold[KC_ENCRYPT], 0);
	atomic_store(&c->terms.before_look, SIZE_MAX / 4);
	cost = cost_of_digest(c);
	assert_true(cost > 0);
	assert_int_equal(cost_of_digest(c), cost);
	standin_asked = think;
	assert_true(cost_of_digest(c) > cost);
	standin_asked = NULL;
	kc_session_end_idle();
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
