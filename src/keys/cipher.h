/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context with a key of the keyring. It keeps blocks and counts bytes as the default
 * provider's contexts do, but the kernel does every block.
 */
#ifndef KC_KEYS_CIPHER_H
#define KC_KEYS_CIPHER_H

#include "keys/keyed.h"

struct kc_keyed_cipher {
	struct kc_keyed keyed;
	enum kc_dir dir;
	bool padding;
	bool iv_set;
	bool broken; /* a request failed in the middle of the stream */
	/*
	 * Bytes: a block mode's input that waits in @block; a stream mode's used part of the
	 * keystream in @block, or 0 if none is left.
	 */
	size_t held;
	uint8_t iv[KC_MAX_IV], first_iv[KC_MAX_IV], block[16];
};

/*
 * Like OpenSSL's provider functions: 1, or 0 with an error raised. A whole message goes through
 * update and final, or through oneshot.
 */
kc_update_fn kc_keyed_cipher_update, kc_keyed_cipher_oneshot;
kc_final_fn kc_keyed_cipher_final;

#endif
