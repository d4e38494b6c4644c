/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's context (GCM) with a key of the keyring. The kernel takes no pieces, so each request is
 * the whole message so far.
 */
#ifndef KC_KEYS_AEAD_H
#define KC_KEYS_AEAD_H

#include "keys/keyed.h"

struct kc_keyed_aead {
	struct kc_keyed keyed;
	enum kc_dir dir;
	bool has_iv;
	bool is_done; /* after final: the IV has been used */
	bool broken;  /* a request failed in the middle of the message */
	/* For all text so far, the kernel has made the tag, or has found that @tag is right. */
	bool is_whole;
	size_t aad_len, text_len, tag_len; /* bytes; tag_len 0: no tag */
	uint8_t *text;			   /* a buffer with the input; NULL: none yet */
	uint8_t iv[12], aad[KC_MAX_AAD];
	/* The program's tag: given for decryption, or made by final. It outlives a message. */
	uint8_t tag[KC_MAX_TAG];
	uint8_t made[KC_MAX_TAG]; /* for the text so far */
};

/* Like OpenSSL's provider functions: 1, or 0 with an error raised. */
kc_update_fn kc_keyed_aead_update, kc_keyed_aead_oneshot;
kc_final_fn kc_keyed_aead_final;

/* Drops AAD and text, so that a message can begin. */
void kc_keyed_aead_restart(struct kc_keyed_aead *a);

#endif
