/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of keys of the kernel: each round makes a key of type user, and the
 * default provider gets the same bytes. Random sequences of everything that EVP can do to a context
 * are played on both and compared. usage: keys_diff ROUNDS [SEED [CIPHER|DIGEST]]
 */
#include "keys/keys_diff.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>

static const char *const ciphers[] = {
	"AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "AES-128-CTR", "AES-192-CTR",
	"AES-256-CTR", "AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-XTS",
	"AES-256-XTS", "AES-128-GCM", "AES-192-GCM", "AES-256-GCM",
};

/* In HMAC. */
static const char *const digests[] = { "SHA1", "SHA224", "SHA256", "SHA384", "SHA512" };

struct pair {
	EVP_CIPHER_CTX *ours, *theirs;
	int enc;
	bool keyed;
	size_t waits; /* bytes since the last init, up to a block: in place needs none */
};

struct play play;
static EVP_CIPHER *ours, *theirs;
static struct pair pairs[2];

bool diff_fail(const char *what)
{
	fprintf(stderr, "MISMATCH: %s, after step '%s', %s\n", what, play.step, play.name);
	ERR_print_errors_fp(stderr);
	return false;
}

bool diff_same(struct outcome x, struct outcome y)
{
	const char *differs = outcome_differs(x, y);

	return differs ? diff_fail(differs) : true;
}

static bool same_ivs(const struct pair *p)
{
	unsigned char x[16] = { 0 }, y[16] = { 0 };
	size_t n = (size_t)EVP_CIPHER_get_iv_length(theirs);

	if (EVP_CIPHER_CTX_get_num(p->ours) != EVP_CIPHER_CTX_get_num(p->theirs))
		return diff_fail("num differs");
	if (EVP_CIPHER_CTX_get_key_length(p->ours) != EVP_CIPHER_CTX_get_key_length(p->theirs) ||
	    EVP_CIPHER_CTX_get_iv_length(p->ours) != EVP_CIPHER_CTX_get_iv_length(p->theirs))
		return diff_fail("a length differs");
	if (!n)
		return true;
	if (!EVP_CIPHER_CTX_get_updated_iv(p->ours, x, n) ||
	    !EVP_CIPHER_CTX_get_updated_iv(p->theirs, y, n) || memcmp(x, y, n) != 0)
		return diff_fail("the IV differs");
	if (!EVP_CIPHER_CTX_get_original_iv(p->ours, x, n) ||
	    !EVP_CIPHER_CTX_get_original_iv(p->theirs, y, n) || memcmp(x, y, n) != 0)
		return diff_fail("the original IV differs");
	return true;
}

/* The key, the IV, both or none; a direction or the old one. Software can't turn without a key. */
static bool step_init(struct pair *p)
{
	size_t what = p->keyed ? random_below(&play.rnd, 4) : 3,
	       k = random_below(&play.rnd, KEYS_AT_ONCE);
	size_t iv_len = (size_t)EVP_CIPHER_get_iv_length(theirs);
	bool with_key = what & 1, with_iv = what & 2;
	unsigned char iv[16];
	struct outcome x, y;

	play.step = with_key ? (with_iv ? "init" : "key only") : (with_iv ? "IV only" : "restart");
	random_bytes(&play.rnd, iv, sizeof(iv));
	if (random_below(&play.rnd, 8) == 0)
		memset(iv + 4, 0xff, sizeof(iv) - 4);
	if (with_key && random_below(&play.rnd, 2))
		p->enc = !p->enc;
	outcome_clear();
	if (with_key || random_below(&play.rnd, 2))
		x = outcome_of(EVP_CipherInit_SKEY(p->ours, NULL, with_key ? play.skeys[k] : NULL,
						   with_iv ? iv : NULL, with_iv ? iv_len : 0,
						   p->enc, NULL));
	else
		x = outcome_of(
			EVP_CipherInit_ex2(p->ours, NULL, NULL, with_iv ? iv : NULL, p->enc, NULL));
	if (x.ok <= 0)
		ERR_print_errors_fp(stderr); /* the reason, if this kernel takes no such key */
	outcome_clear();
	y = outcome_of(EVP_CipherInit_ex2(p->theirs, NULL, with_key ? play.bytes[k] : NULL,
					  with_iv ? iv : NULL, p->enc, NULL));
	p->keyed |= with_key && y.ok > 0;
	p->waits = 0;
	return diff_same(x, y);
}

static size_t random_length(void)
{
	static const size_t limit[] = { 1, 17, 64, 64, 300, 300, 2000, 5000, 20000, LONGEST };
	size_t n = random_below(&play.rnd, limit[random_below(&play.rnd, 10)]);

	if (EVP_CIPHER_get_mode(theirs) == EVP_CIPH_XTS_MODE && n > 65536)
		n = 65536;
	return random_below(&play.rnd, 3) == 0 ? n / 16 * 16 : n;
}

/* In place only at a block boundary: else the default provider overwrites its own input. */
static bool step_update(struct pair *p, bool oneshot)
{
	bool stream = EVP_CIPHER_get_block_size(theirs) == 1;
	size_t n = random_length(), at = random_below(&play.rnd, 32);
	bool in_place = (stream || !p->waits) && random_below(&play.rnd, 3) == 0;
	struct outcome x, y;
	int i = 0, j = 0;

	play.step = oneshot ? "one-shot" : in_place ? "update in place" : "update";
	if (oneshot && !stream)
		n = n / 16 * 16;
	random_bytes(&play.rnd, play.in, n);
	memcpy(play.a + at, play.in, n);
	memcpy(play.b + at, play.in, n);
	outcome_clear();
	if (oneshot)
		x = outcome_of(i = EVP_Cipher(p->ours, play.a + at,
					      in_place ? play.a + at : play.in, (unsigned)n));
	else
		x = outcome_of(EVP_CipherUpdate(p->ours, play.a + at, &i,
						in_place ? play.a + at : play.in, (int)n));
	outcome_clear();
	if (oneshot)
		y = outcome_of(j = EVP_Cipher(p->theirs, play.b + at,
					      in_place ? play.b + at : play.in, (unsigned)n));
	else
		y = outcome_of(EVP_CipherUpdate(p->theirs, play.b + at, &j,
						in_place ? play.b + at : play.in, (int)n));
	p->waits = oneshot ? p->waits : 1;
	if (!diff_same(x, y))
		return false;
	if (i != j)
		return diff_fail("lengths differ");
	if (x.ok > 0 && i > 0 && memcmp(play.a + at, play.b + at, (size_t)i) != 0)
		return diff_fail("outputs differ");
	return true;
}

static bool step_final(struct pair *p)
{
	unsigned char last[2][32];
	struct outcome x, y;
	int i = 0, j = 0;

	play.step = "final";
	outcome_clear();
	x = outcome_of(EVP_CipherFinal_ex(p->ours, last[0], &i));
	outcome_clear();
	y = outcome_of(EVP_CipherFinal_ex(p->theirs, last[1], &j));
	p->keyed = false; /* a program begins again */
	if (!diff_same(x, y))
		return false;
	if (i != j || (x.ok > 0 && memcmp(last[0], last[1], (size_t)i) != 0))
		return diff_fail("final blocks differ");
	return true;
}

static bool step_copy(struct pair *p)
{
	struct pair *to = &pairs[p == pairs];
	struct outcome x, y;

	play.step = "copy";
	outcome_clear();
	x = outcome_of(EVP_CIPHER_CTX_copy(to->ours, p->ours));
	outcome_clear();
	y = outcome_of(EVP_CIPHER_CTX_copy(to->theirs, p->theirs));
	*to = (struct pair){ to->ours, to->theirs, p->enc, p->keyed, p->waits };
	return diff_same(x, y) && same_ivs(to);
}

static bool step_padding(struct pair *p)
{
	int on = (int)random_below(&play.rnd, 2);
	struct outcome x, y;

	play.step = "padding";
	outcome_clear();
	x = outcome_of(EVP_CIPHER_CTX_set_padding(p->ours, on));
	outcome_clear();
	y = outcome_of(EVP_CIPHER_CTX_set_padding(p->theirs, on));
	return diff_same(x, y);
}

static bool one_step(struct pair *p)
{
	size_t what = p->keyed ? random_below(&play.rnd, 100) : 0;

	if (what < 20)
		return step_init(p);
	if (what < 76)
		return step_update(p, false);
	if (what < 82)
		return step_update(p, true);
	if (what < 88)
		return step_final(p);
	return what < 94 ? step_copy(p) : step_padding(p);
}

bool diff_make_keys(size_t len)
{
	for (size_t i = 0; i < KEYS_AT_ONCE; i++) {
		char name[] = "kcrypto-diff-0";
		int32_t serial;

		name[sizeof(name) - 2] = (char)('0' + i);
		random_bytes(&play.rnd, play.bytes[i], len);
		serial = key_add("user", name, play.bytes[i], len);
		play.skeys[i] = serial > 0 ? key_by_serial(NULL, serial) : NULL;
		if (!play.skeys[i])
			return diff_fail("no key");
	}
	return true;
}

void diff_free_keys(void)
{
	for (size_t i = 0; i < KEYS_AT_ONCE; i++)
		EVP_SKEY_free(play.skeys[i]);
}

static bool cipher_round(void)
{
	size_t steps = 3 + random_below(&play.rnd, 12);
	bool ok = diff_make_keys((size_t)EVP_CIPHER_get_key_length(theirs));

	for (size_t i = 0; i < 2; i++) {
		pairs[i] = (struct pair){ EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new(),
					  (int)random_below(&play.rnd, 2), false, 0 };
		ok = ok &&
		     EVP_CipherInit_ex2(pairs[i].ours, ours, NULL, NULL, pairs[i].enc, NULL) &&
		     EVP_CipherInit_ex2(pairs[i].theirs, theirs, NULL, NULL, pairs[i].enc, NULL);
	}
	while (ok && steps--) {
		struct pair *p = &pairs[random_below(&play.rnd, 4) == 0];

		ok = one_step(p);
		if (ok && random_below(&play.rnd, 3) == 0)
			ok = same_ivs(p);
		play.steps++;
	}
	for (size_t i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(pairs[i].ours);
		EVP_CIPHER_CTX_free(pairs[i].theirs);
	}
	diff_free_keys();
	return ok;
}

static bool cipher(void)
{
	return EVP_CIPHER_get_mode(theirs) == EVP_CIPH_GCM_MODE ? diff_aead_round(ours, theirs) :
								  cipher_round();
}

static EVP_MAC *our_mac, *their_mac;

static bool mac(void)
{
	return diff_mac_round(our_mac, their_mac);
}

static bool play_rounds(bool (*round)(void), const char *name, unsigned long rounds, uint64_t seed)
{
	play.name = name;
	for (unsigned long i = 0; i < rounds; i++) {
		play.rnd = (struct random){ .state = seed + i };
		if (!round()) {
			fprintf(stderr, "to repeat: keys_diff 1 %llu %s\n",
				(unsigned long long)(seed + i), name);
			return false;
		}
	}
	printf("%s: %lu rounds\n", name, rounds);
	fflush(stdout);
	return true;
}

static bool play_cipher(const char *name, unsigned long rounds, uint64_t seed)
{
	bool ok;

	ours = EVP_CIPHER_fetch(NULL, name, KEYS);
	theirs = EVP_CIPHER_fetch(NULL, name, "provider=default");
	if (!ours || !theirs)
		fprintf(stderr, "%s can't be fetched\n", name);
	ok = ours && theirs && play_rounds(cipher, name, rounds, seed);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	const char *only = argc > 3 ? argv[3] : NULL;

	key_setup();
	printf("seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < sizeof(ciphers) / sizeof(ciphers[0]); i++)
		if ((!only || strcmp(only, ciphers[i]) == 0) &&
		    !play_cipher(ciphers[i], rounds, seed))
			return 1;
	our_mac = EVP_MAC_fetch(NULL, "HMAC", KEYS);
	their_mac = EVP_MAC_fetch(NULL, "HMAC", "provider=default");
	for (size_t i = 0; i < sizeof(digests) / sizeof(digests[0]); i++)
		if ((!only || strcmp(only, digests[i]) == 0) &&
		    !play_rounds(mac, digests[i], rounds, seed))
			return 1;
	printf("%lu steps, 0 mismatches\n", play.steps);
	return 0;
}
