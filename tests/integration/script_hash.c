/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's and a MAC's letters. */
#include "integration/script.h"

static const size_t part[] = { ['a' - 'a'] = 9000, ['b' - 'a'] = 20001, ['c' - 'a'] = 12 };

void script_hash_step(struct player *p, char letter)
{
	/* A MAC gets its key, and what it is made of, with its first message. */
	const char *key = p->message ? NULL : "a key of sixteen";
	size_t n = 0;
	bool ok;

	if (letter == 'i') {
		ok = hash_start(&p->hash, (const unsigned char *)key, 16);
	} else if (letter == 'f') {
		n = hash_final(&p->hash, p->room);
		ok = n > 0;
		p->message++;
	} else if (letter >= 'a' && letter <= 'c') {
		ok = hash_update(&p->hash, p->in, part[letter - 'a']);
	} else {
		script_die("no such letter");
		return;
	}
	script_note(p, ok, p->room, n);
}
