/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context: the base's context, and beside it only what a detour through the kernel
 * needs. A request below the threshold is one comparison and one call into the base.
 */
#ifndef KC_REQUEST_CIPHER_CONTEXT_H
#define KC_REQUEST_CIPHER_CONTEXT_H

#include "offload/gate.h"

struct kc_cipher {
	/* Touched by every request. */
	size_t threshold;     /* bytes; KC_NO_DETOUR until an init makes one possible */
	kc_update_fn *update; /* of the base */
	void *base_ctx;
	uint64_t fed; /* bytes since the last init: says what the base holds back */

	/* By every init, with a part of the gate. */
	const struct kc_cipher_base *base;
	enum kc_dir dir, key_dir;
	bool key_set; /* our copy is the base's key */
	bool iv_set;
	bool tls;	       /* an update is a TLS record */
	bool other_key_len;    /* one was set: the base knows which */
	bool no_padding;       /* was said last, and nothing since */
	bool placed;	       /* ->place is right; else the base has to be asked */
	struct kc_place place; /* ->num: as it was when nothing was fed */
	struct kc_gate gate;
	uint8_t iv[KC_MAX_IV]; /* as given to the last init that came with one */
	uint8_t key[KC_MAX_KEY];
};

#endif
