/* SPDX-License-Identifier: Apache-2.0 */
/* TLS connections with both ends in this process: a handshake, one record, and the end. */
#ifndef KC_BENCH_CONNECTION_H
#define KC_BENCH_CONNECTION_H

#include <openssl/types.h>

/*
 * For TLS 1.2 with AES-128-CBC and encrypt-then-MAC, for an accelerator that has only CBC. @pem: a
 * file with an ECDSA key, whose handshake is the cheapest, and its certificate. NULL if that fails.
 */
void *connections_new(OSSL_LIB_CTX *lib, const char *pem);
void connections_free(void *connections);

/* Makes a connection, and sends 16 KiB from server to client. 1 or 0. */
int connection_make(void *connections);

#endif
