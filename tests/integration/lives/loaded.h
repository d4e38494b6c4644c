/* SPDX-License-Identifier: Apache-2.0 */
/* A library context with the provider in it, for a group of tests. Its requests are counted. */
#ifndef KC_TESTS_LOADED_H
#define KC_TESTS_LOADED_H

#include <openssl/types.h>

#include "diff/stats_file.h"

/*
 * Adds the provider to the context where it is built into the program, as over the stand-in; else
 * does nothing.
 */
void diff_setup(OSSL_LIB_CTX *ctx);

/* A library context that a configuration was loaded into. NULL: that failed. */
OSSL_LIB_CTX *library_with(const char *config);

/* The library context with the program's first argument, for the group. */
extern OSSL_LIB_CTX *lib;
void load(void);
void unload(void);

#endif
