/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's digests for the core. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/base.h"
#include "base/midstate.h"

#include <openssl/md5.h>
#include <openssl/sha.h>

/*
 * If the provider's update is a public function of libcrypto, its context is the public struct of
 * that function, as in OpenSSL 3.0 to 3.6. A libcrypto may be built without these functions, so the
 * references are weak.
 */
#ifndef OPENSSL_NO_DEPRECATED_3_0
#pragma weak MD5_Update
#pragma weak SHA1_Update
#pragma weak SHA224_Update
#pragma weak SHA256_Update
#pragma weak SHA384_Update
#pragma weak SHA512_Update
#define PUBLIC(f) ((kc_function *)(f))
#else
#define PUBLIC(f) NULL
#endif

static const struct {
	enum kc_alg_id id;
	kc_function *update;
} publics[] = {
#ifndef OPENSSL_NO_MD5
	{ KC_ALG_MD5, PUBLIC(MD5_Update) },
#endif
	{ KC_ALG_SHA1, PUBLIC(SHA1_Update) },	  { KC_ALG_SHA224, PUBLIC(SHA224_Update) },
	{ KC_ALG_SHA256, PUBLIC(SHA256_Update) }, { KC_ALG_SHA384, PUBLIC(SHA384_Update) },
	{ KC_ALG_SHA512, PUBLIC(SHA512_Update) },
};

static void *state(const struct kc_base *base, void *ctx)
{
	for (size_t i = 0; i < sizeof(publics) / sizeof(publics[0]); i++)
		if (&kc_algs[publics[i].id] == base->alg) {
			if (publics[i].update == (kc_function *)base->hash_update)
				return ctx;
			return NULL;
		}
	return NULL;
}

static int start_hash(const struct kc_base *base, void *ctx)
{
	return kc_base_outer(base)->digest_init(ctx, NULL);
}

void kc_base_fill_hash(struct kc_base_row *row)
{
	row->base.start = start_hash;
	row->base.whole = kc_digest_whole;
	if (!row->base.alg->state_len)
		return;
	row->base.state = state;
	row->base.midstate = kc_digest_midstate;
	row->base.advance = kc_digest_advance;
}
