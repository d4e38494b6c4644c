/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of keys of the kernel: each round makes a key of type user, and the
 * default provider gets the same bytes. Random sequences of everything that EVP can do to a context
 * are played on both and compared. usage: keys_diff ROUNDS [SEED [CIPHER]]
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>

#include "diff/compare.h"
#include "diff/diff.h"
#include "keys/keyring.h"

#define LONGEST	     (140 * 1024)
#define KEYS_AT_ONCE 2

static const char *const names[] = {
	"AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "AES-128-CTR", "AES-192-CTR", "AES-256-CTR",
	"AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-XTS", "AES-256-XTS",
};

struct pair {
	EVP_CIPHER_CTX *ours, *theirs;
	int enc;
	bool keyed;
	size_t waits; /* bytes since the last init, up to a block: in place needs none */
};

static struct random rnd;
static EVP_CIPHER *ours, *theirs;
static unsigned char bytes[KEYS_AT_ONCE][EVP_MAX_KEY_LENGTH];
static EVP_SKEY *skeys[KEYS_AT_ONCE];
static struct pair pairs[2];
static const char *step;
static unsigned char in[LONGEST + 64], a[LONGEST + 128], b[LONGEST + 128];
static unsigned long played;

static bool fail(const char *what)
{
	fprintf(stderr, "MISMATCH: %s, after step '%s', cipher %s\n", what, step,
		EVP_CIPHER_get0_name(theirs));
	ERR_print_errors_fp(stderr);
	return false;
}

static bool same(struct outcome x, struct outcome y)
{
	const char *differs = outcome_differs(x, y);

	return differs ? fail(differs) : true;
}

static bool same_ivs(const struct pair *p)
{
	unsigned char x[16] = { 0 }, y[16] = { 0 };
	size_t n = (size_t)EVP_CIPHER_get_iv_length(theirs);

	if (EVP_CIPHER_CTX_get_num(p->ours) != EVP_CIPHER_CTX_get_num(p->theirs))
		return fail("num differs");
	if (EVP_CIPHER_CTX_get_key_length(p->ours) != EVP_CIPHER_CTX_get_key_length(p->theirs) ||
	    EVP_CIPHER_CTX_get_iv_length(p->ours) != EVP_CIPHER_CTX_get_iv_length(p->theirs))
		return fail("a length differs");
	if (!n)
		return true;
	if (!EVP_CIPHER_CTX_get_updated_iv(p->ours, x, n) ||
	    !EVP_CIPHER_CTX_get_updated_iv(p->theirs, y, n) || memcmp(x, y, n) != 0)
		return fail("the IV differs");
	if (!EVP_CIPHER_CTX_get_original_iv(p->ours, x, n) ||
	    !EVP_CIPHER_CTX_get_original_iv(p->theirs, y, n) || memcmp(x, y, n) != 0)
		return fail("the original IV differs");
	return true;
}

/* The key, the IV, both or none; a direction or the old one. Software can't turn without a key. */
static bool step_init(struct pair *p)
{
	size_t what = p->keyed ? random_below(&rnd, 4) : 3, k = random_below(&rnd, KEYS_AT_ONCE);
	size_t iv_len = (size_t)EVP_CIPHER_get_iv_length(theirs);
	bool with_key = what & 1, with_iv = what & 2;
	unsigned char iv[16];
	struct outcome x, y;

	step = with_key ? (with_iv ? "init" : "key only") : (with_iv ? "IV only" : "restart");
	random_bytes(&rnd, iv, sizeof(iv));
	if (random_below(&rnd, 8) == 0)
		memset(iv + 4, 0xff, sizeof(iv) - 4);
	if (with_key && random_below(&rnd, 2))
		p->enc = !p->enc;
	outcome_clear();
	if (with_key || random_below(&rnd, 2))
		x = outcome_of(EVP_CipherInit_SKEY(p->ours, NULL, with_key ? skeys[k] : NULL,
						   with_iv ? iv : NULL, with_iv ? iv_len : 0,
						   p->enc, NULL));
	else
		x = outcome_of(
			EVP_CipherInit_ex2(p->ours, NULL, NULL, with_iv ? iv : NULL, p->enc, NULL));
	if (x.ok <= 0)
		ERR_print_errors_fp(stderr); /* the reason, if this kernel takes no such key */
	outcome_clear();
	y = outcome_of(EVP_CipherInit_ex2(p->theirs, NULL, with_key ? bytes[k] : NULL,
					  with_iv ? iv : NULL, p->enc, NULL));
	p->keyed |= with_key && y.ok > 0;
	p->waits = 0;
	return same(x, y);
}

static size_t random_length(void)
{
	static const size_t limit[] = { 1, 17, 64, 64, 300, 300, 2000, 5000, 20000, LONGEST };
	size_t n = random_below(&rnd, limit[random_below(&rnd, 10)]);

	if (EVP_CIPHER_get_mode(theirs) == EVP_CIPH_XTS_MODE && n > 65536)
		n = 65536;
	return random_below(&rnd, 3) == 0 ? n / 16 * 16 : n;
}

/* In place only at a block boundary: else the default provider overwrites its own input. */
static bool step_update(struct pair *p, bool oneshot)
{
	bool stream = EVP_CIPHER_get_block_size(theirs) == 1;
	size_t n = random_length(), at = random_below(&rnd, 32);
	bool in_place = (stream || !p->waits) && random_below(&rnd, 3) == 0;
	struct outcome x, y;
	int i = 0, j = 0;

	step = oneshot ? "one-shot" : in_place ? "update in place" : "update";
	if (oneshot && !stream)
		n = n / 16 * 16;
	random_bytes(&rnd, in, n);
	memcpy(a + at, in, n);
	memcpy(b + at, in, n);
	outcome_clear();
	if (oneshot)
		x = outcome_of(
			i = EVP_Cipher(p->ours, a + at, in_place ? a + at : in, (unsigned)n));
	else
		x = outcome_of(
			EVP_CipherUpdate(p->ours, a + at, &i, in_place ? a + at : in, (int)n));
	outcome_clear();
	if (oneshot)
		y = outcome_of(
			j = EVP_Cipher(p->theirs, b + at, in_place ? b + at : in, (unsigned)n));
	else
		y = outcome_of(
			EVP_CipherUpdate(p->theirs, b + at, &j, in_place ? b + at : in, (int)n));
	p->waits = oneshot ? p->waits : 1;
	if (!same(x, y))
		return false;
	if (i != j)
		return fail("lengths differ");
	if (x.ok > 0 && i > 0 && memcmp(a + at, b + at, (size_t)i) != 0)
		return fail("outputs differ");
	return true;
}

static bool step_final(struct pair *p)
{
	unsigned char last[2][32];
	struct outcome x, y;
	int i = 0, j = 0;

	step = "final";
	outcome_clear();
	x = outcome_of(EVP_CipherFinal_ex(p->ours, last[0], &i));
	outcome_clear();
	y = outcome_of(EVP_CipherFinal_ex(p->theirs, last[1], &j));
	p->keyed = false; /* a program begins again */
	if (!same(x, y))
		return false;
	if (i != j || (x.ok > 0 && memcmp(last[0], last[1], (size_t)i) != 0))
		return fail("final blocks differ");
	return true;
}

static bool step_copy(struct pair *p)
{
	struct pair *to = &pairs[p == pairs];
	struct outcome x, y;

	step = "copy";
	outcome_clear();
	x = outcome_of(EVP_CIPHER_CTX_copy(to->ours, p->ours));
	outcome_clear();
	y = outcome_of(EVP_CIPHER_CTX_copy(to->theirs, p->theirs));
	*to = (struct pair){ to->ours, to->theirs, p->enc, p->keyed, p->waits };
	return same(x, y) && same_ivs(to);
}

static bool step_padding(struct pair *p)
{
	int on = (int)random_below(&rnd, 2);
	struct outcome x, y;

	step = "padding";
	outcome_clear();
	x = outcome_of(EVP_CIPHER_CTX_set_padding(p->ours, on));
	outcome_clear();
	y = outcome_of(EVP_CIPHER_CTX_set_padding(p->theirs, on));
	return same(x, y);
}

static bool one_step(struct pair *p)
{
	size_t what = p->keyed ? random_below(&rnd, 100) : 0;

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

static bool one_round(void)
{
	size_t len = (size_t)EVP_CIPHER_get_key_length(theirs);
	size_t steps = 3 + random_below(&rnd, 12);
	bool ok = true;

	for (size_t i = 0; i < KEYS_AT_ONCE; i++) {
		char name[] = "kcrypto-diff-0";
		int32_t serial;

		name[sizeof(name) - 2] = (char)('0' + i);
		random_bytes(&rnd, bytes[i], len);
		serial = key_add("user", name, bytes[i], len);
		skeys[i] = serial > 0 ? key_by_serial(NULL, serial) : NULL;
		if (!skeys[i])
			return fail("no key");
	}
	for (size_t i = 0; i < 2; i++) {
		pairs[i] = (struct pair){ EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new(),
					  (int)random_below(&rnd, 2), false, 0 };
		ok &= EVP_CipherInit_ex2(pairs[i].ours, ours, NULL, NULL, pairs[i].enc, NULL) &&
		      EVP_CipherInit_ex2(pairs[i].theirs, theirs, NULL, NULL, pairs[i].enc, NULL);
	}
	if (!ok)
		return fail("no context");
	while (ok && steps--) {
		struct pair *p = &pairs[random_below(&rnd, 4) == 0];

		ok = one_step(p);
		if (ok && random_below(&rnd, 3) == 0)
			ok = same_ivs(p);
		played++;
	}
	for (size_t i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(pairs[i].ours);
		EVP_CIPHER_CTX_free(pairs[i].theirs);
		EVP_SKEY_free(skeys[i]);
	}
	return ok;
}

static bool play(const char *name, unsigned long rounds, uint64_t seed)
{
	ours = EVP_CIPHER_fetch(NULL, name, KEYS);
	theirs = EVP_CIPHER_fetch(NULL, name, "provider=default");
	if (!ours || !theirs) {
		fprintf(stderr, "%s can't be fetched\n", name);
		return false;
	}
	for (unsigned long i = 0; i < rounds; i++) {
		rnd = (struct random){ .state = seed + i };
		if (!one_round()) {
			fprintf(stderr, "to repeat: keys_diff 1 %llu %s\n",
				(unsigned long long)(seed + i), name);
			return false;
		}
	}
	printf("%s: %lu rounds\n", name, rounds);
	fflush(stdout);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
	return true;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);

	key_setup();
	printf("seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((argc < 4 || strcmp(argv[3], names[i]) == 0) && !play(names[i], rounds, seed))
			return 1;
	printf("%lu steps, 0 mismatches\n", played);
	return 0;
}
