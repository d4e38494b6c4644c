/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trial decides, by a clock that shows what the test says: each request takes its price.
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
static const struct kc_base *real;
static struct kc_base timed;

uint64_t kc_now_ns(void)
{
	return now;
}

static void spend(const struct price *price, size_t len)
{
	now += price->once + price->per_kib * len / 1024;
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
	real = &kc_base_cipher(&kc_algs[ID])->core.common;
	timed = *real;
	timed.newctx = timed_newctx;
	timed.whole = timed_whole;
	standin.working = kernel_works;
	soft = (struct price){ .per_kib = 16000 };
	kernel = (struct price){ .once = soft.per_kib * CROSSING / 1024 };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_threshold_is_where_the_lines_cross),
		cmocka_unit_test(the_speed_is_right_whatever_a_size_t_holds),
	};

	return cmocka_run_group_tests_name("trial", tests, open_base, close_base);
}
