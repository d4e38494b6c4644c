/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's MACs for the core. A MAC is one implementation, which gets its digest or
 * cipher as a parameter and fetches it: the rows of a MAC share its functions.
 *
 * A trial must fetch nothing: it may run in an atexit handler after OpenSSL's own, or while the
 * application holds a lock of libcrypto. So the answers here come from the functions of the digest
 * or cipher inside, which were taken with the offer, combined as RFC 2104 and RFC 4493 say. They
 * only serve to compare a driver with; no program gets them.
 */
#include <string.h>

#include <openssl/provider.h>

#include "base/base.h"

#define CMAC_BLOCK  16
#define CMAC_CHUNK  2048 /* bytes that libcrypto gives its cipher at a time */
#define CMAC_MODULO 0x87

static const struct kc_base *inner_of(const struct kc_base *base)
{
	return &kc_base_row(&kc_algs[base->alg->inner])->base;
}

/* Makes the digest of two texts, one after the other. 1 or 0. */
static int digest(const struct kc_base *d, void *ctx, const uint8_t *first, size_t first_len,
		  const uint8_t *second, size_t len, uint8_t *out)
{
	size_t n = 0;

	if (!d->start(d, ctx))
		return 0;
	if (!d->hash_update(ctx, first, first_len) || !d->hash_update(ctx, second, len))
		return 0;
	if (!d->final(ctx, out, &n, d->alg->out_len))
		return 0;
	return n == d->alg->out_len;
}

static void add_byte(uint8_t *bytes, size_t len, uint8_t byte)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] ^= byte;
}

/* RFC 2104. A digest's block is at most KC_MAX_MAC_KEY bytes. */
static int hmac(const struct kc_base *d, void *ctx, const struct kc_key *key,
		const struct kc_req *req)
{
	uint8_t pad[KC_MAX_MAC_KEY] = { 0 }, middle[KC_MAX_OUT];
	size_t block = d->alg->block_len;
	int ok = 1;

	if (key->len > block)
		ok = digest(d, ctx, key->bytes, key->len, pad, 0, pad);
	else
		memcpy(pad, key->bytes, key->len);
	add_byte(pad, block, 0x36);
	ok = ok && digest(d, ctx, pad, block, req->in, req->len, middle);
	add_byte(pad, block, 0x36 ^ 0x5c);
	ok = ok && digest(d, ctx, pad, block, middle, d->alg->out_len, req->tag);
	explicit_bzero(pad, sizeof(pad));
	explicit_bzero(middle, sizeof(middle));
	return ok;
}

/* Multiplies by x in the field of 2^128 elements. */
static void double_block(uint8_t block[CMAC_BLOCK])
{
	uint8_t carry = block[0] >> 7;

	for (size_t i = 0; i + 1 < CMAC_BLOCK; i++)
		block[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
	block[CMAC_BLOCK - 1] = (uint8_t)(block[CMAC_BLOCK - 1] << 1 ^ (-carry & CMAC_MODULO));
}

/* Makes the last block of the message, whole or padded, with its subkey. */
static void end_block(uint8_t last[CMAC_BLOCK], uint8_t subkey[CMAC_BLOCK], size_t len)
{
	double_block(subkey);
	if (len < CMAC_BLOCK) {
		double_block(subkey);
		last[len] = 0x80;
	}
	for (size_t i = 0; i < CMAC_BLOCK; i++)
		last[i] ^= subkey[i];
}

/* Does all blocks of a CBC stream; leaves the last block's ciphertext at the start of @chunk. */
static int chain(const struct kc_base *c, void *ctx, const uint8_t *in, size_t len,
		 uint8_t chunk[CMAC_CHUNK])
{
	while (len) {
		size_t n = kc_min(len, CMAC_CHUNK), got = 0;

		if (!c->update(ctx, chunk, &got, CMAC_CHUNK, in, n) || got != n)
			return 0;
		memmove(chunk, chunk + n - CMAC_BLOCK, CMAC_BLOCK);
		in += n;
		len -= n;
	}
	return 1;
}

static int start_chain(const struct kc_base *c, void *ctx, const uint8_t *key)
{
	static const uint8_t zeros[CMAC_BLOCK];

	if (!c->init(c, ctx, KC_ENCRYPT, key, zeros))
		return 0;
	return c->set_padding(c, ctx, false);
}

static int cmac(const struct kc_base *c, void *ctx, const struct kc_key *key,
		const struct kc_req *req)
{
	size_t rest = req->len ? (req->len - 1) % CMAC_BLOCK + 1 : 0;
	uint8_t last[CMAC_BLOCK] = { 0 }, subkey[CMAC_BLOCK], chunk[CMAC_CHUNK];
	int ok = start_chain(c, ctx, key->bytes) && chain(c, ctx, last, CMAC_BLOCK, chunk);

	memcpy(subkey, chunk, sizeof(subkey));
	if (rest)
		memcpy(last, req->in + req->len - rest, rest);
	end_block(last, subkey, rest);
	if (ok)
		ok = start_chain(c, ctx, NULL) && chain(c, ctx, req->in, req->len - rest, chunk);
	if (ok)
		ok = chain(c, ctx, last, CMAC_BLOCK, chunk);
	memcpy(req->tag, chunk, CMAC_BLOCK);
	explicit_bzero(last, sizeof(last));
	explicit_bzero(subkey, sizeof(subkey));
	explicit_bzero(chunk, sizeof(chunk));
	return ok;
}

/* Uses a context of the digest or cipher inside, because the MAC's own would have to fetch that. */
static int mac_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		     const struct kc_req *req)
{
	const struct kc_base *inner = inner_of(base);
	void *inner_ctx = inner->newctx(inner);
	int ok = 0;

	(void)ctx;
	if (!inner_ctx)
		return 0;
	if (inner->alg->kind == KC_DIGEST)
		ok = hmac(inner, inner_ctx, key, req);
	else
		ok = cmac(inner, inner_ctx, key, req);
	inner->freectx(inner_ctx);
	return ok;
}

static bool is_mac_of_base(const OSSL_ALGORITHM *a)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const OSSL_ALGORITHM *theirs = kc_base_rows[i].theirs;

		if (kc_algs[i].kind != KC_MAC || !theirs)
			continue;
		if (a->implementation == theirs->implementation)
			return true;
	}
	return false;
}

void *kc_base_mac_provctx(const OSSL_PROVIDER *provider)
{
	const OSSL_ALGORITHM *a;
	int no_cache = 0;

	a = OSSL_PROVIDER_query_operation(provider, OSSL_OP_MAC, &no_cache);
	for (; a && a->algorithm_names; a++)
		if (is_mac_of_base(a))
			return OSSL_PROVIDER_get0_provider_ctx(provider);
	return NULL;
}

void kc_base_fill_mac(struct kc_base_row *row)
{
	row->base.whole = mac_whole;
}
