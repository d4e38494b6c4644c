/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context whose key is in the kernel. It keeps blocks and counts bytes as the default
 * provider's contexts do, and the kernel does every block.
 */
#ifndef KC_KEYS_CIPHER_H
#define KC_KEYS_CIPHER_H

#include "keys/keys.h"
#include "session/session.h"

struct kc_keyed {
	struct kc_keys *keys;
	const struct kc_alg *alg;
	struct kc_candidate *candidate; /* of the key; NULL: there is no key */
	struct kc_session session;
	int32_t serial;
	enum kc_dir dir;
	bool padding;
	bool iv_set;
	bool broken; /* a request failed in the middle of the stream */
	/*
	 * Bytes: input that waits in @block, or, of a stream mode, how much of the keystream in
	 * @block has been used; 0: none is left.
	 */
	size_t held;
	uint8_t iv[KC_MAX_IV], first_iv[KC_MAX_IV], block[16];
	/* Random bytes, and what the key makes of them; a later session must have the same key. */
	uint8_t question[16], answer[16];
	bool has_answer;
};

/*
 * Opens a session with the key, unless there is one. 0 or -errno; -ESTALE: the serial number is
 * that of another key now, or the key has other bytes.
 */
int kc_keyed_open(struct kc_keyed *c);

/*
 * Like OpenSSL's provider functions: 1, or 0 with an error raised. A whole message goes through
 * update and final, or through oneshot.
 */
int kc_keyed_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl);
int kc_keyed_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize);
int kc_keyed_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		     const unsigned char *in, size_t inl);

#endif
