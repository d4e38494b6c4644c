/* SPDX-License-Identifier: Apache-2.0 */
/* The provider is built in, over the stand-in, which the library contexts of a process share. */
#include <openssl/core.h>
#include <openssl/provider.h>

OSSL_provider_init_fn OSSL_provider_init;
void diff_setup(OSSL_LIB_CTX *ctx);

void diff_setup(OSSL_LIB_CTX *ctx)
{
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", OSSL_provider_init);
}
