/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts over the stand-in, without the provider or the engine: the common setup for tests of the
 * core.
 */
#ifndef KC_TESTS_FIXTURE_H
#define KC_TESTS_FIXTURE_H

#include "unit/check.h"
#include "request/cipher.h"
#include "standin/standin.h"

#define LEN 200000 /* bytes of in; out and want are a block longer */

extern struct kc_policy policy;
extern uint8_t key[32], iv[16], in[LEN], out[LEN + 16], want[LEN + 16];

/* Loads a new policy from these keys and values; NULL ends them. */
void load_policy(const char *first, ...) __attribute__((sentinel));

/*
 * Loads a policy for a perfect device. @ciphers as in the configuration; @verify likewise, or NULL.
 */
void configure(const char *ciphers, const char *verify);

/* A context that is freed at the end of the block that declares it. */
#define LOCAL_CIPHER __attribute__((cleanup(end_cipher))) struct kc_cipher

static inline void end_cipher(struct kc_cipher **c)
{
	kc_cipher_free(*c);
}

/* Makes and initialises a context with the key and IV above. */
struct kc_cipher *started(enum kc_alg_id id, enum kc_dir dir);

/* Starts the context again with that IV, and the key that it has. */
void restart(struct kc_cipher *c);

/* configure() and started(), to encrypt. */
struct kc_cipher *configured(const char *ciphers, enum kc_alg_id id);

/*
 * Computes software's result for the first @len bytes of in, at once and without padding, into
 * want.
 */
void software(enum kc_alg_id id, enum kc_dir dir, size_t len);

/* Makes one update with the first @len bytes of in, into out. */
void feed(struct kc_cipher *c, size_t len);

/* For the group of tests: open and close the base. */
void open_base(void);
void close_base(void);

#endif
