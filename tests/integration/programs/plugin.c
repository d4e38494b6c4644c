/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin that loads libcrypto into a process that does not use it otherwise, and kcrypto with it.
 */
#include "integration/lives/live.h"

extern void diff_setup(OSSL_LIB_CTX *ctx);
int plugin_run(const char *config);

/* Returns 1 on success. */
__attribute__((visibility("default"))) int plugin_run(const char *config)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	EVP_CIPHER_CTX *c;
	int ok;

	live_prepare();
	diff_setup(lib);
	ok = OSSL_LIB_CTX_load_config(lib, config);
	c = live_context_of(lib, "AES-128-CBC", "provider=kcrypto");
	ok = ok && live_is_right(c);
	EVP_CIPHER_CTX_free(c);
	OSSL_LIB_CTX_free(lib);
	return ok;
}
