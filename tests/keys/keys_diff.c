/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of kernel keys: each round makes keys of type user, and the default
 * provider gets the same bytes. usage: keys_diff ROUNDS [SEED [CIPHER|DIGEST]]
 */
#include "keys/keys_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST (140 * 1024)

static const char *const ciphers[] = {
	"AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "AES-128-CTR", "AES-192-CTR",
	"AES-256-CTR", "AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-XTS",
	"AES-256-XTS", "AES-128-GCM", "AES-192-GCM", "AES-256-GCM",
};

/* Digests for HMAC. */
static const char *const digests[] = { "SHA1", "SHA224", "SHA256", "SHA384", "SHA512" };

static struct round_key keys[KEYS_AT_ONCE];

const struct round_key *some_key(struct play *p)
{
	return &keys[below(p, KEYS_AT_ONCE)];
}

/* Inits without a key, by either function. */
static int do_init(struct twins *t, int side, struct call *call)
{
	const struct round_key *key = call->data;

	if (side || call->number)
		return EVP_CipherInit_ex2(t->cipher[side], NULL, key ? key->bytes : NULL,
					  call->iv[0], t->enc, NULL);
	return EVP_CipherInit_SKEY(t->cipher[side], NULL, key ? key->skey : NULL, call->iv[0],
				   call->iv[0] ? t->play->shown : 0, t->enc, NULL);
}

bool keyed_init(struct play *p, struct twins *t, const struct round_key *key,
		const unsigned char *iv, int enc)
{
	const char *name = key ? (iv ? "init" : "key") : (iv ? "IV" : "restart");
	struct call call = { .data = key, .iv = { iv }, .number = !key && one_in(p, 2) };

	t->enc = enc;
	t->fed = false;
	if (!both(p, t, name, do_init, &call))
		return false;
	t->keyed |= key && p->ok;
	return true;
}

bool keyed_copy(struct play *p, struct twins *t, act *copy)
{
	struct twins *to = &p->twins[t == p->twins], old = *t;

	if (!(copy ? both(p, to, "copy", copy, &(struct call){ .from = t }) : call_copy(p, to, t)))
		return false;
	to->keyed = t->keyed;
	if (one_in(p, 2)) {
		memcpy(t->cipher, to->cipher, sizeof(old.cipher));
		memcpy(t->mac, to->mac, sizeof(old.mac));
		memcpy(to->cipher, old.cipher, sizeof(old.cipher));
		memcpy(to->mac, old.mac, sizeof(old.mac));
	}
	return true;
}

/*
 * Sets key, IV, both or none, and a direction, or keeps it. Software cannot change direction
 * without a key.
 */
static bool step_init(struct play *p, struct twins *t)
{
	size_t what = t->keyed ? below(p, 4) : 3;
	const struct round_key *key = what & 1 ? some_key(p) : NULL;
	unsigned char iv[EVP_MAX_IV_LENGTH];

	random_bytes(&p->random, iv, sizeof(iv));
	if (one_in(p, 8))
		memset(iv + 4, 0xff, sizeof(iv) - 4);
	return keyed_init(p, t, key, what & 2 ? iv : NULL, key && one_in(p, 2) ? !t->enc : t->enc);
}

/*
 * In place only at a block boundary, as the default provider would overwrite its own input
 * elsewhere.
 */
static bool step_update(struct play *p, struct twins *t, bool oneshot)
{
	bool stream = EVP_CIPHER_get_block_size(p->cipher[1]) == 1;
	bool apart = (!stream && t->fed) || below(p, 3);
	size_t n = some_length(p, LONGEST), at = MARGIN + below(p, 32);

	if (EVP_CIPHER_get_mode(p->cipher[1]) == EVP_CIPH_XTS_MODE && n > 65536)
		n = 65536;
	if (oneshot && !stream)
		n = n / 16 * 16;
	fill_input(p, n);
	t->fed |= !oneshot;
	return call_text(p, t, apart, at, apart ? MARGIN + below(p, 32) : at, n, oneshot);
}

static bool one_step(struct play *p, struct twins *t)
{
	struct twins *to = &p->twins[below(p, CONTEXTS)];
	size_t what = t->keyed ? below(p, 100) : 0;

	if (what < 20)
		return step_init(p, t);
	if (what < 82)
		return step_update(p, t, what >= 76);
	if (what >= 94)
		return call_padding(p, t, (int)below(p, 2));
	if (what >= 88)
		return call_copy(p, to, t) && call_ask(p, to, p->shown);
	t->keyed = false; /* a program starts again */
	return call_final(p, t);
}

static bool ask(struct play *p, struct twins *t)
{
	return call_ask(p, t, p->shown);
}

static bool step(struct play *p, struct twins *t)
{
	return one_step(p, t) && (!one_in(p, 3) || ask(p, t));
}

static const struct kind keyed_cipher_kind = { 3, 15, call_new, step, ask, call_free };

static bool make_keys(struct play *p, size_t len)
{
	bool ok = true;

	for (size_t i = 0; ok && i < KEYS_AT_ONCE; i++) {
		char name[] = "kcrypto-diff-0";
		int32_t serial;

		name[sizeof(name) - 2] = (char)('0' + i);
		random_bytes(&p->random, keys[i].bytes, len);
		keys[i].len = len;
		serial = key_add("user", name, keys[i].bytes, len);
		keys[i].skey = serial > 0 ? key_by_serial(NULL, serial) : NULL;
		ok = keys[i].skey || play_fail(p, "no key");
	}
	return ok;
}

static bool play_one(const struct diff_row *row, uint64_t seed)
{
	static unsigned char room[PLAY_ROOM];
	EVP_CIPHER *theirs = row->of[1].cipher;
	struct play p = { .random = { .state = seed },
			  .kind = &keyed_mac_kind,
			  .name = row->name,
			  .cipher = { row->of[0].cipher, theirs },
			  .row = row };
	bool ok;

	if (theirs) {
		p.kind = EVP_CIPHER_get_mode(theirs) == EVP_CIPH_GCM_MODE ? &keyed_aead_kind :
									    &keyed_cipher_kind;
		p.shown = (size_t)EVP_CIPHER_get_iv_length(theirs);
	}
	ok = make_keys(&p, theirs ? (size_t)EVP_CIPHER_get_key_length(theirs) :
				    1 + below(&p, EVP_MAX_KEY_LENGTH)) &&
	     play_round(&p, room);
	for (size_t i = 0; i < KEYS_AT_ONCE; i++) {
		EVP_SKEY_free(keys[i].skey);
		keys[i].skey = NULL;
	}
	return ok;
}

static bool play(const char *name, bool is_mac, unsigned long rounds, uint64_t seed)
{
	static const char *const from[] = { KEYS, "provider=default" };
	struct diff_row row = { .name = name };
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		row.of[i].cipher = is_mac ? NULL : EVP_CIPHER_fetch(NULL, name, from[i]);
		row.of[i].mac = is_mac ? EVP_MAC_fetch(NULL, "HMAC", from[i]) : NULL;
		if (!row.of[i].cipher && !row.of[i].mac)
			ok = (fprintf(stderr, "%s can't be fetched\n", name), false);
	}
	for (unsigned long i = 0; ok && i < rounds; i++) {
		ok = play_one(&row, seed + i);
		if (!ok)
			fprintf(stderr, "to repeat: keys_diff 1 %llu %s\n",
				(unsigned long long)(seed + i), name);
	}
	row_release(&row.of[0]);
	row_release(&row.of[1]);
	if (ok)
		printf("%s: %lu rounds\n", name, rounds);
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	const size_t n = sizeof(ciphers) / sizeof(ciphers[0]);

	key_setup();
	printf("seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < n + sizeof(digests) / sizeof(digests[0]); i++) {
		const char *name = i < n ? ciphers[i] : digests[i - n];

		if ((argc < 4 || strcmp(argv[3], name) == 0) && !play(name, i >= n, rounds, seed))
			return 1;
	}
	printf("0 mismatches\n");
	return 0;
}
