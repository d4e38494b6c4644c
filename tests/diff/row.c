/* SPDX-License-Identifier: Apache-2.0 */
/* See row.h. */
#include "diff/row.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/provider.h>

static OSSL_PROVIDER *legacy;

void row_load_legacy(OSSL_LIB_CTX *ctx)
{
	legacy = OSSL_PROVIDER_load(ctx, "legacy");
	ERR_clear_error();
}

void row_unload_legacy(void)
{
	if (legacy)
		OSSL_PROVIDER_unload(legacy);
	legacy = NULL;
}

bool row_is_absent(const struct kc_alg *alg)
{
	char pattern[KC_ALG_NAME_SIZE];
	const char *p = getenv("KC_ABSENT");

	for (; p && *p; p += *p == ':') {
		size_t len = strcspn(p, ":");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)len, p);
		if (fnmatch(pattern, kc_alg_name(alg), 0) == 0)
			return true;
		p += len;
	}
	return false;
}

bool row_fetch(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, const char *query, struct row_of *of)
{
	const char *name = kc_alg_name(alg);

	*of = (struct row_of){ NULL };
	if (alg->kind == KC_MAC)
		of->mac = EVP_MAC_fetch(ctx, alg->mac, query);
	else if (alg->kind == KC_DIGEST)
		of->md = EVP_MD_fetch(ctx, name, query);
	else
		of->cipher = EVP_CIPHER_fetch(ctx, name, query);
	return of->cipher || of->md || of->mac;
}

void row_release(struct row_of *of)
{
	EVP_CIPHER_free(of->cipher);
	EVP_MD_free(of->md);
	EVP_MAC_free(of->mac);
	*of = (struct row_of){ NULL };
}

bool row_fetch_both(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct row_of *ours,
		    struct row_of *theirs)
{
	bool found = row_fetch(ctx, alg, "provider=kcrypto", ours);

	found &= row_fetch(ctx, alg, alg->legacy ? "provider=legacy" : "provider=default", theirs);
	ERR_clear_error();
	if (found)
		return true;
	row_release(ours);
	row_release(theirs);
	return false;
}

int row_update(EVP_CIPHER_CTX *c, unsigned char *out, int *outl, const unsigned char *in, int inl)
{
	const EVP_CIPHER *cipher = EVP_CIPHER_CTX_get0_cipher(c);

	if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE && inl > 16)
		inl -= inl % 16;
	if (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS)
		EVP_CipherInit_ex(c, NULL, NULL, NULL, NULL, -1);
	return EVP_CipherUpdate(c, out, outl, in, inl);
}
