/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows libcrypto has built-in functions for; the other files take these functions. */
#include "base/method.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* under the lock; only the first and the last user change the rows */

static const struct {
	void (*take)(const struct kc_alg *alg, const char *name);
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

	while (kinds[alg->kind].take && !kc_method_base(alg) && kc_name_next(&names, name))
		kinds[alg->kind].take(alg, name);
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
	for (size_t i = 0; !users && i < KC_ALG_COUNT; i++)
		if (kinds[kc_algs[i].kind].drop)
			kinds[kc_algs[i].kind].drop(&kc_algs[i]);
	pthread_mutex_unlock(&lock);
}

const struct kc_base *kc_method_base(const struct kc_alg *alg)
{
	const struct kc_method_cipher *c = alg->kind == KC_CIPHER ? kc_method_cipher(alg) : NULL;
	const struct kc_method_digest *d = alg->kind == KC_DIGEST ? kc_method_digest(alg) : NULL;

	if (c)
		return &c->core.common;
	return d ? &d->core.common : NULL;
}

int kc_method_nid(const struct kc_alg *alg)
{
	const struct kc_method_cipher *c = alg->kind == KC_CIPHER ? kc_method_cipher(alg) : NULL;
	const struct kc_method_digest *d = alg->kind == KC_DIGEST ? kc_method_digest(alg) : NULL;

	if (c)
		return EVP_CIPHER_nid(c->theirs);
	return d ? EVP_MD_type(d->theirs) : 0;
}
