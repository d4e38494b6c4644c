/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs that use an algorithm as programs do: load by openssl.cnf, messages in both
 * directions, apart and in place, restart, copy, a second context, a new key, free. One per kind.
 */
#ifndef KC_TESTS_WORKLOAD_H
#define KC_TESTS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/types.h>

struct workload {
	const char *name;  /* OpenSSL's; of a MAC that of its kind */
	const char *inner; /* of a MAC: its digest or cipher */
	const char *query; /* properties to fetch with */
	unsigned char *transcript;
	size_t len;		 /* bytes written to it, at most WORKLOAD_SIZE */
	void (*begun)(void);	 /* after the first message; or NULL */
	bool (*recovered)(void); /* after each request more of the oldest context; or NULL */
};

#define WORKLOAD_SIZE (1024 * 1024)

/*
 * Writes all output to the transcript, with the verdicts. NULL, or the first problem: a call
 * failed, a successful call changed errno or left something in the error queue, or the context did
 * not recover.
 */
typedef const char *workload_fn(OSSL_LIB_CTX *lib, struct workload *w);

workload_fn workload_cipher; /* AES-128-CBC and its like: keys of 16 bytes */
workload_fn workload_aead;   /* messages and TLS 1.2 records, right ones and forged ones */
workload_fn workload_digest, workload_mac;

#endif
