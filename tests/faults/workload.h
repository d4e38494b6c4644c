/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small program that does to ciphers what programs do: load by openssl.cnf, encrypt, decrypt in
 * place, start again by IV alone, copy, a second context, a new key, free.
 */
#ifndef KC_TESTS_WORKLOAD_H
#define KC_TESTS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/types.h>

struct workload {
	const char *cipher; /* AES-128-CBC and its like: keys of 16 bytes */
	const char *query;  /* properties to fetch with */
	unsigned char *transcript;
	size_t len;		 /* bytes written to it, at most WORKLOAD_SIZE */
	bool (*recovered)(void); /* after each request more of the oldest context; or NULL */
};

#define WORKLOAD_SIZE (512 * 1024)

/*
 * Writes all output to the transcript. NULL, or what went wrong: a call failed, errno was changed
 * or something is left in the error queue by a call that succeeded, or it did not recover.
 */
const char *workload_play(OSSL_LIB_CTX *lib, struct workload *w);

#endif
