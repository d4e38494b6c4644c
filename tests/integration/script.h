/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a context as a string, one letter a call: played on the default provider and on us,
 * it has to leave the same log.
 *
 *   N new          B init: key, IV     b the same, other ones   k key, no IV    i IV, no key
 *   K other key    I other IV          0 1 o s  updates of 0, 1, 37, 100 bytes
 *   L large, odd   M large, whole blocks         P large, in place           U large, unaligned
 *   C copy         D large on the copy           X the copy and the original change places
 *   F final        f final of the copy           R free       r free the copy
 */
#ifndef KC_TESTS_SCRIPT_H
#define KC_TESTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#define SCRIPT_LOG  (256 * 1024)
#define SCRIPT_ROOM 32768

struct player {
	const EVP_CIPHER *cipher;
	int enc;
	EVP_CIPHER_CTX *c, *copy;
	bool keyed;
	size_t n;		       /* bytes of the log */
	unsigned char log[SCRIPT_LOG]; /* of each call: what it returned, the length, the output */
	unsigned char in[SCRIPT_ROOM], room[SCRIPT_ROOM];
};

/* Starts over, with an empty log. */
void player_begin(struct player *p, const EVP_CIPHER *cipher, int enc);

/* One call. */
void player_step(struct player *p, char letter);
void player_run(struct player *p, const char *script);

bool player_same(const struct player *a, const struct player *b);

/* Is it a letter that hands over a large request? */
bool script_large(char letter);

#endif
