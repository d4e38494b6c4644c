/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS up to 1.2 in CBC mode: an update is a record, in place. When encrypting, the base adds the
 * padding; when decrypting, it removes padding and MAC in constant time. It treats the last blocks
 * of the real record as a record of its own; the kernel does the blocks before those.
 */
#include "request/tls_record.h"

#include <string.h>

#include "core/quiet.h"
#include "request/detour.h"

/*
 * All that the base may look at: padding with its length, the longest MAC (SHA-384), and the first
 * block, which it takes to be the explicit IV since TLS 1.1. Whole blocks of every cipher.
 */
#define DECRYPTION_TAIL (16 + 256 + 48)

/* Bytes at the end that the base does. */
static size_t tail_of(const struct kc_cipher *c, size_t inl)
{
	size_t block = c->base->common.alg->block_len;

	return c->dir == KC_ENCRYPT ? block + inl % block : DECRYPTION_TAIL;
}

/* Returns the bytes that the kernel has done, from the start. */
static size_t run_head(struct kc_cipher *c, unsigned char *out, const unsigned char *in, size_t inl)
{
	const struct kc_alg *alg = c->base->common.alg;
	size_t tail = tail_of(c, inl);

	if (alg->iv_rule != KC_IV_LAST_BLOCK || alg->stream || alg->steals)
		return 0;
	if (in != out || inl < tail || (inl - tail) % alg->block_len)
		return 0;
	if (inl - tail < c->gate.entry || !kc_detour_session(c, inl - tail))
		return 0;
	if (!kc_detour_place(c) || !c->place.padding)
		return 0;
	return kc_detour_body(c, c->place.iv, out, in, inl - tail);
}

int kc_tls_record(struct kc_cipher *c, unsigned char *out, size_t *outl, size_t outsize,
		  const unsigned char *in, size_t inl)
{
	KC_QUIETLY;
	size_t done = run_head(c, out, in, inl), n = 0;

	if (!c->update(c->base_ctx, out + done, &n, outsize - done, in + done, inl - done))
		return 0;
	*outl = done + n;
	return 1;
}
