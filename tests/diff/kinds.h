/* SPDX-License-Identifier: Apache-2.0 */
/* Differential rounds over the rows of the provider's table. */
#ifndef KC_TESTS_DIFF_KINDS_H
#define KC_TESTS_DIFF_KINDS_H

#include "diff/play.h"
#include "diff/row.h"

struct diff_row {
	const struct kc_alg *alg;
	struct row_of of[2]; /* kcrypto's, and OpenSSL's own */
	const char *name;
};

/* Fetches the algorithm from both providers. Returns false if either lacks it. */
bool diff_find(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct diff_row *row);

/*
 * Plays a round. @room: PLAY_ROOM bytes. If the providers differ, says how on stderr and returns
 * false.
 */
bool diff_play(unsigned char *room, const struct diff_row *row, struct random source);

extern const struct kind cipher_kind, aead_kind, hash_kind;

/* An AEAD's calls: EVP's ctrl, and AAD; an aad of NULL declares the length of the text. */
bool call_ctrl(struct play *p, struct twins *t, int what, int len, const void *data);
bool call_aad(struct play *p, struct twins *t, const unsigned char *aad, size_t len);
/*
 * Encrypts the @len bytes at @at of the reference's input in place with the default provider, and
 * makes their tag.
 */
void aead_seal(struct play *p, const struct twins *t, const unsigned char *aad, size_t aad_len,
	       size_t at, size_t len, unsigned char *tag, int tag_len);

/* Asks for the present tag, by a parameter instead of EVP's ctrl. */
bool tags_ask_param(struct play *p, struct twins *t, size_t len);

/* Asks both contexts for a tag of this length, and compares only whether they have one. */
bool tags_are_as_good(struct play *p, const struct twins *t, int len);

bool tags_set_several(struct play *p, struct twins *t, unsigned char *bytes);
bool tags_set_two(struct play *p, struct twins *t, const unsigned char *right);

/*
 * Calls out of turn, with 32 random bytes: a part of what makes a TLS record; a declared length and
 * its text.
 */
bool odd_record_part(struct play *p, struct twins *t, const unsigned char *aad);
bool odd_declared(struct play *p, struct twins *t, const unsigned char *aad);

/*
 * TLS records of a cipher, where its mode has them. records_play() returns false if the providers
 * differ.
 */
bool records_are_known(const struct play *p);
bool records_play(struct play *p, struct twins *t);
act cipher_do_set; /* sets parameters */

/* Steps of a digest or a MAC. */
bool hash_step_update(struct play *p, struct twins *t);
bool hash_step_final(struct play *p, struct twins *t);
bool hash_step_ask(struct play *p, struct twins *t);
act hash_do_copy;

/* Queries the parameters of a cipher's or an AEAD's context; for_iv: the IVs too. */
bool call_ask(struct play *p, struct twins *t, bool for_iv);

#endif
