/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine in this process: its id, its users, its configuration, and the ciphers and digests
 * that it offers on this kernel. libcrypto loads no second engine from a file that it has loaded,
 * so there is one, however many ENGINEs were made from it.
 */
#ifndef KC_ENGINE_ENGINE_H
#define KC_ENGINE_ENGINE_H

#include <openssl/engine.h>

#include "base/method.h"
#include "engine/engine_ids.h"
#include "policy/policy.h"

/*
 * Adds a user; the first one has the ciphers and digests made. 0, or -EBUSY if the engine has
 * another id. Everything here is thread-safe.
 */
int kc_engine_open(const struct kc_id *id);
/* Removes a user; the last one has the ciphers and digests freed. */
void kc_engine_close(void);

/* begin: sets the id and its configuration. end: frees all decisions; no context may be left. */
void kc_decisions_begin(const struct kc_id *id);
void kc_decisions_end(void);

/* Applies a line of the configuration. Returns the number of problems before it. */
unsigned kc_engine_set(const char *key, const char *value);

/* Returns the configuration, for the thread that sets it. */
const struct kc_config *kc_engine_config(void);

/* Returns the first candidate of a row in the present decision; NULL if there is none. */
struct kc_candidate *kc_engine_candidates(const struct kc_alg *alg);

/* Decides if necessary. Gets the OpenSSL ids of all that is offered; returns their number. */
int kc_engine_offered(enum kc_kind kind, const int **nids);

/* True if this process is the command "openssl engine", whose user wants answers from us. */
bool kc_engine_is_asked(void);

/* Returns a row's built-in implementation with our functions around it. NULL if memory is short. */
EVP_CIPHER *kc_engine_make_cipher(const struct kc_method *m);
/* The same for a digest. */
EVP_MD *kc_engine_make_digest(const struct kc_method *m);

/* The ENGINE's callback for ciphers. */
int kc_engine_ciphers(ENGINE *e, const EVP_CIPHER **cipher, const int **nids, int nid);
/* The ENGINE's callback for digests. */
int kc_engine_digests(ENGINE *e, const EVP_MD **digest, const int **nids, int nid);
/* The ENGINE's callback for commands. */
int kc_engine_ctrl(ENGINE *e, int command, long i, void *p, void (*f)(void));

#endif
