/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds over the rows of the provider's table. */
#ifndef KC_TESTS_DIFF_KINDS_H
#define KC_TESTS_DIFF_KINDS_H

#include "diff/play.h"
#include "diff/row.h"

struct diff_row {
	const struct kc_alg *alg;
	struct row_of of[2]; /* ours, and OpenSSL's own */
	const char *name;
};

/* Both of a row; false if one is not there. */
bool diff_find(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct diff_row *row);

/* A round; @room: PLAY_ROOM bytes. False, and says why on stderr, if the two differ. */
bool diff_play(unsigned char *room, const struct diff_row *row, struct random source);

extern const struct kind cipher_kind, aead_kind, hash_kind;

/* An AEAD's calls: EVP's ctrl; AAD, or, NULL, the length of the text. */
bool call_ctrl(struct play *p, struct twins *t, int what, int len, const void *data);
bool call_aad(struct play *p, struct twins *t, const unsigned char *aad, size_t len);
/* The default provider's result for the @len bytes at @at of theirs: in place, and the tag. */
void aead_seal(struct play *p, const struct twins *t, const unsigned char *aad, size_t aad_len,
	       size_t at, size_t len, unsigned char *tag, int tag_len);

/* Asks for the tag that is there, by parameter and not by EVP's ctrl. */
bool tags_ask_param(struct play *p, struct twins *t, size_t len);

/* Asks both: has each one a tag of this length, or none? */
bool tags_are_as_good(struct play *p, const struct twins *t, int len);

bool tags_set_several(struct play *p, struct twins *t, unsigned char *bytes);
bool tags_set_two(struct play *p, struct twins *t, const unsigned char *right);

/* Out of turn, with 32 random bytes: a part of what makes a record; a length and its text. */
bool odd_record_part(struct play *p, struct twins *t, const unsigned char *aad);
bool odd_declared(struct play *p, struct twins *t, const unsigned char *aad);

/* TLS records of a cipher, where its mode has them. */
bool records_are_known(const struct play *p);
bool records_play(struct play *p, struct twins *t);
act cipher_do_set; /* parameters */

/* A digest's or a MAC's. */
bool hash_step_update(struct play *p, struct twins *t);
bool hash_step_final(struct play *p, struct twins *t);
bool hash_step_ask(struct play *p, struct twins *t);
act hash_do_copy;

/* Asks a cipher's or an AEAD's context for its parameters, also for the IVs. */
bool call_ask(struct play *p, struct twins *t, bool for_iv);

#endif
