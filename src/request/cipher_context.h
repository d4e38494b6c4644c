/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context: the base's context, plus only what a detour through the kernel needs. A request
 * below the threshold is one comparison and one call into the base.
 */
#ifndef KC_REQUEST_CIPHER_CONTEXT_H
#define KC_REQUEST_CIPHER_CONTEXT_H

#include "offload/gate.h"

struct kc_cipher {
	/* Touched by every request. */
	size_t threshold;     /* bytes; KC_NO_DETOUR until an init makes one possible */
	kc_update_fn *update; /* the base's */
	void *base_ctx;
	uint64_t fed; /* bytes since the last init: tells how many the base holds back */

	/* Touched by every init, together with a part of the gate. */
	const struct kc_cipher_base *base;
	enum kc_dir dir, key_dir;
	bool key_set; /* our copy is the base's key */
	bool iv_set;
	bool tls;	       /* an update is a TLS record */
	bool other_key_len;    /* one was set: only the base knows which */
	bool no_padding;       /* the last thing said about padding was that it is off */
	bool placed;	       /* ->place is right; otherwise ask the base */
	struct kc_place place; /* ->num: as it was before any input */
	struct kc_gate gate;
	uint8_t iv[KC_MAX_IV]; /* from the last init that had one */
	uint8_t key[KC_MAX_KEY];
};

#endif
