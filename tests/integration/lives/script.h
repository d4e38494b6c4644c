/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a context as a string, one letter a call: played on the default provider and on us,
 * it has to leave the same log. For all kinds: N new, R free. Of a cipher:
 *
 *   B init: key, IV    b the same, other ones   I other IV
 *   s update of 100 bytes     L large, odd             U large, unaligned
 *   P update in place, of more than a request          W all of a message in place, with final
 *   C copy             D large on the copy
 *   F final            f final of the copy      r free the copy
 *
 * Of an AEAD:
 *
 *   k init: key, IV, AAD    K with another key    i without a key    x with a wrong tag, decrypting
 *   u all of the text       p in place            h half of it, which not all AEADs take; the
 *                                                   second one in place
 *   f final                 g the right tag, decrypting             C copy    e final of the copy
 *   n the next message is due, although this one has had no final
 *   T start of TLS records  t a record            X a forged one, decrypting
 *
 * Of a digest or MAC:
 *
 *   i init                  K with another key    a b c d the parts of a message
 *   f final                 C copy                D part b on the copy    e final of the copy
 */
#ifndef KC_TESTS_SCRIPT_H
#define KC_TESTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#include "diff/row.h"
#include "integration/lives/message.h"

#define SCRIPT_LOG  (256 * 1024)
#define SCRIPT_ROOM 81920

/* Shared by all players, and the same in every run, unless a test replaces it. */
extern struct script_input {
	unsigned char key[2][KC_MAX_KEY], iv[2][KC_MAX_IV], text[SCRIPT_ROOM];
} script_input;

struct player {
	const struct kc_alg *alg;
	const struct row_of *of;
	int enc;
	bool seals; /* encrypting: its messages are kept for players that decrypt */
	/* Called after each call; or NULL. */
	void (*made)(bool ok, const unsigned char *out, size_t len);
	EVP_CIPHER_CTX *c, *copy;
	struct hash hash, hash_copy;
	unsigned message;	       /* number of the next one */
	size_t at;		       /* bytes of its text that are done */
	size_t n;		       /* bytes of the log */
	unsigned char log[SCRIPT_LOG]; /* for each call: its result, the length, the output */
	unsigned char room[SCRIPT_ROOM], iv[MESSAGE_IV];
};

/* Starts again, with an empty log. */
void player_begin(struct player *p, const struct kc_alg *alg, const struct row_of *of, int enc);

/* Makes one call. */
void player_step(struct player *p, char letter);
void player_run(struct player *p, const char *script);

/* Frees all contexts. */
void player_end(struct player *p);

bool player_same(const struct player *a, const struct player *b);

/* Erases all data that the player handled. Its contexts live on. */
void player_wipe(struct player *p);

/* For script.c: the meaning of the kinds' letters. */
void script_note(struct player *p, int result, const unsigned char *out, size_t len);
void script_die(const char *what);
void script_copy(struct player *p);
void script_let_go(EVP_CIPHER_CTX **c);
void script_aead_step(struct player *p, char letter);
void script_hash_step(struct player *p, char letter);

#endif
