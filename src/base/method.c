/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows libcrypto has built-in functions for; the other files take these functions. */
#include "base/method.h"

#include <pthread.h>

#define ALIGNMENT 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* under the lock; only the first and the last user change the rows */

static int nids[KC_ALG_COUNT]; /* 0: there is no base */

static const struct {
	int (*take)(const struct kc_alg *alg, const char *name);
	void (*drop)(const struct kc_alg *alg);
} kinds[KC_KIND_COUNT] = {
	[KC_CIPHER] = { kc_method_take_cipher, kc_method_drop_cipher },
	[KC_DIGEST] = { kc_method_take_digest, kc_method_drop_digest },
};

/*
 * Uses the first suitable name of the row; libcrypto's own table has fewer names than providers do.
 */
static void take_row(const struct kc_alg *alg)
{
	const char *names = alg->names;
	char name[KC_ALG_NAME_SIZE];

	while (kinds[alg->kind].take && !kc_method_nid(alg) && kc_name_next(&names, name))
		nids[alg - kc_algs] = kinds[alg->kind].take(alg, name);
}

void kc_method_open(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; !users && i < KC_ALG_COUNT; i++)
		take_row(&kc_algs[i]);
	users++;
	pthread_mutex_unlock(&lock);
}

void kc_method_close(void)
{
	pthread_mutex_lock(&lock);
	users--;
	for (size_t i = 0; !users && i < KC_ALG_COUNT; i++) {
		if (nids[i])
			kinds[kc_algs[i].kind].drop(&kc_algs[i]);
		nids[i] = 0;
	}
	pthread_mutex_unlock(&lock);
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
