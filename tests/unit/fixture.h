/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts over the stand-in, without OpenSSL's edge: the common start for tests of the core. */
#ifndef KC_TESTS_FIXTURE_H
#define KC_TESTS_FIXTURE_H

#include "unit/check.h"
#include "request/cipher.h"
#include "standin/standin.h"

#define LEN 200000 /* bytes of in; out and want are a block longer */

extern struct kc_policy policy;
extern uint8_t key[32], iv[16], in[LEN], out[LEN + 16], want[LEN + 16];

/* A fresh policy by these keys and values, ended by NULL. */
void load_policy(const char *first, ...) __attribute__((sentinel));

/* One for a perfect device; @ciphers as in the configuration, @verify too or NULL. */
void configure(const char *ciphers, const char *verify);

/* A context that ends with the block which declares it. */
#define LOCAL_CIPHER __attribute__((cleanup(end_cipher))) struct kc_cipher

static inline void end_cipher(struct kc_cipher **c)
{
	kc_cipher_free(*c);
}

/* A context with the key and IV above, initialised. */
struct kc_cipher *started(enum kc_alg_id id, enum kc_dir dir);

/* From that IV on anew, with the key that it has. */
void restart(struct kc_cipher *c);

/* Both, to encrypt. */
struct kc_cipher *configured(const char *ciphers, enum kc_alg_id id);

/* Software's result for the first @len bytes of in at once, without padding: into want. */
void software(enum kc_alg_id id, enum kc_dir dir, size_t len);

/* One update with the first @len bytes of in: into out. */
void feed(struct kc_cipher *c, size_t len);

/* For the group: open and close the base. */
void open_base(void);
void close_base(void);

#endif
