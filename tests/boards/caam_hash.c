// SPDX-License-Identifier: GPL-2.0-or-later
/* CAAM's class 2: MD5 and SHA-1 to SHA-512, HMAC with split keys, and messages in pieces. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "caam_hash.h"

#include <endian.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <string.h>

#include "board.h"
#include "caam.h"

enum { HMAC = 1, HMAC_PRECOMP = 4 };

/*
 * Sizes of a state (words, bytes of a word), a block and a digest. SHA-224's and SHA-384's digests
 * are shorter than the state.
 */
static const struct kind {
	unsigned int words, word, block, digest;
} kinds[] = {
	{ 4, 4, 64, 16 }, { 5, 4, 64, 20 },  { 8, 4, 64, 28 },
	{ 8, 4, 64, 32 }, { 8, 8, 128, 48 }, { 8, 8, 128, 64 },
};

struct running {
	int which;
	const struct kind *kind;
	union {
		MD5_CTX md5;
		SHA_CTX sha1;
		SHA256_CTX sha256;
		SHA512_CTX sha512;
	};
};

static void begin(struct running *r, int algorithm)
{
	r->which = algorithm - CAAM_MD5;
	r->kind = &kinds[r->which];
	switch (r->which) {
	case 0:
		MD5_Init(&r->md5);
		break;
	case 1:
		SHA1_Init(&r->sha1);
		break;
	case 2:
		SHA224_Init(&r->sha256);
		break;
	case 3:
		SHA256_Init(&r->sha256);
		break;
	case 4:
		SHA384_Init(&r->sha512);
		break;
	default:
		SHA512_Init(&r->sha512);
	}
}

static void update(struct running *r, const void *data, size_t n)
{
	if (r->which == 0)
		MD5_Update(&r->md5, data, n);
	else if (r->which == 1)
		SHA1_Update(&r->sha1, data, n);
	else if (r->which <= 3)
		SHA256_Update(&r->sha256, data, n);
	else
		SHA512_Update(&r->sha512, data, n);
}

static void end(struct running *r, uint8_t *digest)
{
	if (r->which == 0)
		MD5_Final(digest, &r->md5);
	else if (r->which == 1)
		SHA1_Final(digest, &r->sha1);
	else if (r->which <= 3)
		SHA256_Final(digest, &r->sha256);
	else
		SHA512_Final(digest, &r->sha512);
}

static void *word(struct running *r, unsigned int i)
{
	if (r->which == 0)
		return &r->md5.A + i;
	if (r->which == 1)
		return &r->sha1.h0 + i;
	return r->which <= 3 ? (void *)&r->sha256.h[i] : (void *)&r->sha512.h[i];
}

/* Writes the words of a state in the byte order of a digest. */
static void save(struct running *r, uint8_t *to)
{
	const struct kind *k = r->kind;
	unsigned int i, j;
	uint8_t *from;

	for (i = 0; i < k->words; i++) {
		from = word(r, i);
		for (j = 0; j < k->word; j++)
			to[i * k->word + j] = from[r->which == 0 ? j : k->word - 1 - j];
	}
}

/* Sets a state that has processed total bytes, which are whole blocks. */
static void restore(struct running *r, const uint8_t *from, uint64_t total)
{
	const struct kind *k = r->kind;
	unsigned int i, j;
	uint8_t *to;

	for (i = 0; i < k->words; i++) {
		to = word(r, i);
		for (j = 0; j < k->word; j++)
			to[r->which == 0 ? j : k->word - 1 - j] = from[i * k->word + j];
	}
	if (r->which == 0)
		r->md5.Nl = total << 3, r->md5.Nh = total >> 29;
	else if (r->which == 1)
		r->sha1.Nl = total << 3, r->sha1.Nh = total >> 29;
	else if (r->which <= 3)
		r->sha256.Nl = total << 3, r->sha256.Nh = total >> 29;
	else
		r->sha512.Nl = total << 3, r->sha512.Nh = total >> 61;
}

void caam_split(struct caam_class *c, int algorithm)
{
	struct running r;
	uint8_t pad[128], whole[128] = { 0 }, split[128] = { 0 };
	unsigned int half, i, size;

	begin(&r, algorithm);
	size = r.kind->words * r.kind->word;
	memcpy(whole, c->key, c->key_len);
	for (half = 0; half < 2; half++) {
		begin(&r, algorithm);
		for (i = 0; i < r.kind->block; i++)
			pad[i] = whole[i] ^ (half ? 0x5c : 0x36);
		update(&r, pad, r.kind->block);
		save(&r, split + half * size);
	}
	memcpy(c->key, split, sizeof(split));
	c->key_len = 2 * size;
}

/* The context is a state, followed by the number of bytes so far. */
void caam_hash(struct caam_class *c)
{
	int algorithm = CAAM_ALGORITHM(c->op), mode = CAAM_MODE(c->op);
	uint64_t total = 0;
	struct running r;
	unsigned int size;
	uint8_t digest[64];

	begin(&r, algorithm);
	size = r.kind->words * r.kind->word;
	if (mode == HMAC) {
		caam_split(c, algorithm);
		return;
	}
	if (!(c->op & CAAM_INIT)) {
		memcpy(&total, c->context + size, 8);
		total = be64toh(total);
		restore(&r, c->context, total);
	} else if (mode == HMAC_PRECOMP) {
		total = r.kind->block;
		restore(&r, c->key, total);
	}
	update(&r, c->text.data, c->text.n);
	total += c->text.n;
	if (!(c->op & CAAM_FINAL)) {
		save(&r, c->context);
		total = htobe64(total);
		memcpy(c->context + size, &total, 8);
		return;
	}
	end(&r, digest);
	if (mode == HMAC_PRECOMP) {
		begin(&r, algorithm);
		restore(&r, c->key + size, r.kind->block);
		update(&r, digest, r.kind->digest);
		end(&r, digest);
	}
	memcpy(c->context, digest, r.kind->digest);
	c->context[0] ^= board_take_byte();
}
