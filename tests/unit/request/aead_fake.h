/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A base for the model check of AEADs: it remembers everything that it was told and that may still
 * matter, like a cipher context of OpenSSL's default provider, with all that failed and unfinished
 * messages leave there. The arithmetic is a toy; each byte changes the state.
 */
#ifndef KC_TESTS_AEAD_FAKE_H
#define KC_TESTS_AEAD_FAKE_H

#include "core/base.h"

struct fake {
	enum kc_family family;
	enum kc_dir dir;
	uint8_t key, nonce;		/* 0: none */
	uint8_t fixed, generated;	/* generated: records that were encrypted with GCM */
	bool has_nonce, used, ended;	/* a nonce is set; the message has begun; it has ended */
	bool tag_set, len_set, spoiled; /* for CCM; spoiled: until the next key */
	bool lost;			/* for GCM: no tag is right, until the next message */
	bool has_fixed, in_record;
	uint8_t record_aad[KC_RECORD_AAD];
	size_t nonce_len, tag_len, key_nonce_len, key_tag_len, total;
	uint32_t aad, text; /* hashes of all bytes of this message */

	/*
	 * The tag to compare with. GCM and ChaCha20-Poly1305 also store the last tag that they made
	 * here, and GCM stores a record's AAD.
	 */
	uint8_t tag[KC_MAX_TAG];
	unsigned tag_bytes;	  /* to compare; 0: GCM refuses, ChaCha20-Poly1305 compares none */
	uint8_t made[KC_MAX_TAG]; /* for CCM: of the last text, AAD or record */
	size_t made_bytes; /* what a request makes of it; 0: a text failed or a final came since */
};

/* The tag that every decryption accepts; its first bytes are accepted, too. */
extern const uint8_t fake_right_tag[KC_MAX_TAG];

/* Whether ChaCha20-Poly1305 behaves as in OpenSSL 4.0, where a message ends for good. */
extern bool fake_is_newer;

void fake_new(struct fake *f, enum kc_family family);

/* Lengths are in bytes. @key and @nonce are one byte, 0: unchanged. Returns 1 or 0. */
int fake_init(struct fake *f, enum kc_dir dir, uint8_t key, uint8_t nonce, size_t nonce_len);
int fake_set_length(struct fake *f, bool of_tag, size_t len);
int fake_set_fixed(struct fake *f, const uint8_t *fixed, size_t len);

/* Does a request as the kernel would, or returns -EBADMSG. */
int fake_kernel(enum kc_family family, const struct kc_key *key, const struct kc_req *req);

/*
 * Whether both have the same state, except for what nothing depends on any more. @made: the last
 * tag that was made, which @ours does not have; or NULL.
 */
bool fake_is_same(const struct fake *ours, const struct fake *plain, const uint8_t *made);

/* A base whose contexts are struct fake. */
extern const struct kc_base fake_bases[KC_FAMILY_COUNT];

#endif
