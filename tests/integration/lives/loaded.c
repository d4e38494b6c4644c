/* SPDX-License-Identifier: Apache-2.0 */
/* See loaded.h. */
#include "integration/lives/loaded.h"

#include <openssl/crypto.h>

#include "diff/row.h"
#include "unit/check.h"

OSSL_LIB_CTX *lib;

OSSL_LIB_CTX *library_with(const char *config)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

	diff_setup(ctx);
	if (OSSL_LIB_CTX_load_config(ctx, config))
		return ctx;
	OSSL_LIB_CTX_free(ctx);
	return NULL;
}

void load(void)
{
	stats_file_make();
	lib = library_with(arguments[0]);
	assert_non_null(lib);
	row_load_legacy(lib);
}

void unload(void)
{
	row_unload_legacy();
	OSSL_LIB_CTX_free(lib);
	lib = NULL;
}
