/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that takes longer after software has worked, because its code and data are no longer in
 * the caches: what a process learns of it. In a pair software works after each request, so pairs
 * alone never see what the driver takes if it does all requests.
 */
#include "unit/offload/timed.h"

#include <string.h>

#define UPDATE 16384

static unsigned cold_percent;
static size_t by_kernel; /* requests */

/* A request is warm if the one before was the kernel's, and no pair. */
static bool is_warm;

static void work(size_t len)
{
	uint64_t ns = kernel.once + kernel.per_kib * len / 1024;

	now += is_warm ? ns : ns * cold_percent / 100;
	is_warm = true;
	by_kernel++;
}

static int by_software(const struct kc_base *base, void *ctx, const struct kc_key *with,
		       const struct kc_req *req)
{
	const struct kc_base *real = kc_base_get(&kc_algs[ID]);

	(void)base;
	now += soft.per_kib * req->len / 1024;
	is_warm = false;
	return real->whole(real, ctx, with, req);
}

/*
 * Updates of one length, for which software takes 256 us. Returns how many of the last hundred the
 * kernel did.
 */
static size_t play(uint64_t kernel_per_kib)
{
	const unsigned updates = 20000;
	struct kc_candidate *c = prepare("AES-128-CBC");
	struct kc_cipher *x = kc_cipher_new(&timed, c);
	size_t before = 0;

	standin.working = work;
	timed.whole = by_software;
	kernel = (struct price){ 10000, kernel_per_kib };
	by_kernel = 0;
	assert_true(timed.init(&timed, x->base_ctx, KC_ENCRYPT, key, iv));
	kc_cipher_started(x, KC_ENCRYPT, key, 16, iv, 16, true);
	for (unsigned i = 0; i < updates; i++) {
		size_t done = by_kernel;

		if (i == updates - 100)
			before = by_kernel;
		feed(x, UPDATE);
		if (by_kernel == done)
			is_warm = false;
	}
	kc_cipher_free(x);
	return by_kernel - before;
}

TEST(a_driver_that_is_faster_when_it_is_warm_gets_the_requests)
{
	cold_percent = 300;
	assert_true(play(7000) >= 95);
}

/* Alone, too, it takes longer than software, which the trial's short requests do not show. */
TEST(a_driver_that_is_slower_when_it_is_warm_does_not)
{
	cold_percent = 110;
	assert_true(play(17000) <= 5);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
