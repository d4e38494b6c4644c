/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's context (GCM) whose key is in the kernel. Each request is the message so far, as a
 * whole: the kernel takes no pieces.
 */
#ifndef KC_KEYS_AEAD_H
#define KC_KEYS_AEAD_H

#include "keys/keyed.h"

struct kc_keyed_aead {
	struct kc_keyed keyed;
	enum kc_dir dir;
	bool has_iv;
	bool is_done; /* final was called: the IV has been used */
	bool broken;  /* a request failed in the middle of the message */
	/* Of all text so far, the kernel has made the tag, or has found that @tag is right. */
	bool is_whole;
	size_t aad_len, text_len, tag_len; /* bytes; no tag: 0 */
	uint8_t *text;			   /* a buffer with the input; NULL: there is none yet */
	uint8_t iv[12], aad[KC_MAX_AAD];
	/* As the program sees it: given for decryption, or made by final. It outlives a message. */
	uint8_t tag[KC_MAX_TAG];
	uint8_t made[KC_MAX_TAG]; /* for the text so far */
};

/* Like OpenSSL's provider functions: 1, or 0 with an error raised. */
kc_update_fn kc_keyed_aead_update, kc_keyed_aead_oneshot;
kc_final_fn kc_keyed_aead_final;

/* Forgets AAD and text, so that a message can begin. */
void kc_keyed_aead_restart(struct kc_keyed_aead *a);

#endif
