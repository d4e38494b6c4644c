/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher whose stream is kept by its user: the input is whole blocks (in a stream mode, any
 * length), and the IV is the one in the base's context, which the user may change between two
 * calls. OpenSSL's ENGINE has such contexts. The rest is a struct kc_cipher, which lies in the
 * user's memory and is empty when zeroed.
 */
#ifndef KC_REQUEST_WHOLE_BLOCKS_H
#define KC_REQUEST_WHOLE_BLOCKS_H

#include "request/cipher.h"

/* Is the IV the only state between two calls? */
bool kc_blocks_fits(const struct kc_alg *alg);

/*
 * Sets a new key of @len bytes, in @dir, which the base has taken if @ok. An empty @c becomes one
 * of @base, with the candidates from @first on; if there are none (NULL), it stays empty, and no
 * request reaches its threshold.
 */
void kc_blocks_set_key(struct kc_cipher *c, const struct kc_cipher_base *base,
		       struct kc_candidate *first, enum kc_dir dir, const uint8_t *key, size_t len,
		       bool ok);

/*
 * Like the base's update, also below the threshold. @c is not empty. @base_ctx: a context of the
 * base, with the current key and IV.
 */
int kc_blocks_run(struct kc_cipher *c, void *base_ctx, enum kc_dir dir, unsigned char *out,
		  const unsigned char *in, size_t len);

/* @c has become a copy of another, byte by byte, and will get a session of its own. */
void kc_blocks_copied(struct kc_cipher *c);

/* Ends @c and leaves it empty. */
void kc_blocks_end(struct kc_cipher *c);

#endif
