/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's and a MAC's letters. */
#include "integration/script.h"

#include "integration/message.h"

static const size_t part[] = { ['a' - 'a'] = 9000, ['b' - 'a'] = 20001, ['c' - 'a'] = 12 };

/* A MAC gets its key, and what it is made of, with its first message. */
static int init(struct player *p)
{
	const char *key = p->message ? NULL : "a key of sixteen";

	return p->mac ? mac_start(p->mac, p->alg->mac, p->alg->inner, (const unsigned char *)key,
				  16) :
			EVP_DigestInit_ex(p->digest, p->of->md, NULL);
}

static void final(struct player *p)
{
	size_t n = p->of->md ? (size_t)EVP_MD_get_size(p->of->md) : 0;
	int ok = p->mac ? EVP_MAC_final(p->mac, p->room, &n, sizeof(p->room)) :
			  EVP_DigestFinal_ex(p->digest, p->room, NULL);

	script_note(p, ok, p->room, n);
	p->message++;
}

void script_hash_step(struct player *p, char letter)
{
	if (letter == 'i')
		script_note(p, init(p), NULL, 0);
	else if (letter == 'f')
		final(p);
	else if (letter < 'a' || letter > 'c')
		script_die("no such letter");
	else if (p->mac)
		script_note(p, EVP_MAC_update(p->mac, p->in, part[letter - 'a']), NULL, 0);
	else
		script_note(p, EVP_DigestUpdate(p->digest, p->in, part[letter - 'a']), NULL, 0);
}
