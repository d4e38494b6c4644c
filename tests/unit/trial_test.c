/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trial decides, by a clock that shows what the test says: each request takes its price,
 * and what else the machine does comes on top.
 */
#include "fixture.h"

#include <string.h>

#include "base/base.h"
#include "core/clock.h"
#include "core/route.h"
#include "core/trial.h"

#define ID	 KC_ALG_AES_128_CBC
#define LIMIT	 65536
#define MS	 1000000 /* ns */
#define CROSSING 16384

/* Of all requests: so much, and so much per byte. */
struct price {
	uint64_t once, per_kib; /* ns */
};

static uint64_t now;
static struct price soft, kernel;
static unsigned (*disturbance)(unsigned i); /* of the i-th request, percent of its price */
static unsigned disturbed;
static const struct kc_base *real;
static struct kc_base timed;

uint64_t kc_now_ns(void)
{
	return now;
}

static void spend(const struct price *price, size_t len)
{
	uint64_t ns = price->once + price->per_kib * len / 1024;

	now += ns + (disturbance ? ns * disturbance(disturbed++) / 100 : 0);
}

static void kernel_works(size_t len)
{
	spend(&kernel, len);
}

static void *timed_newctx(const struct kc_base *base)
{
	(void)base;
	return real->newctx(real);
}

static int timed_whole(const struct kc_base *base, void *ctx, const struct kc_key *with,
		       const struct kc_req *req)
{
	(void)base;
	spend(&soft, req->len);
	return real->whole(real, ctx, with, req);
}

/* Where the kernel takes @once more and nothing per byte the lines cross at CROSSING, and an eighth. */
static struct kc_choice *prepare(const char *ciphers)
{
	configure(ciphers, NULL);
	real = kc_base_get(&kc_algs[ID]);
	timed = *real;
	timed.newctx = timed_newctx;
	timed.whole = timed_whole;
	standin.working = kernel_works;
	soft = (struct price){ .per_kib = 16000 };
	kernel = (struct price){ .once = soft.per_kib * CROSSING / 1024 };
	disturbance = NULL;
	disturbed = 0;
	return policy.row[ID];
}

static void the_threshold_is_where_the_lines_cross(void **state)
{
	struct kc_choice *c = prepare("AES-128-CBC");

	(void)state;
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_int_equal(c->threshold[dir], CROSSING + CROSSING / 8);
	kernel.once = soft.per_kib * LIMIT / 1024;
	assert_int_equal(kc_trial_run(c, &timed), KC_SLOWER);
}

/* The numbers are beyond 32 bits on the way. */
static void the_speed_is_right_whatever_a_size_t_holds(void **state)
{
	struct kc_choice *c = prepare("AES-128-CBC");

	(void)state;
	soft.per_kib *= 4;
	kernel = (struct price){ .once = MS };
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	assert_int_equal(c->speed, LIMIT - 1);
}

static unsigned mostly(unsigned i)
{
	static const unsigned percent[] = { 300, 170, 40, 900, 3, 260, 80, 1, 400, 5, 90 };

	return percent[i % COUNT(percent)];
}

static unsigned at_first(unsigned i)
{
	return i < 24 ? 700 - 25 * i : 0;
}

static unsigned all_else_but_one_in_five(unsigned i)
{
	return i % 5 == 2 ? 0 : 150 + i * 37 % 500;
}

static void noise_moves_no_threshold_by_much(void **state)
{
	static unsigned (*const noises[])(unsigned) = { mostly, at_first,
							all_else_but_one_in_five };

	(void)state;
	for (size_t i = 0; i < 20 * COUNT(noises); i++) {
		struct kc_choice *c = prepare("AES-128-CBC");

		disturbance = noises[i / 20];
		disturbed = (unsigned)i % 20;
		assert_int_equal(kc_trial_run(c, &timed), KC_OK);
		for (int dir = 0; dir < 2; dir++)
			assert_in_range(c->threshold[dir], CROSSING, CROSSING * 3 / 2);
	}
}

/* Each request takes longer than the one before: no two are ever alike. */
static unsigned ever_more(unsigned i)
{
	return i * i * 20;
}

static void a_trial_ends_where_no_two_runs_agree(void **state)
{
	struct kc_choice *c = prepare("AES-128-CBC");

	(void)state;
	disturbance = ever_more;
	kc_trial_run(c, &timed);
	assert_in_range(standin.requests, 20, 100);
}

/* Nothing depends on how fast they are, so nothing is repeated. */
static void with_a_configured_threshold_a_trial_takes_as_many_requests_each_time(void **state)
{
	struct kc_choice *c = prepare("AES-128-CBC:0");
	unsigned quiet;

	(void)state;
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	quiet = standin.requests;
	disturbance = ever_more;
	assert_int_equal(kc_trial_run(c, &timed), KC_OK);
	assert_int_equal(standin.requests, 2 * quiet);
}

/* Requests of LIMIT bytes that software did before the next trial. */
static unsigned until_next_trial(struct kc_route *route)
{
	const struct kc_key with = { .bytes = key, .len = 16 };
	unsigned before = standin.opened, n = 0;

	while (standin.opened == before && n < 1000000) {
		kc_route_renew(route, KC_ENCRYPT);
		assert_true(route->smallest <= LIMIT);
		kc_route_open(route, &timed, KC_ENCRYPT, &with, LIMIT);
		n++;
	}
	return n;
}

/* A trial of a driver that loses costs a hundredth of what software did meanwhile, and ever less. */
static void slower_is_no_word_for_ever(void **state)
{
	struct kc_choice *c = prepare("AES-128-CBC");
	const uint64_t request_ns = soft.per_kib * LIMIT / 1024;
	struct kc_route route;
	unsigned waited = 0;
	uint64_t took;

	(void)state;
	kernel.once = 3 * MS;
	kc_route_init(&route, c);
	for (int trial = 0; trial < 3; trial++) {
		uint64_t start = now;
		unsigned n = until_next_trial(&route);

		took = now - start;
		if (trial)
			assert_true(n * request_ns >= 32 * took && n >= waited * 3 / 2);
		waited = n;
	}
	kernel.once = MS / 10;
	until_next_trial(&route);
	assert_int_equal(c->trust, KC_TRUSTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_threshold_is_where_the_lines_cross),
		cmocka_unit_test(the_speed_is_right_whatever_a_size_t_holds),
		cmocka_unit_test(noise_moves_no_threshold_by_much),
		cmocka_unit_test(a_trial_ends_where_no_two_runs_agree),
		cmocka_unit_test(
			with_a_configured_threshold_a_trial_takes_as_many_requests_each_time),
		cmocka_unit_test(slower_is_no_word_for_ever),
	};

	return cmocka_run_group_tests_name("trial", tests, open_base, close_base);
}
