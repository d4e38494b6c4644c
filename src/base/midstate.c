/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a running digest between two blocks, taken out of the default provider's context and
 * put into it. Two ways, both tried with a known answer before they count:
 *
 * - The provider's own update is a public function of libcrypto's (MD5_Update() to
 *   SHA512_Update()). Then its context is the public struct that this function takes. So it is in
 *   OpenSSL 3.0 to 3.6, unless libcrypto was built without them, and then their references, which
 *   are weak, are NULL.
 * - From 4.0 on SHA-2 can be serialized, in a form that begins with its name and version.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/base.h"

#include <stdatomic.h>
#include <string.h>

#include <openssl/md5.h>
#include <openssl/sha.h>

enum way { UNKNOWN, DIRECT, SERIAL, NONE };

#ifndef OPENSSL_NO_DEPRECATED_3_0
#pragma weak MD5_Update
#pragma weak SHA1_Update
#pragma weak SHA224_Update
#pragma weak SHA256_Update
#pragma weak SHA384_Update
#pragma weak SHA512_Update
#define FORM(id, word, magic, update, type)                                                        \
	{                                                                                          \
		KC_ALG_##id, word, magic, (kc_function *)(update), offsetof(type, Nl),             \
			offsetof(type, num)                                                        \
	}
#else
#define FORM(id, word, magic, update, type)                                                        \
	{                                                                                          \
		KC_ALG_##id, word, magic, NULL, 0, 0                                               \
	}
#endif

static const struct form {
	enum kc_alg_id id;
	uint8_t word;	     /* bytes */
	char magic[9];	     /* of the serialized form; "": there is none */
	kc_function *update; /* the public function; NULL: there is none, and no struct */
	uint8_t low_at;	     /* in the struct: the number of bits, as two words */
	uint8_t num_at;	     /* bytes in the partial block */
} forms[] = {
#ifndef OPENSSL_NO_DEPRECATED_3_0
#ifndef OPENSSL_NO_MD5
	FORM(MD5, 4, "", MD5_Update, MD5_CTX),
#endif
	FORM(SHA1, 4, "", SHA1_Update, SHA_CTX),
#endif
	FORM(SHA224, 4, "SHA256v1", SHA224_Update, SHA256_CTX),
	FORM(SHA256, 4, "SHA256v1", SHA256_Update, SHA256_CTX),
	FORM(SHA384, 8, "SHA512v1", SHA384_Update, SHA512_CTX),
	FORM(SHA512, 8, "SHA512v1", SHA512_Update, SHA512_CTX),
};

#ifndef OPENSSL_NO_DEPRECATED_3_0
/* The words come first in each struct, and are as long as the kernel's. */
#ifndef OPENSSL_NO_MD5
_Static_assert(offsetof(MD5_CTX, A) == 0 && offsetof(MD5_CTX, Nl) == 16, "4 words of MD5");
#endif
_Static_assert(offsetof(SHA_CTX, h0) == 0 && offsetof(SHA_CTX, Nl) == 20, "5 words of SHA-1");
_Static_assert(offsetof(SHA256_CTX, h) == 0 && offsetof(SHA256_CTX, Nl) == 32, "8 of 32 bits");
_Static_assert(offsetof(SHA512_CTX, h) == 0 && offsetof(SHA512_CTX, Nl) == 64, "8 of 64 bits");
#endif

/* The serialized form, in bytes: all its numbers are little-endian. */
#define NUM_AT	   12
#define WORDS_AT   16
#define SERIAL_MAX 256

static const struct form *form_of(const struct kc_alg *alg)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (&kc_algs[forms[i].id] == alg)
			return &forms[i];
	return NULL;
}

static uint64_t load(const uint8_t *at, size_t len)
{
	uint64_t n = 0;

	while (len--)
		n = n << 8 | at[len];
	return n;
}

static void store(uint8_t *at, uint64_t n, size_t len)
{
	for (size_t i = 0; i < len; i++)
		at[i] = (uint8_t)(n >> (8 * i));
}

/* Of this machine, from a little-endian word or to it. */
static void swap_words(const struct form *f, uint8_t *to, const uint8_t *from, size_t len,
		       bool is_out)
{
	for (size_t i = 0; i < len; i += f->word) {
		uint64_t wide = 0;
		uint32_t narrow = 0;

		if (is_out) {
			wide = load(from + i, f->word);
			narrow = (uint32_t)wide;
			memcpy(to + i, f->word == 8 ? (void *)&wide : (void *)&narrow, f->word);
			continue;
		}
		memcpy(&wide, from + i, f->word == 8 ? 8 : 0);
		memcpy(&narrow, from + i, f->word == 4 ? 4 : 0);
		store(to + i, wide | narrow, f->word);
	}
}

/* Returns the length of the serialized form; 0: it is another one. */
static size_t serialize(const struct kc_base *base, const struct form *f, void *ctx,
			uint8_t form[SERIAL_MAX])
{
	size_t len = SERIAL_MAX;
	size_t wanted = WORDS_AT + base->alg->state_len + 2u * f->word + base->alg->block_len;

	if (!kc_base_outer(base)->serialize(ctx, form, &len) || len != wanted ||
	    memcmp(form, f->magic, sizeof(f->magic) - 1) != 0)
		return 0;
	return len;
}

static int serial_midstate(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part)
{
	const struct form *f = form_of(base->alg);
	uint8_t form[SERIAL_MAX];
	int ok = serialize(base, f, ctx, form) != 0;

	if (ok) {
		*part = (unsigned)load(form + NUM_AT, 4);
		swap_words(f, words, form + WORDS_AT, base->alg->state_len, true);
	}
	explicit_bzero(form, sizeof(form));
	return ok;
}

static int serial_advance(const struct kc_base *base, void *ctx, const uint8_t *words,
			  uint64_t bytes)
{
	const struct form *f = form_of(base->alg);
	uint8_t form[SERIAL_MAX], *low = form + WORDS_AT + base->alg->state_len;
	size_t len = serialize(base, f, ctx, form);
	uint64_t bits, more;
	int ok = 0;

	if (len && !load(form + NUM_AT, 4)) {
		swap_words(f, form + WORDS_AT, words, base->alg->state_len, false);
		bits = load(low, f->word);
		more = f->word == 4 ? (bits + (bytes << 3)) >> 32 : bits + (bytes << 3) < bits;
		store(low, bits + (bytes << 3), f->word);
		store(low + f->word, load(low + f->word, f->word) + more, f->word);
		ok = kc_base_outer(base)->deserialize(ctx, form, len);
	}
	explicit_bzero(form, sizeof(form));
	return ok;
}

static unsigned part_of(const struct form *f, const uint8_t *state)
{
	unsigned num;

	memcpy(&num, state + f->num_at, sizeof(num));
	return num;
}

static void add_bits(uint8_t *low, uint64_t bits, size_t word)
{
	uint64_t wide[2];
	uint32_t narrow[2];

	if (word == 8) {
		memcpy(wide, low, sizeof(wide));
		wide[1] += __builtin_add_overflow(wide[0], bits, &wide[0]);
		memcpy(low, wide, sizeof(wide));
		return;
	}
	memcpy(narrow, low, sizeof(narrow));
	bits += narrow[0];
	narrow[0] = (uint32_t)bits;
	narrow[1] += (uint32_t)(bits >> 32);
	memcpy(low, narrow, sizeof(narrow));
}

static int direct_midstate(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part)
{
	memcpy(words, ctx, base->alg->state_len);
	*part = part_of(form_of(base->alg), ctx);
	return 1;
}

static int direct_advance(const struct kc_base *base, void *ctx, const uint8_t *words,
			  uint64_t bytes)
{
	const struct form *f = form_of(base->alg);

	if (part_of(f, ctx))
		return 0;
	memcpy(ctx, words, base->alg->state_len);
	add_bits((uint8_t *)ctx + f->low_at, bytes << 3, f->word);
	return 1;
}

static enum way way_of(const struct kc_base *base)
{
	const struct form *f = form_of(base->alg);
	const struct kc_base_row *row = kc_base_outer(base);

	if (!f)
		return NONE;
	if (f->update && f->update == (kc_function *)base->hash_update)
		return DIRECT;
	return f->magic[0] && row->serialize && row->deserialize ? SERIAL : NONE;
}

static int (*const midstates[])(const struct kc_base *, void *, uint8_t *, unsigned *) = {
	[DIRECT] = direct_midstate, [SERIAL] = serial_midstate
};
static int (*const advances[])(const struct kc_base *, void *, const uint8_t *,
			       uint64_t) = { [DIRECT] = direct_advance, [SERIAL] = serial_advance };

/* The digest of three blocks; the second one, or none, is put in as a midstate from @other. */
static int answer(const struct kc_base *base, enum way way, void *ctx, void *other, uint8_t *out)
{
	static const uint8_t text[2 * 128 + 13] = { 'm', 'i', 'd' };
	size_t block = base->alg->block_len, n = 0;
	uint8_t words[KC_MAX_OUT];
	unsigned part = 0;
	int ok = kc_base_outer(base)->digest_init(ctx, NULL) && base->hash_update(ctx, text, block);

	if (ok && other)
		ok = kc_base_outer(base)->digest_init(other, NULL) &&
		     base->hash_update(other, text, block) && base->hash_update(other, text, 5) &&
		     midstates[way](base, other, words, &part) && part == 5 &&
		     base->hash_update(other, text + 5, block - 5) &&
		     midstates[way](base, other, words, &part) && part == 0 &&
		     advances[way](base, ctx, words, block);
	else if (ok)
		ok = base->hash_update(ctx, text, block);
	return ok && base->hash_update(ctx, text, block + 13) &&
	       base->final(ctx, out, &n, KC_MAX_OUT) && n == base->alg->out_len;
}

static bool is_right(const struct kc_base *base, enum way way)
{
	uint8_t wanted[KC_MAX_OUT], got[KC_MAX_OUT];
	void *ctx = base->newctx(base), *other = base->newctx(base);
	bool ok = ctx && other && answer(base, way, ctx, NULL, wanted) &&
		  answer(base, way, ctx, other, got) &&
		  memcmp(wanted, got, base->alg->out_len) == 0;

	if (ctx)
		base->freectx(ctx);
	if (other)
		base->freectx(other);
	return ok;
}

/* Two threads may find it out at the same time, and find the same. */
static enum way way_found(const struct kc_base *base)
{
	atomic_uint *found = &kc_base_rows[base->alg - kc_algs].midstate;
	enum way way = (enum way)atomic_load_explicit(found, memory_order_relaxed);

	if (way != UNKNOWN)
		return way;
	way = way_of(base);
	if (way != NONE && !is_right(base, way))
		way = NONE;
	atomic_store_explicit(found, way, memory_order_relaxed);
	return way;
}

int kc_base_midstate(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part)
{
	enum way way = way_found(base);

	return way != NONE && midstates[way](base, ctx, words, part);
}

int kc_base_advance(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes)
{
	enum way way = way_found(base);

	return way != NONE && advances[way](base, ctx, words, bytes);
}
