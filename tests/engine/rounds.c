/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of everything EVP can do to a context, on the engine's cipher and on the
 * built-in one, compared after each step. usage: engine_rounds ROUNDS [SEED [N]]; N: the number of
 * ciphers with requests that the kernel must have done, 0 being none at all; default: all that are
 * offered. Prints the seed if they differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "diff/diff.h"
#include "engine/app.h"

#define LARGEST 150000
#define MARGIN	64

static struct random rng;
static unsigned char in[LARGEST], out[2][LARGEST + MARGIN];

static size_t below(size_t n)
{
	return random_below(&rng, n);
}

static void fill(unsigned char *to, size_t n)
{
	random_bytes(&rng, to, n);
}

/* [0] is the engine's, [1] the reference. */
struct pair {
	EVP_CIPHER_CTX *ctx[2];
	const EVP_CIPHER *cipher[2];
	ENGINE *engine;
};

/* With keys of any length some are not the row's. */
static bool has_any_length(const EVP_CIPHER *cipher)
{
	return EVP_CIPHER_flags(cipher) & EVP_CIPH_VARIABLE_LENGTH;
}

static int init(struct pair *p)
{
	unsigned char key[KC_MAX_KEY], iv[KC_MAX_IV];
	bool has_key = below(3), has_iv = below(4);
	int enc = below(4) ? -1 : (int)below(2), ok[2];

	fill(key, sizeof(key));
	fill(iv, sizeof(iv));
	if (has_key && has_any_length(p->cipher[1]) && below(3) == 0) {
		int len = 5 + (int)below(12);

		EVP_CIPHER_CTX_set_key_length(p->ctx[0], len);
		EVP_CIPHER_CTX_set_key_length(p->ctx[1], len);
	}
	for (int i = 0; i < 2; i++)
		ok[i] = EVP_CipherInit_ex(p->ctx[i], NULL, NULL, has_key ? key : NULL,
					  has_iv ? iv : NULL, enc);
	return ok[0] == ok[1];
}

static size_t some_length(void)
{
	static const size_t limits[] = { 40, 600, 5000, 70000, LARGEST - MARGIN };
	size_t n = below(limits[below(5)]);

	return below(3) ? n : n / 16 * 16;
}

static int same_output(const int *ok, const int *n)
{
	return ok[0] == ok[1] &&
	       (ok[0] <= 0 || (n[0] == n[1] && memcmp(out[0], out[1], (size_t)n[0]) == 0));
}

/* Also in place, and from any address. */
static int update(struct pair *p)
{
	size_t len = some_length(), from = below(16), to = below(16);
	bool in_place = below(3) == 0;
	int ok[2], n[2] = { 0, 0 };

	fill(in, 16);
	for (int i = 0; i < 2; i++) {
		if (in_place)
			memcpy(out[i] + to, in + from, len);
		ok[i] = EVP_CipherUpdate(p->ctx[i], out[i] + to, &n[i],
					 in_place ? out[i] + to : in + from, (int)len);
		memmove(out[i], out[i] + to, n[i] > 0 ? (size_t)n[i] : 0);
	}
	return same_output(ok, n);
}

/*
 * Like libssl's records: bypasses the bytes that EVP holds back. OpenSSL's own code for s390x
 * crashes with no input.
 */
static int one_shot(struct pair *p)
{
	size_t len = some_length() / 16 * 16 + 16;
	int ok[2], n[2];

	for (int i = 0; i < 2; i++) {
		ok[i] = EVP_Cipher(p->ctx[i], out[i], in, (unsigned)len);
		n[i] = (int)len;
	}
	return same_output(ok, n);
}

static int final(struct pair *p)
{
	int ok[2], n[2] = { 0, 0 };

	for (int i = 0; i < 2; i++)
		ok[i] = EVP_CipherFinal_ex(p->ctx[i], out[i], &n[i]);
	return same_output(ok, n) && init(p);
}

/* The copy goes on, and the original, which goes on for a moment too, ends. */
static int copy(struct pair *p)
{
	EVP_CIPHER_CTX *old[2];
	int ok = 1;

	for (int i = 0; i < 2; i++) {
		old[i] = p->ctx[i];
		p->ctx[i] = EVP_CIPHER_CTX_new();
		ok &= EVP_CIPHER_CTX_copy(p->ctx[i], old[i]);
	}
	if (below(2)) {
		struct pair originals = { { old[0], old[1] }, { NULL }, NULL };

		ok &= update(&originals);
	}
	for (int i = 0; i < 2; i++)
		EVP_CIPHER_CTX_free(old[i]);
	return ok;
}

static int set_padding(struct pair *p)
{
	int on = (int)below(2);

	return EVP_CIPHER_CTX_set_padding(p->ctx[0], on) ==
	       EVP_CIPHER_CTX_set_padding(p->ctx[1], on);
}

/* By the pointer that a context gives: a byte, or all. */
static int write_iv(struct pair *p)
{
	size_t len = (size_t)EVP_CIPHER_iv_length(p->cipher[1]), from = 0;
	unsigned char iv[KC_MAX_IV];

	fill(iv, sizeof(iv));
	if (len && below(2)) {
		from = below(len);
		len = 1;
	}
	for (int i = 0; i < 2; i++)
		memcpy(EVP_CIPHER_CTX_iv_noconst(p->ctx[i]) + from, iv, len);
	return 1;
}

/* From the pointer to the original IV; an engine's contexts have none in CTR mode. */
static int restart(struct pair *p)
{
	int ok[2];

	if (EVP_CIPHER_mode(p->cipher[1]) == EVP_CIPH_CTR_MODE)
		return 1;
	for (int i = 0; i < 2; i++)
		ok[i] = EVP_CipherInit_ex(p->ctx[i], NULL, NULL, NULL,
					  EVP_CIPHER_CTX_original_iv(p->ctx[i]), -1);
	return ok[0] == ok[1];
}

static int same_iv(struct pair *p)
{
	return memcmp(EVP_CIPHER_CTX_iv(p->ctx[0]), EVP_CIPHER_CTX_iv(p->ctx[1]),
		      (size_t)EVP_CIPHER_iv_length(p->cipher[1])) == 0 &&
	       EVP_CIPHER_CTX_num(p->ctx[0]) == EVP_CIPHER_CTX_num(p->ctx[1]);
}

static int start(struct pair *p)
{
	unsigned char key[KC_MAX_KEY], iv[KC_MAX_IV];
	int enc = (int)below(2);

	fill(key, sizeof(key));
	fill(iv, sizeof(iv));
	if (has_any_length(p->cipher[1]) && below(3) == 0) {
		int len = 5 + (int)below(12);

		return EVP_CipherInit_ex(p->ctx[0], p->cipher[0], p->engine, NULL, NULL, enc) &&
		       EVP_CipherInit_ex(p->ctx[1], p->cipher[1], NULL, NULL, NULL, enc) &&
		       EVP_CIPHER_CTX_set_key_length(p->ctx[0], len) &&
		       EVP_CIPHER_CTX_set_key_length(p->ctx[1], len) &&
		       EVP_CipherInit_ex(p->ctx[0], NULL, NULL, key, iv, enc) &&
		       EVP_CipherInit_ex(p->ctx[1], NULL, NULL, key, iv, enc);
	}
	return EVP_CipherInit_ex(p->ctx[0], p->cipher[0], p->engine, key, iv, enc) &&
	       EVP_CipherInit_ex(p->ctx[1], p->cipher[1], NULL, key, iv, enc);
}

static int (*const steps[])(struct pair *p) = { update,	     update,   update, update,
						one_shot,    init,     final,  copy,
						set_padding, write_iv, restart };

static int play(ENGINE *e, int nid)
{
	struct pair p = { { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() },
			  { EVP_get_cipherbynid(nid), app_reference(nid) },
			  e };
	size_t n = 3 + below(12), step = 0;
	int ok = start(&p);

	for (size_t i = 0; ok && i < n; i++) {
		step = below(sizeof(steps) / sizeof(steps[0]));
		ok = steps[step](&p) && same_iv(&p);
	}
	if (!ok)
		fprintf(stderr, "%s: step %zu\n", OBJ_nid2sn(nid), step);
	for (int i = 0; i < 2; i++)
		EVP_CIPHER_CTX_free(p.ctx[i]);
	ERR_clear_error();
	return ok;
}

/* The number of ciphers that the kernel did something of. */
static int count_played(const int *nids, int n)
{
	int played = 0;

	for (int i = 0; i < n; i++) {
		unsigned long long requests = app_requests(OBJ_nid2sn(nids[i]));

		printf("%-16s %8llu requests\n", OBJ_nid2sn(nids[i]), requests);
		played += requests != 0;
	}
	return played;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	const int *nids = NULL;
	ENGINE *e;
	int n, played, wanted, ok = 1;

	stats_file_make();
	e = app_load();
	app_configure(e, "ALL:0, AES-128-ECB:0, AES-192-ECB:0, AES-256-ECB:0", "NONE");
	n = ENGINE_get_ciphers(e)(e, NULL, &nids, 0);
	fill(in, sizeof(in));
	for (long i = 0; ok && n && i < rounds; i++, seed++) {
		rng.state = seed;
		ok = play(e, nids[below((size_t)n)]);
		if (!ok)
			fprintf(stderr, "they differ: engine_rounds 1 %llu\n",
				(unsigned long long)seed);
	}
	played = count_played(nids, n);
	wanted = argc > 3 ? atoi(argv[3]) : n;
	printf("%d ciphers by the kernel, %d expected\n", played, wanted);
	ok &= n && (rounds == 1 || (wanted ? played >= wanted : !played));
	app_unload(e);
	return !ok;
}
