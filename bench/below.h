/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of calls below the threshold through us, compared with the default provider's. */
#ifndef KC_BENCH_BELOW_H
#define KC_BENCH_BELOW_H

#include <openssl/types.h>

/*
 * Times every case, with the two sides taking turns, and prints it with its goal. Exits if a call
 * fails.
 */
void below(OSSL_LIB_CTX *lib, unsigned rounds);

/*
 * For bench/count: runs every case a hundred times on each side, default provider first, and prints
 * its name; callgrind counts in between.
 */
void below_count(OSSL_LIB_CTX *lib);

#endif
