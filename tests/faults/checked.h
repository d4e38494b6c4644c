/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within the workloads: every call is checked in the same way, so that the list of them reads like
 * a program.
 */
#ifndef KC_TESTS_CHECKED_H
#define KC_TESTS_CHECKED_H

#include <openssl/evp.h>

#include "faults/workload.h"

#define CHECKED_LARGE 80000 /* bytes: two requests of a cipher */
#define CHECKED_AGAIN 60000 /* bytes: one request of any kind */

extern const unsigned char checked_key[33], checked_other_key[33];
extern const unsigned char checked_iv[17], checked_other_iv[17];
extern unsigned char checked_plain[CHECKED_LARGE];

void checked_begin(struct workload *w);
const char *checked_end(void);

void checked_must(bool ok, const char *what);

/* To call before a call whose success is checked, if others were made in between. */
void checked_ready(void);

/* The end of every call: it succeeded, and left no trace. */
void checked_done(bool ok, const char *what);

/* The end of a call that may fail, as it does in the default provider. Returns @ok. */
bool checked_may_fail(bool ok);

/* A context of the workload's cipher or AEAD, without a key. */
EVP_CIPHER_CTX *checked_cipher(OSSL_LIB_CTX *lib, struct workload *w);

/* From @in to the transcript's end; @in NULL: in place there, what lies there already. */
void checked_update(struct workload *w, EVP_CIPHER_CTX *c, const unsigned char *in, size_t len);
void checked_free(EVP_CIPHER_CTX *c);

/* What it said, to the transcript. */
void checked_verdict(struct workload *w, bool ok);

/*
 * The context lives on: it is right, and goes to the kernel again. @again: one message that writes
 * CHECKED_AGAIN bytes at most.
 */
void checked_recover(struct workload *w, void (*again)(struct workload *w, void *ctx), void *ctx);

#endif
