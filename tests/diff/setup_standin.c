/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider is built in, over the stand-in. KC_STANDIN_FAIL=N: every N-th request fails;
 * KC_STANDIN_BADMSG: with EBADMSG, as if a tag were wrong.
 * KC_STANDIN_CLOCK=still: nothing takes any time, and so no session has a price, on any machine.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <openssl/core.h>
#include <openssl/provider.h>

#include "core/clock.h"
#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;
void diff_setup(OSSL_LIB_CTX *ctx);

static bool is_still;

static uint64_t read_clock(clockid_t id)
{
	struct timespec t = { 0 };

	if (!is_still)
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

static void set_script(void)
{
	const char *fail = getenv("KC_STANDIN_FAIL");

	is_still = getenv("KC_STANDIN_CLOCK");
	standin_reset();
	standin.fail_one_in = fail ? (unsigned)atoi(fail) : 0;
	standin.fail_errno = getenv("KC_STANDIN_BADMSG") ? EBADMSG : 0;
	standin.after = 3000; /* long past the trials of all rows, which would fail for ever */
}

/* Several library contexts of one process share the stand-in. */
void diff_setup(OSSL_LIB_CTX *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_script);
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", OSSL_provider_init);
}
