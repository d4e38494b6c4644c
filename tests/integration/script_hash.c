/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's and a MAC's letters. */
#include "integration/script.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

static const size_t part[] = { ['a' - 'a'] = 9000, ['b' - 'a'] = 20001, ['c' - 'a'] = 12 };

/* A MAC gets its key, and what it is made of, with its first message. */
static int init(struct player *p)
{
	bool is_cmac = strcmp(p->alg->mac, "CMAC") == 0;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(is_cmac ? OSSL_MAC_PARAM_CIPHER :
							   OSSL_MAC_PARAM_DIGEST,
						 (char *)(uintptr_t)p->alg->inner, 0),
		OSSL_PARAM_END,
	};

	if (!p->mac)
		return EVP_DigestInit_ex(p->digest, p->of->md, NULL);
	if (p->message)
		return EVP_MAC_init(p->mac, NULL, 0, NULL);
	return EVP_MAC_init(p->mac, (const unsigned char *)"a key of sixteen", 16, params);
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
