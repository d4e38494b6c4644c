/* SPDX-License-Identifier: Apache-2.0 */
/* See diff.h. */
#include "diff.h"

#include <string.h>

uint64_t random_next(struct random *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t take_byte(struct random *r)
{
	if (!r->left)
		return 0;
	r->left--;
	return *r->bytes++;
}

size_t random_below(struct random *r, size_t n)
{
	size_t x = 0;

	if (!r->bytes)
		return (size_t)(random_next(r) % n);
	for (size_t span = 1; span < n; span <<= 8)
		x = x << 8 | take_byte(r);
	return x % n;
}

/* A fuzzer would trace each comparison here. */
#ifdef __clang__
__attribute__((no_sanitize("coverage")))
#endif
void random_bytes(struct random *r, unsigned char *out, size_t n)
{
	for (; n >= 8; n -= 8, out += 8) {
		uint64_t x = random_next(r);

		memcpy(out, &x, 8);
	}
	while (n--)
		*out++ = (unsigned char)random_next(r);
}
