/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state in the public structs of MD5, SHA-1 and SHA-2. They are alike: the state's words, two
 * words for the number of bits, a block, and the number of bytes in that block.
 */
#include "base/midstate.h"

#include <string.h>

#include <openssl/md5.h>
#include <openssl/sha.h>

#define IS_LIKE(type, words, first, word)                                                          \
	_Static_assert(offsetof(type, first) == 0 && offsetof(type, Nl) == (words) * (word) &&     \
			       offsetof(type, Nh) == offsetof(type, Nl) + (word) &&                \
			       offsetof(type, num) == offsetof(type, Nl) + 18 * (word) &&          \
			       sizeof(((type *)0)->num) == sizeof(unsigned),                       \
		       "the struct is as we read it")

#ifndef OPENSSL_NO_DEPRECATED_3_0
#ifndef OPENSSL_NO_MD5
IS_LIKE(MD5_CTX, 4, A, 4);
#endif
IS_LIKE(SHA_CTX, 5, h0, 4);
IS_LIKE(SHA256_CTX, 8, h, 4);
IS_LIKE(SHA512_CTX, 8, h, 8);
#endif

/* Returns the number of bytes in the partial block. */
static unsigned num_in(const struct kc_alg *alg, const uint8_t *state)
{
	unsigned num;

	memcpy(&num, state + alg->state_len + 18 * kc_word_len(alg), sizeof(num));
	return num;
}

static void add_bits(uint8_t *low, uint64_t bits, bool is_wide)
{
	uint64_t wide[2];
	uint32_t narrow[2];

	if (is_wide) {
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

int kc_state_get(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part)
{
	const uint8_t *state = base->state(base, ctx);

	if (!state)
		return 0;
	memcpy(words, state, base->alg->state_len);
	*part = num_in(base->alg, state);
	return 1;
}

int kc_state_put(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes)
{
	uint8_t *state = base->state(base, ctx);

	if (!state || num_in(base->alg, state))
		return 0;
	memcpy(state, words, base->alg->state_len);
	add_bits(state + base->alg->state_len, bytes << 3, kc_word_len(base->alg) == 8);
	return 1;
}
