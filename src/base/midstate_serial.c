/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-2's state in its serialized form, which OpenSSL has from 4.0 on. */
#include "base/base.h"
#include "base/midstate.h"

#include <string.h>

/*
 * The form begins with its name and version. Then come the digest's length and the number of bytes
 * in the partial block, 4 bytes each; the words; two words for the number of bits; and the block.
 * All numbers are little-endian.
 */
#define NUM_AT	   12
#define WORDS_AT   16
#define SERIAL_MAX 256

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

/* Converts little-endian words to this machine's, or back, which is the same. */
static void swap_words(const struct kc_alg *alg, uint8_t *to, const uint8_t *from)
{
	static const uint16_t one = 1;
	size_t word = kc_word_len(alg), flip = *(const uint8_t *)&one ? 0 : word - 1;

	for (size_t i = 0; i < alg->state_len; i++)
		to[i] = from[i ^ flip];
}

/* Gets the serialized form and returns its length; 0: the form is unknown. */
static size_t serialize(const struct kc_base *base, void *ctx, uint8_t form[SERIAL_MAX])
{
	const struct kc_base_row *row = kc_base_outer(base);
	size_t word = kc_word_len(base->alg), len = SERIAL_MAX;
	const char *magic = word == 8 ? "SHA512v1" : "SHA256v1";

	if (!row->serialize || !row->deserialize)
		return 0;
	if (!row->serialize(ctx, form, &len))
		return 0;
	if (len != WORDS_AT + base->alg->state_len + 18 * word)
		return 0;
	if (memcmp(form, magic, strlen(magic)) != 0)
		return 0;
	return len;
}

int kc_state_get(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part)
{
	uint8_t form[SERIAL_MAX];
	int ok = serialize(base, ctx, form) != 0;

	if (ok) {
		*part = (unsigned)load(form + NUM_AT, 4);
		swap_words(base->alg, words, form + WORDS_AT);
	}
	explicit_bzero(form, sizeof(form));
	return ok;
}

/* The number of bits has 128 bits with SHA-512, 64 with SHA-256. */
static void add_serial_bits(uint8_t *low, uint64_t bits, size_t word)
{
	uint64_t was = load(low, 8);

	store(low, was + bits, 8);
	if (word == 8 && was + bits < bits)
		store(low + 8, load(low + 8, 8) + 1, 8);
}

int kc_state_put(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes)
{
	uint8_t form[SERIAL_MAX];
	size_t len = serialize(base, ctx, form);
	int ok = 0;

	if (len && !load(form + NUM_AT, 4)) {
		swap_words(base->alg, form + WORDS_AT, words);
		add_serial_bits(form + WORDS_AT + base->alg->state_len, bytes << 3,
				kc_word_len(base->alg));
		ok = kc_base_outer(base)->deserialize(ctx, form, len);
	}
	explicit_bzero(form, sizeof(form));
	return ok;
}
