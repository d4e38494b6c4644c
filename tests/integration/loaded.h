/* SPDX-License-Identifier: Apache-2.0 */
/* A library context with the provider in it, for a group of tests; its requests are counted. */
#ifndef KC_TESTS_LOADED_H
#define KC_TESTS_LOADED_H

#include <openssl/types.h>

#include "diff/stats_file.h"

extern OSSL_LIB_CTX *lib;
extern const char *config; /* set it before the group runs */

int load(void **state);
int unload(void **state);

/* Requests that the kernel has done so far. */
unsigned long long requests(size_t row);

#endif
