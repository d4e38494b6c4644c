/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of everything that EVP can do to a context, on the engine's cipher and on the
 * built-in one, compared after each step. usage: engine_rounds ROUNDS [SEED [N]]; N: the number of
 * ciphers for which the kernel must have done requests, 0 meaning none at all; default: all that
 * are offered. Prints the seed if the ciphers differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/play.h"
#include "engine/app.h"

/* Whether the cipher takes keys of any length: some keys then differ from the row's. */
static bool has_any_length(const struct play *p)
{
	return EVP_CIPHER_flags(p->cipher[1]) & EVP_CIPH_VARIABLE_LENGTH;
}

/* Writes one byte or all through the pointer that a context returns. */
static bool write_iv(struct play *p, struct twins *t)
{
	size_t len = (size_t)EVP_CIPHER_iv_length(p->cipher[1]), from = 0;
	unsigned char iv[EVP_MAX_IV_LENGTH];

	random_bytes(&p->random, iv, sizeof(iv));
	if (len && one_in(p, 2)) {
		from = below(p, len);
		len = 1;
	}
	for (int i = 0; i < 2; i++)
		memcpy(EVP_CIPHER_CTX_iv_noconst(t->cipher[i]) + from, iv, len);
	return true;
}

/* Restarts from the pointer to the original IV. An engine's contexts have none in CTR mode. */
static bool restart(struct play *p, struct twins *t)
{
	const unsigned char *const iv[2] = { EVP_CIPHER_CTX_original_iv(t->cipher[0]),
					     EVP_CIPHER_CTX_original_iv(t->cipher[1]) };

	return EVP_CIPHER_mode(p->cipher[1]) == EVP_CIPH_CTR_MODE || call_init(p, t, NULL, iv, -1);
}

static bool same_iv(struct play *p, struct twins *t)
{
	bool same = memcmp(EVP_CIPHER_CTX_iv(t->cipher[0]), EVP_CIPHER_CTX_iv(t->cipher[1]),
			   (size_t)EVP_CIPHER_iv_length(p->cipher[1])) == 0 &&
		    EVP_CIPHER_CTX_num(t->cipher[0]) == EVP_CIPHER_CTX_num(t->cipher[1]);

	return same || play_fail(p, "IV or num differs");
}

static bool start(struct play *p, struct twins *t)
{
	return call_new(p, t) && (!has_any_length(p) || !one_in(p, 3) || call_key_len(p, t)) &&
	       cipher_init(p, t);
}

static bool one_step(struct play *p, struct twins *t)
{
	switch (below(p, 12)) {
	case 0:
		return cipher_update(p, t, true);
	case 1:
		return (!has_any_length(p) || call_key_len(p, t)) && cipher_init(p, t);
	case 2:
		return cipher_init(p, t);
	case 3:
		return call_final(p, t) && cipher_init(p, t);
	case 4:
		return call_copy(p, &p->twins[below(p, CONTEXTS)], t);
	case 5:
		return call_padding(p, t, (int)below(p, 2));
	case 6:
		return write_iv(p, t);
	case 7:
		return restart(p, t);
	default:
		return cipher_update(p, t, false);
	}
}

static bool step(struct play *p, struct twins *t)
{
	return one_step(p, t) && same_iv(p, t);
}

static bool play(ENGINE *e, int nid, struct random random)
{
	static const struct kind kind = { 3, 15, start, step, same_iv, call_free };
	static unsigned char room[PLAY_ROOM];
	struct play p = { .random = random,
			  .kind = &kind,
			  .name = OBJ_nid2sn(nid),
			  .cipher = { EVP_get_cipherbynid(nid), app_reference(nid) },
			  .engine = e };

	return play_round(&p, room);
}

/* The number of ciphers for which the kernel did a part. */
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
	int n, played, wanted;
	bool ok = true;

	stats_file_make();
	e = app_load();
	app_configure(e, "ALL:0, AES-128-ECB:0, AES-192-ECB:0, AES-256-ECB:0", "NONE");
	n = ENGINE_get_ciphers(e)(e, NULL, &nids, 0);
	for (long i = 0; ok && n && i < rounds; i++, seed++) {
		struct random random = { .state = seed };

		ok = play(e, nids[random_below(&random, (size_t)n)], random);
		if (!ok)
			fprintf(stderr, "they differ: engine_rounds 1 %llu\n",
				(unsigned long long)seed);
	}
	played = count_played(nids, n);
	wanted = argc > 3 ? atoi(argv[3]) : n;
	printf("%d ciphers by the kernel, %d expected\n", played, wanted);
	ok = ok && n && (rounds == 1 || (wanted ? played >= wanted : !played));
	app_unload(e);
	return !ok;
}
