/* SPDX-License-Identifier: Apache-2.0 */
/* TLS by libssl and by the kernel, over loopback. */
#ifndef KC_CLI_TLS_TLS_H
#define KC_CLI_TLS_TLS_H

#include <stdbool.h>

#include <openssl/types.h>

#include "core/alg.h"

#define KC_TLS_LONGEST 16384 /* bytes of text in a record */

/* connection.c: a connection of this process to itself, of TLS 1.2, or of 1.3 if @is_13. */
struct kc_tls;

/* Loads libssl, which all connections need. NULL, or why it can't be loaded. */
const char *kc_tls_load(void);

/* True if this TLS version has a suite with this algorithm. */
bool kc_tls_has(const struct kc_alg *alg, bool is_13);

/*
 * Connects two ends that use @lib, and passes a record of the longest text. libssl is loaded, and
 * @alg has a suite. @is_ktls: the kernel does the records in both directions; with TLS 1.3, in
 * those for which this libssl uses it. Otherwise libssl does them. NULL, with *@why, if that can't
 * be had.
 */
struct kc_tls *kc_tls_open(OSSL_LIB_CTX *lib, const struct kc_alg *alg, bool is_13, bool is_ktls,
			   const char **why);

/* Returns how many of sealing and opening the kernel's TLS does. */
unsigned kc_tls_by_kernel(const struct kc_tls *tls);

/* Passes one record from the client to the server. 1; 0 if that fails. */
int kc_tls_pass(struct kc_tls *tls, const unsigned char *text, unsigned char *got, size_t len);

/* Closes the connection; @tls may be NULL. */
void kc_tls_close(struct kc_tls *tls);

/*
 * ktls.c: makes both ends of a TCP connection of this process to itself; no read or write waits
 * longer than ten seconds. False: both are -1.
 */
bool kc_loopback(int fd[2]);

/*
 * Checks records of TLS 1.2, or of 1.3 if @is_13, with AES-128-GCM: one that the kernel seals, one
 * that it opens, and a forged one that it has to refuse. NULL, or what is wrong; @is_absent:
 * nothing could be asked.
 */
const char *kc_ktls_check(bool is_13, bool *is_absent);

#endif
