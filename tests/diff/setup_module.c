/* SPDX-License-Identifier: Apache-2.0 */
/* The provider is a module, found through OPENSSL_MODULES. */
#include <openssl/types.h>

void diff_setup(OSSL_LIB_CTX *ctx);
void diff_setup(OSSL_LIB_CTX *ctx)
{
	(void)ctx;
}
