/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's and a MAC's letters. */
#include "integration/lives/script.h"

static void start(struct player *p, const unsigned char *key)
{
	size_t len = p->alg->key_len ? p->alg->key_len : KC_MAX_KEY;

	script_note(p, hash_start(&p->hash, key, len), NULL, 0);
}

static void update(struct player *p, const struct hash *h, size_t len)
{
	script_note(p, hash_update(h, script_input.text, len), NULL, 0);
}

static void end(struct player *p, const struct hash *h)
{
	size_t n = hash_final(h, p->room);

	script_note(p, n > 0, p->room, n);
}

static void copy(struct player *p)
{
	p->hash_copy = hash_copy(&p->hash);
	script_note(p, p->hash_copy.md || p->hash_copy.mac, NULL, 0);
}

void script_hash_step(struct player *p, char letter)
{
	/* The longest part is longer than what is held back of a message. */
	static const size_t part[] = { 9000, 20001, 12, 79992 };

	switch (letter) {
	case 'i':
		/* A MAC gets its key and its algorithm with its first message. */
		return start(p, p->message ? NULL : script_input.key[0]);
	case 'K':
		return start(p, script_input.key[1]);
	case 'a':
	case 'b':
	case 'c':
	case 'd':
		return update(p, &p->hash, part[letter - 'a']);
	case 'C':
		return copy(p);
	case 'D':
		return update(p, &p->hash_copy, part[1]);
	case 'e':
		end(p, &p->hash_copy);
		return hash_free(&p->hash_copy);
	case 'f':
		p->message++;
		return end(p, &p->hash);
	}
	script_die("no such letter");
}
