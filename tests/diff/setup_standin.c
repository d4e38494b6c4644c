/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider is built in, over the stand-in, which the library contexts of a process share. With
 * KC_STANDIN_CLOCK=still no call takes any time, so no session has a price, on any machine.
 */
#include <stdlib.h>
#include <time.h>

#include <openssl/core.h>
#include <openssl/provider.h>

#include "core/clock.h"

OSSL_provider_init_fn OSSL_provider_init;
void diff_setup(OSSL_LIB_CTX *ctx);

static uint64_t read_clock(clockid_t id)
{
	struct timespec t = { 0 };

	if (!getenv("KC_STANDIN_CLOCK"))
		clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t kc_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t kc_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void diff_setup(OSSL_LIB_CTX *ctx)
{
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", OSSL_provider_init);
}
