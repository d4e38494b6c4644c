/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's ways to return a pointer to an IV. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "diff/play.h"

#include <string.h>

#include "iv_functions.h"

/* Asks for a pointer. Ways 0 and 1 return the original IV, the others the updated IV. */
static unsigned char *ask(EVP_CIPHER_CTX *ctx, int way)
{
	switch (way) {
	case 0:
		return (unsigned char *)(uintptr_t)EVP_CIPHER_CTX_original_iv(ctx);
	case 1:
		return iv_by_param(ctx, OSSL_CIPHER_PARAM_IV);
	case 2:
		return (unsigned char *)(uintptr_t)EVP_CIPHER_CTX_iv(ctx);
	case 3:
		return EVP_CIPHER_CTX_iv_noconst(ctx);
	default:
		return iv_by_param(ctx, OSSL_CIPHER_PARAM_UPDATED_IV);
	}
}

static int do_take(struct twins *t, int side, struct call *call)
{
	call->got[side].pointer = ask(t->cipher[side], call->number);
	return call->got[side].pointer != NULL;
}

/* Writes the same bytes through both pointers: one byte, or all. */
static void write_through(struct play *p, const struct iv_pointer *kept)
{
	unsigned char bytes[EVP_MAX_IV_LENGTH];
	size_t n = one_in(p, 2) ? 1 : p->shown, from = below(p, p->shown - n + 1);

	random_bytes(&p->random, bytes, sizeof(bytes));
	for (int i = 0; i < 2; i++)
		memcpy(kept->at[i] + from, bytes, n);
}

bool call_pointer(struct play *p, struct twins *t)
{
	struct call call = { .number = (int)below(p, 5) };
	struct iv_pointer *kept = &t->kept[call.number >= 2];

	if (!p->shown)
		return true;
	if (!kept->at[0] || one_in(p, 4)) {
		if (!both(p, t, "pointer", do_take, &call))
			return false;
		for (int i = 0; p->ok && i < 2; i++)
			kept->at[i] = call.got[i].pointer;
	}
	if (kept->at[0] && one_in(p, 2))
		write_through(p, kept);
	return true;
}
