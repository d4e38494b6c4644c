/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within the AEADs' differential test: makes one call on each of two contexts, ours first, and
 * compares results, lengths and the whole buffers, also after a failure.
 */
#ifndef KC_TESTS_DIFF_AEAD_CALLS_H
#define KC_TESTS_DIFF_AEAD_CALLS_H

#include "diff.h"
#include "iv_pointer.h"

#define AEAD_MARGIN   64
#define AEAD_ROOM     (80 * 1024) /* bytes: a request that is too large, and a bit */
#define AEAD_MAX_IV   128
#define AEAD_CONTEXTS 2

struct aead_pair {
	EVP_CIPHER_CTX *ctx[2]; /* ours, theirs */
	int enc;
	bool keyed, has_iv, tls;
	bool refused,
		tag_given; /* the last text; for decryption, and nothing was encrypted since */
	/* As set the last time. */
	unsigned char key[EVP_MAX_KEY_LENGTH], iv[AEAD_MAX_IV];
	int iv_len, tag_len;
	struct iv_pointer kept[2]; /* to the nonce: taken as the original one, and as the next */
};

struct aead {
	struct random random;
	EVP_CIPHER *cipher[2];
	struct aead_pair pair[AEAD_CONTEXTS];
	unsigned char *in[2], *out[2]; /* AEAD_ROOM each */
	const char *step;
	char trace[2048]; /* the calls so far, for a mismatch */
	size_t traced;
};

bool aead_fail(struct aead *d, const char *what);
bool aead_is(const struct aead *d, int mode); /* EVP_CIPH_GCM_MODE, ..._CCM_MODE or 0 */

bool call_init(struct aead *d, struct aead_pair *p, bool with_key, bool with_iv, int enc);
bool call_ctrl(struct aead *d, struct aead_pair *p, int what, int len, const void *data);

/* A parameter that changes nothing. */
bool call_padding(struct aead *d, struct aead_pair *p);

/* Text: @len bytes at @at of the in-buffers, to @to of the same or the out-buffers. */
bool call_text(struct aead *d, struct aead_pair *p, bool apart, size_t at, size_t to, size_t len,
	       bool oneshot);
/* AAD, or, NULL, the length of the text. */
bool call_aad(struct aead *d, struct aead_pair *p, const unsigned char *aad, size_t len);
bool call_final(struct aead *d, struct aead_pair *p);
bool call_get_tag(struct aead *d, struct aead_pair *p, int len);
bool call_get_params(struct aead *d, struct aead_pair *p);
/* Takes a pointer to the nonce, or writes through one. */
bool call_pointer(struct aead *d, struct aead_pair *p);
bool call_copy(struct aead *d, struct aead_pair *to, struct aead_pair *from);

/* The input of the next text, the same for both. */
void fill_input(struct aead *d, size_t len);
void put_input(struct aead *d, size_t at, const unsigned char *bytes, size_t len);

/* The default provider's result for the @len bytes at @at of theirs: in place, and the tag. */
void seal(struct aead *d, const struct aead_pair *p, const unsigned char *aad, size_t aad_len,
	  size_t at, size_t len, unsigned char *tag, int tag_len);

#endif
