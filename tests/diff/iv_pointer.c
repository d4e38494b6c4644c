/* SPDX-License-Identifier: Apache-2.0 */
/* See iv_pointer.h. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "iv_pointer.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "compare.h"

static unsigned char *by_param(EVP_CIPHER_CTX *ctx, const char *name)
{
	void *at = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_ptr(name, &at, EVP_MAX_IV_LENGTH),
		OSSL_PARAM_construct_end(),
	};

	return EVP_CIPHER_CTX_get_params(ctx, params) > 0 ? at : NULL;
}

static unsigned char *ask(EVP_CIPHER_CTX *ctx, size_t way)
{
	switch (way) {
	case 0:
		return (unsigned char *)(uintptr_t)EVP_CIPHER_CTX_original_iv(ctx);
	case 1:
		return by_param(ctx, OSSL_CIPHER_PARAM_IV);
	case 2:
		return (unsigned char *)(uintptr_t)EVP_CIPHER_CTX_iv(ctx);
	case 3:
		return EVP_CIPHER_CTX_iv_noconst(ctx);
	default:
		return by_param(ctx, OSSL_CIPHER_PARAM_UPDATED_IV);
	}
}

bool iv_pointer_is_original(size_t way)
{
	return way < 2;
}

const char *iv_pointer_take(struct iv_pointer *p, EVP_CIPHER_CTX *const ctx[2], size_t way)
{
	struct iv_pointer got;
	struct outcome r[2];
	const char *differs;

	for (int i = 0; i < 2; i++) {
		outcome_clear();
		got.at[i] = ask(ctx[i], way);
		r[i] = outcome_of(got.at[i] != NULL);
	}
	differs = outcome_differs(r[0], r[1]);
	if (!differs && got.at[1])
		*p = got;
	return differs;
}

bool iv_pointer_same(const struct iv_pointer *p, size_t len)
{
	return !p->at[0] || memcmp(p->at[0], p->at[1], len) == 0;
}

void iv_pointer_write(const struct iv_pointer *p, struct random *r, size_t len)
{
	unsigned char bytes[EVP_MAX_IV_LENGTH];
	size_t from = 0, n = len;

	random_bytes(r, bytes, sizeof(bytes));
	if (random_below(r, 2)) {
		from = random_below(r, len);
		n = 1;
	}
	for (int i = 0; i < 2; i++)
		memcpy(p->at[i] + from, bytes, n);
}
