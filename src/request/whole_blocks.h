/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher whose stream another keeps: what comes is whole blocks (of a stream mode, any length),
 * and the IV is where the base's context says, which others may change between two calls. So are
 * the contexts of OpenSSL's ENGINE. All else is struct kc_cipher's, which lies in the other's
 * memory: of zeros it is empty.
 */
#ifndef KC_REQUEST_WHOLE_BLOCKS_H
#define KC_REQUEST_WHOLE_BLOCKS_H

#include "request/cipher.h"

/* Is the IV all that there is to know between two calls? */
bool kc_blocks_fits(const struct kc_alg *alg);

/*
 * A new key of @len bytes, in @dir, which the base has taken if @ok. An empty @c becomes one of
 * @base, with the candidates from @first on; with none (NULL) it is empty, and no request reaches
 * its threshold.
 */
void kc_blocks_set_key(struct kc_cipher *c, const struct kc_cipher_base *base,
		       struct kc_candidate *first, enum kc_dir dir, const uint8_t *key, size_t len,
		       bool ok);

/*
 * As the base's update, for what is below the threshold too. @c is not empty. @base_ctx: a context
 * of the base, with the key and the IV of now.
 */
int kc_blocks_run(struct kc_cipher *c, void *base_ctx, enum kc_dir dir, unsigned char *out,
		  const unsigned char *in, size_t len);

/* @c has become a copy of another, byte by byte, and gets a session of its own. */
void kc_blocks_copied(struct kc_cipher *c);

/* Ends @c; empty again. */
void kc_blocks_end(struct kc_cipher *c);

#endif
