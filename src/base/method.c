/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows libcrypto has built-in functions for; the other files take these functions. */
#include "base/method.h"

#include <pthread.h>

#define ALIGNMENT 16

static int nids[KC_ALG_COUNT]; /* 0: there is no base */

static int (*const take[KC_KIND_COUNT])(const struct kc_alg *alg, const char *name) = {
	[KC_CIPHER] = kc_method_take_cipher,
	[KC_DIGEST] = kc_method_take_digest,
};

/*
 * Uses the first suitable name of the row; libcrypto's own table has fewer names than providers do.
 */
static void take_row(const struct kc_alg *alg)
{
	const char *names = alg->names;
	char name[KC_ALG_NAME_SIZE];

	while (take[alg->kind] && !kc_method_nid(alg) && kc_name_next(&names, name))
		nids[alg - kc_algs] = take[alg->kind](alg, name);
}

static void take_rows(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		take_row(&kc_algs[i]);
}

void kc_method_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, take_rows);
}

int kc_method_nid(const struct kc_alg *alg)
{
	return nids[alg - kc_algs];
}

const struct kc_base *kc_method_base(const struct kc_alg *alg)
{
	if (!kc_method_nid(alg))
		return NULL;
	return alg->kind == KC_CIPHER ? &kc_method_cipher(alg)->core.common :
					&kc_method_digest(alg)->core.common;
}

const struct kc_alg *kc_method_row(enum kc_kind kind, int nid)
{
	for (size_t i = 0; nid && i < KC_ALG_COUNT; i++)
		if (nids[i] == nid && kc_algs[i].kind == kind)
			return &kc_algs[i];
	return NULL;
}

static size_t size_of(const struct kc_alg *alg)
{
	if (!kc_method_nid(alg))
		return 0;
	return alg->kind == KC_CIPHER ?
		       (size_t)EVP_CIPHER_impl_ctx_size(kc_method_cipher(alg)->theirs) :
		       kc_method_digest(alg)->size;
}

size_t kc_method_room(enum kc_kind kind)
{
	size_t most = 0;

	for (const struct kc_alg *alg = kc_algs; alg < kc_algs + KC_ALG_COUNT; alg++)
		if (alg->kind == kind && size_of(alg) > most)
			most = size_of(alg);
	return (most + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}
