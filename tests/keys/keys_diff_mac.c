/* SPDX-License-Identifier: Apache-2.0 */
/* A round of HMAC: several messages in one context, in pieces of any length, and copies of it. */
#include "keys/keys_diff.h"

#include <string.h>

#include <openssl/err.h>

/* In both worlds. */
struct pair {
	EVP_MAC_CTX *ours, *theirs;
	size_t key_len;
	bool keyed;
};

/* With a key, or without one to begin again; the digest with it or before. */
static bool init(struct pair *p)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)play.name, 0),
		OSSL_PARAM_construct_end(),
	};
	bool with_key = !p->keyed || random_below(&play.rnd, 2);
	bool before = !p->keyed && random_below(&play.rnd, 2);
	size_t k = random_below(&play.rnd, KEYS_AT_ONCE);
	struct outcome x, y;

	play.step = with_key ? "init" : "restart";
	if (before && (!EVP_MAC_CTX_set_params(p->ours, params) ||
		       !EVP_MAC_CTX_set_params(p->theirs, params)))
		return diff_fail("the digest is refused");
	outcome_clear();
	x = outcome_of(with_key ?
			       EVP_MAC_init_SKEY(p->ours, play.skeys[k], before ? NULL : params) :
			       EVP_MAC_init(p->ours, NULL, 0, NULL));
	if (x.ok <= 0)
		ERR_print_errors_fp(stderr);
	outcome_clear();
	y = outcome_of(EVP_MAC_init(p->theirs, with_key ? play.bytes[k] : NULL,
				    with_key ? p->key_len : 0,
				    with_key && !before ? params : NULL));
	p->keyed = true;
	return diff_same(x, y);
}

static bool update(struct pair *p)
{
	static const size_t limits[] = { 1, 17, 64, 300, 300, 2000, 5000, 20000, 66000, LONGEST };
	size_t n = random_below(&play.rnd, limits[random_below(&play.rnd, 10)]);
	size_t at = random_below(&play.rnd, 32);
	struct outcome x, y;

	play.step = "update";
	random_bytes(&play.rnd, play.in + at, n);
	outcome_clear();
	x = outcome_of(EVP_MAC_update(p->ours, play.in + at, n));
	outcome_clear();
	y = outcome_of(EVP_MAC_update(p->theirs, play.in + at, n));
	return diff_same(x, y);
}

/* The copies go on, half of the time. */
static bool copy(struct pair *p)
{
	EVP_MAC_CTX *x, *y;
	struct outcome ours, theirs;

	play.step = "copy";
	outcome_clear();
	x = EVP_MAC_CTX_dup(p->ours);
	ours = outcome_of(x != NULL);
	if (!x)
		ERR_print_errors_fp(stderr);
	outcome_clear();
	y = EVP_MAC_CTX_dup(p->theirs);
	theirs = outcome_of(y != NULL);
	if (x && y && random_below(&play.rnd, 2)) {
		EVP_MAC_CTX_free(p->ours);
		EVP_MAC_CTX_free(p->theirs);
		p->ours = x;
		p->theirs = y;
	} else {
		EVP_MAC_CTX_free(x);
		EVP_MAC_CTX_free(y);
	}
	return diff_same(ours, theirs);
}

static bool final(struct pair *p)
{
	unsigned char a[EVP_MAX_MD_SIZE] = { 0 }, b[EVP_MAX_MD_SIZE] = { 0 };
	struct outcome x, y;
	size_t n = 0, m = 0;

	play.step = "final";
	outcome_clear();
	x = outcome_of(EVP_MAC_final(p->ours, a, &n, sizeof(a)));
	outcome_clear();
	y = outcome_of(EVP_MAC_final(p->theirs, b, &m, sizeof(b)));
	if (!diff_same(x, y))
		return false;
	if (n != m || memcmp(a, b, sizeof(a)) != 0)
		return diff_fail("the MAC differs");
	if (EVP_MAC_CTX_get_mac_size(p->ours) != EVP_MAC_CTX_get_mac_size(p->theirs) ||
	    EVP_MAC_CTX_get_block_size(p->ours) != EVP_MAC_CTX_get_block_size(p->theirs))
		return diff_fail("a size differs");
	return true;
}

static bool play_message(struct pair *p)
{
	size_t pieces = random_below(&play.rnd, 6);
	bool ok = init(p);

	while (ok && pieces--) {
		ok = update(p);
		if (ok && random_below(&play.rnd, 6) == 0)
			ok = copy(p);
		play.steps++;
	}
	play.steps += 2;
	/* Some messages are given up. */
	return ok && (random_below(&play.rnd, 8) == 0 || final(p));
}

bool diff_mac_round(EVP_MAC *ours, EVP_MAC *theirs)
{
	size_t key_len = 1 + random_below(&play.rnd, EVP_MAX_KEY_LENGTH);
	struct pair p = { EVP_MAC_CTX_new(ours), EVP_MAC_CTX_new(theirs), key_len, false };
	size_t messages = 1 + random_below(&play.rnd, 4);
	bool ok = diff_make_keys(key_len);

	while (ok && messages--)
		ok = play_message(&p);
	EVP_MAC_CTX_free(p.ours);
	EVP_MAC_CTX_free(p.theirs);
	diff_free_keys();
	return ok;
}
