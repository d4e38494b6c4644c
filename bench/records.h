/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of TLS records for the machine; needs /proc/stat in hundredths of a second. */
#ifndef KC_BENCH_RECORDS_H
#define KC_BENCH_RECORDS_H

#include <openssl/types.h>

/* Measures and prints. 1, or 0 if a record fails or the provider does not offer the cipher. */
int records(OSSL_LIB_CTX *lib);

#endif
