/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine is in this process: its id, its configuration, and what it offers. libcrypto
 * loads no second engine from a file that it has loaded, so there is one, however many ENGINEs it
 * has been.
 */
#ifndef KC_ENGINE_ENGINE_H
#define KC_ENGINE_ENGINE_H

#include <openssl/engine.h>

#include "engine/engine_ids.h"
#include "policy/policy.h"

/*
 * A user more, or less. The first one has @make called, under the lock, the last one @drop. 0 or
 * -EBUSY, where it has another id. All here is thread-safe.
 */
int kc_engine_open(const struct kc_id *id, void (*make)(void));
void kc_engine_close(void (*drop)(void));

/* A line of the configuration. The number of problems before it. */
unsigned kc_engine_set(const char *key, const char *value);

/* The configuration, for who sets it. */
const struct kc_config *kc_engine_config(void);

/* The first candidate of a row, as it is decided now; NULL: none. */
struct kc_candidate *kc_engine_candidates(const struct kc_alg *alg);

/* Decides if that is to be done. The number of OpenSSL's ids in @nids, of all that is offered. */
int kc_engine_offered(enum kc_kind kind, const int **nids);

/* The row of OpenSSL's id; NULL if there is none. */
const struct kc_alg *kc_engine_row(enum kc_kind kind, int nid);

/* Is this process the command "openssl engine", whose user asks for answers by us? */
bool kc_engine_is_asked(void);

/* For kc_engine_open() and kc_engine_close(). */
void kc_engine_make_ciphers(void);
void kc_engine_free_ciphers(void);
void kc_engine_make_digests(void);
void kc_engine_free_digests(void);

/* The ENGINE's callbacks. */
int kc_engine_ciphers(ENGINE *e, const EVP_CIPHER **cipher, const int **nids, int nid);
int kc_engine_digests(ENGINE *e, const EVP_MD **digest, const int **nids, int nid);
int kc_engine_ctrl(ENGINE *e, int command, long i, void *p, void (*f)(void));

#endif
