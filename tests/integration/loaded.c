/* SPDX-License-Identifier: Apache-2.0 */
/* See loaded.h. */
#include "integration/loaded.h"

#include <openssl/crypto.h>

#include "diff/row.h"
#include "stats/stats_read.h"

/* Of a build that has the provider inside (the stand-in's); else it does nothing. */
extern void diff_setup(OSSL_LIB_CTX *ctx);

OSSL_LIB_CTX *lib;
const char *config;

int load(void **state)
{
	(void)state;
	stats_file_make();
	lib = OSSL_LIB_CTX_new();
	diff_setup(lib);
	if (!OSSL_LIB_CTX_load_config(lib, config))
		return -1;
	row_load_legacy(lib);
	return 0;
}

int unload(void **state)
{
	(void)state;
	row_unload_legacy();
	OSSL_LIB_CTX_free(lib);
	return 0;
}

unsigned long long requests(size_t row)
{
	return kc_stats_sum(&stats_file_read()->row[row]).requests;
}
