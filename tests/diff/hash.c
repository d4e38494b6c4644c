/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of digests and MACs: random sequences of everything that EVP can do to a
 * context, right or wrong, played on the default provider and on ours, and compared after each
 * step.
 */
#include "hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#define CONTEXTS 3
#define ROOM	 (160 * 1024) /* bytes: two of the largest requests and a bit */
#define MAX_KEY	 200

/*
 * A digest's or a MAC's, depending on which is not NULL; [0] is ours, [1] the default provider's.
 */
struct context {
	EVP_MD_CTX *md[2];
	EVP_MAC_CTX *mac[2];
	bool is_tls; /* a record's length is set, and updates have other rules */
};

struct play {
	struct random random;
	const struct diff_row *row;
	struct context ctx[CONTEXTS];
	unsigned char *room;
	const char *step;
};

struct answer {
	int ok;
	bool left; /* something in the error queue or in errno */
	size_t len;
	unsigned char out[EVP_MAX_MD_SIZE + 8];
};

/* The arguments of a step, chosen before it is done on both. */
struct args {
	const unsigned char *in, *key;
	size_t len, key_len, out_size;
	const OSSL_PARAM *params;
	const struct diff_row *row;
	const struct context *from;
};

/* @side: 0 or 1. Fills in len and out, and returns EVP's result. */
typedef int action(struct context *ctx, int side, const struct args *args, struct answer *answer);

static bool fail(struct play *p, const char *what)
{
	fprintf(stderr, "MISMATCH: %s, after step '%s', %s\n", what, p->step, p->row->name);
	return false;
}

/*
 * Does @act to both. Both succeed or both fail; a success leaves the error queue and errno alone,
 * unless the default provider's does not either.
 */
static bool both(struct play *p, struct context *ctx, action *act, const struct args *args)
{
	struct answer answers[2];
	const struct answer *ours = &answers[0], *theirs = &answers[1];

	for (int side = 0; side < 2; side++) {
		struct answer *a = &answers[side];

		a->len = 0;
		memset(a->out, 0x55, sizeof(a->out));
		ERR_clear_error();
		errno = 77;
		a->ok = act(ctx, side, args, a);
		a->left = ERR_peek_error() != 0 || errno != 77;
	}
	if ((ours->ok > 0) != (theirs->ok > 0))
		return fail(p, "one succeeds, the other does not");
	if (ours->ok <= 0)
		return true;
	if (ours->left && !theirs->left)
		return fail(p, "a success left something in the error queue or in errno");
	if (ours->len != theirs->len)
		return fail(p, "lengths differ");
	if (memcmp(ours->out, theirs->out, sizeof(ours->out)) != 0)
		return fail(p, "answers differ");
	return true;
}

static int do_init(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	const struct diff_row *row = args->row;

	(void)answer;
	if (ctx->mac[side])
		return EVP_MAC_init(ctx->mac[side], args->key, args->key_len, args->params);
	return EVP_DigestInit_ex2(ctx->md[side], row->of[side].md, args->params);
}

/* The digest or cipher given to a MAC: mostly its row's, now and then another one. */
static const char *some_inner(struct play *p)
{
	static const char *const others[] = {
		"SHA2-512", "sha1",	   "AES-192-CBC",	    "SHA512-256",
		"KECCAK-9", "AES-128-CTR", "2.16.840.1.101.3.4.2.1"
	};

	if (random_below(&p->random, 4))
		return p->row->alg->inner;
	return others[random_below(&p->random, sizeof(others) / sizeof(others[0]))];
}

#define MAX_PARAMS 5

static size_t tls_size = 4000;

/* Digest or cipher, and seldom a key, a property query, the length of a TLS record. */
static void fill_params(struct play *p, OSSL_PARAM *params, const unsigned char *key)
{
	static const char *const queries[] = { "", "provider=default", "?provider=kcrypto",
					       "provider=none" };
	struct random *r = &p->random;
	char *inner = (char *)(uintptr_t)some_inner(p), *query;
	OSSL_PARAM *at = params;

	if (random_below(r, 8))
		*at++ = OSSL_PARAM_construct_utf8_string(
			p->row->alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST, inner,
			0);
	if (random_below(r, 8) == 0)
		*at++ = OSSL_PARAM_construct_octet_string(
			OSSL_MAC_PARAM_KEY, (void *)(uintptr_t)key, random_below(r, 70));
	if (random_below(r, 20) == 0) {
		query = (char *)(uintptr_t)queries[random_below(r, 4)];
		*at++ = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, query, 0);
	}
	if (random_below(r, 40) == 0)
		*at++ = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, &tls_size);
	*at = OSSL_PARAM_construct_end();
}

static bool names_tls(const OSSL_PARAM *params)
{
	return OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_TLS_DATA_SIZE) != NULL;
}

static size_t some_key_len(struct play *p)
{
	if (p->row->alg->key_len && random_below(&p->random, 8))
		return p->row->alg->key_len;
	return random_below(&p->random, random_below(&p->random, 3) ? 65 : MAX_KEY);
}

static bool step_init(struct play *p, struct context *ctx)
{
	unsigned char key[MAX_KEY];
	OSSL_PARAM params[MAX_PARAMS] = { OSSL_PARAM_END };
	struct args args = { .row = p->row };

	p->step = "init";
	if (ctx->mac[0] && random_below(&p->random, 4)) {
		p->step = "init with key";
		random_bytes(&p->random, key, sizeof(key));
		args.key = key;
		args.key_len = some_key_len(p);
	}
	if (ctx->mac[0] && random_below(&p->random, 3)) {
		fill_params(p, params, key);
		args.params = params;
		ctx->is_tls |= names_tls(params);
	}
	return both(p, ctx, do_init, &args);
}

static int do_set(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	(void)answer;
	if (ctx->mac[side])
		return EVP_MAC_CTX_set_params(ctx->mac[side], args->params);
	return EVP_MD_CTX_set_params(ctx->md[side], args->params);
}

/* SHA-1's own parameter finishes an SSL 3 message; to the others it is unknown. */
static bool step_set(struct play *p, struct context *ctx)
{
	unsigned char key[MAX_KEY];
	OSSL_PARAM params[MAX_PARAMS] = { OSSL_PARAM_construct_octet_string("ssl3-ms", key, 48),
					  OSSL_PARAM_END };
	struct args args = { .params = params };

	p->step = "set params";
	random_bytes(&p->random, key, sizeof(key));
	if (ctx->mac[0]) {
		fill_params(p, params, key);
		ctx->is_tls |= names_tls(params);
	}
	return both(p, ctx, do_set, &args);
}

static int do_update(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	(void)answer;
	if (ctx->mac[side])
		return EVP_MAC_update(ctx->mac[side], args->in, args->len);
	return EVP_DigestUpdate(ctx->md[side], args->in, args->len);
}

static size_t random_length(struct random *r)
{
	static const size_t limit[] = { 1, 17, 64, 300, 2000, 5000, 20000, 20000, 65537, 140000 };
	size_t n = random_below(r, limit[random_below(r, sizeof(limit) / sizeof(limit[0]))]);

	return random_below(r, 12) ? n : 65536;
}

static bool step_update(struct play *p, struct context *ctx)
{
	struct args args = { .in = p->room + random_below(&p->random, 64) };

	p->step = "update";
	args.len = random_length(&p->random);
	/* A record has a header of 13 bytes, and is no longer than it was said to be. */
	if (ctx->is_tls)
		args.len = random_below(&p->random, 3) ? 13 : 3000;
	return both(p, ctx, do_update, &args);
}

static int do_final(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	unsigned n = 0;
	int ok;

	if (ctx->mac[side])
		return EVP_MAC_final(ctx->mac[side], answer->out, &answer->len, args->out_size);
	ok = EVP_DigestFinal_ex(ctx->md[side], answer->out, &n);
	answer->len = n;
	return ok;
}

static int do_final_xof(struct context *ctx, int side, const struct args *args,
			struct answer *answer)
{
	if (ctx->mac[side])
		return EVP_MAC_finalXOF(ctx->mac[side], answer->out, args->out_size);
	return EVP_DigestFinalXOF(ctx->md[side], answer->out, args->out_size);
}

static bool step_final(struct play *p, struct context *ctx)
{
	size_t wrong = random_below(&p->random, 12);
	struct args args = { .out_size = EVP_MAX_MD_SIZE };

	p->step = "final";
	if (wrong == 0)
		args.out_size = random_below(&p->random, EVP_MAX_MD_SIZE);
	if (wrong == 1)
		p->step = "final XOF";
	return both(p, ctx, wrong == 1 ? do_final_xof : do_final, &args);
}

static int do_ask(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	size_t block;

	(void)args;
	if (!ctx->mac[side]) {
		answer->len = (size_t)EVP_MD_CTX_get_size(ctx->md[side]);
		return 1;
	}
	answer->len = EVP_MAC_CTX_get_mac_size(ctx->mac[side]);
	block = EVP_MAC_CTX_get_block_size(ctx->mac[side]);
	memcpy(answer->out, &block, sizeof(block));
	return 1;
}

static bool step_ask(struct play *p, struct context *ctx)
{
	p->step = "ask for sizes";
	return both(p, ctx, do_ask, NULL);
}

static int do_copy(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	EVP_MAC_CTX *copy;

	(void)answer;
	if (!ctx->mac[side])
		return EVP_MD_CTX_copy_ex(ctx->md[side], args->from->md[side]);
	copy = EVP_MAC_CTX_dup(args->from->mac[side]);
	if (!copy)
		return 0;
	EVP_MAC_CTX_free(ctx->mac[side]);
	ctx->mac[side] = copy;
	return 1;
}

static bool step_copy(struct play *p, struct context *from)
{
	struct context *to = &p->ctx[random_below(&p->random, CONTEXTS)];
	struct args args = { .from = from };

	p->step = "copy";
	if (to == from)
		return true;
	/* Now and then to one that is of nothing yet. */
	if (to->md[0] && random_below(&p->random, 2)) {
		EVP_MD_CTX_reset(to->md[0]);
		EVP_MD_CTX_reset(to->md[1]);
	}
	to->is_tls = from->is_tls;
	return both(p, to, do_copy, &args);
}

static int do_whole(struct context *ctx, int side, const struct args *args, struct answer *answer)
{
	const struct diff_row *row = args->row;
	unsigned n = 0;
	int ok;

	if (!ctx->mac[side]) {
		ok = EVP_Digest(args->in, args->len, answer->out, &n, row->of[side].md, NULL);
		answer->len = n;
		return ok;
	}
	ok = EVP_MAC_init(ctx->mac[side], args->key, args->key_len, args->params) &&
	     EVP_MAC_update(ctx->mac[side], args->in, args->len) &&
	     EVP_MAC_final(ctx->mac[side], answer->out, &answer->len, args->out_size);
	return ok;
}

static bool step_whole(struct play *p, struct context *ctx)
{
	unsigned char key[MAX_KEY];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(p->row->alg->key_len ? OSSL_MAC_PARAM_CIPHER :
									OSSL_MAC_PARAM_DIGEST,
						 (char *)(uintptr_t)p->row->alg->inner, 0),
		OSSL_PARAM_END,
	};
	struct args args = { .in = p->room + random_below(&p->random, 64),
			     .key = key,
			     .out_size = EVP_MAX_MD_SIZE,
			     .params = params,
			     .row = p->row };

	p->step = "all at once";
	if (ctx->is_tls)
		return true;
	random_bytes(&p->random, key, sizeof(key));
	args.key_len = some_key_len(p);
	args.len = random_length(&p->random);
	return both(p, ctx, do_whole, &args);
}

static bool one_step(struct play *p, struct context *ctx)
{
	size_t what = random_below(&p->random, 100);

	if (what < 22)
		return step_init(p, ctx);
	if (what < 56)
		return step_update(p, ctx);
	if (what < 74)
		return step_final(p, ctx);
	if (what < 82)
		return step_copy(p, ctx);
	if (what < 92)
		return step_whole(p, ctx);
	return what < 96 ? step_set(p, ctx) : step_ask(p, ctx);
}

static bool start_context(struct play *p, struct context *ctx)
{
	struct args args = { .row = p->row };

	*ctx = (struct context){ .is_tls = false };
	if (p->row->of[0].mac) {
		ctx->mac[0] = EVP_MAC_CTX_new(p->row->of[0].mac);
		ctx->mac[1] = EVP_MAC_CTX_new(p->row->of[1].mac);
		return ctx->mac[0] && ctx->mac[1] && step_whole(p, ctx);
	}
	ctx->md[0] = EVP_MD_CTX_new();
	ctx->md[1] = EVP_MD_CTX_new();
	return both(p, ctx, do_init, &args);
}

static void end_contexts(struct play *p)
{
	for (size_t i = 0; i < CONTEXTS; i++) {
		for (int side = 0; side < 2; side++) {
			EVP_MD_CTX_free(p->ctx[i].md[side]);
			EVP_MAC_CTX_free(p->ctx[i].mac[side]);
		}
	}
}

bool hash_play(unsigned char *room, const struct diff_row *row, uint64_t seed)
{
	struct play p = { .random = { .state = seed }, .row = row, .room = room, .step = "start" };
	size_t steps = 4 + random_below(&p.random, 16);
	bool ok = true;

	random_bytes(&p.random, room, ROOM);
	for (size_t i = 0; ok && i < CONTEXTS; i++)
		ok = start_context(&p, &p.ctx[i]);
	while (ok && steps--)
		ok = one_step(
			&p,
			&p.ctx[random_below(&p.random, 4) ? 0 : random_below(&p.random, CONTEXTS)]);
	end_contexts(&p);
	return ok;
}

size_t hash_room(void)
{
	return ROOM;
}
