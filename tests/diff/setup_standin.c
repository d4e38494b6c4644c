/* SPDX-License-Identifier: Apache-2.0 */
/* The provider is built in, over the stand-in. KC_STANDIN_FAIL=N: every N-th request fails. */
#include <pthread.h>
#include <stdlib.h>

#include <openssl/core.h>
#include <openssl/provider.h>

#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;
void diff_setup(OSSL_LIB_CTX *ctx);

static void set_script(void)
{
	const char *fail = getenv("KC_STANDIN_FAIL");

	standin_reset();
	standin.fail_one_in = fail ? (unsigned)atoi(fail) : 0;
	standin.after = 3000; /* long past the trials of all rows, which would fail for ever */
}

/* Several library contexts of one process share the stand-in. */
void diff_setup(OSSL_LIB_CTX *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_script);
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", OSSL_provider_init);
}
