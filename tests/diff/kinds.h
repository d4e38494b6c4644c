/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds over the rows of the provider's table. */
#ifndef KC_TESTS_DIFF_KINDS_H
#define KC_TESTS_DIFF_KINDS_H

#include "diff/play.h"
#include "diff/row.h"

struct diff_row {
	const struct kc_alg *alg;
	struct row_of of[2]; /* ours, and OpenSSL's own */
	char name[KC_ALG_NAME_SIZE];
};

/* Both of a row; false if one is not there. */
bool diff_find(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct diff_row *row);

/* A round; @room: PLAY_ROOM bytes. False, and says why on stderr, if the two differ. */
bool diff_play(unsigned char *room, const struct diff_row *row, struct random source);

extern const struct kind cipher_kind, aead_kind, hash_kind;

/* Asks a cipher's or an AEAD's context for its parameters, also for the IVs. */
bool call_ask(struct play *p, struct twins *t, bool for_iv);

#endif
