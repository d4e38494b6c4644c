/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows libcrypto has built-in functions for; the other files take these functions. */
#include "base/method.h"

#include <pthread.h>

#define ALIGNMENT 16

static struct kc_method methods[KC_ALG_COUNT];
size_t kc_method_room[KC_KIND_COUNT];

static void (*const take[KC_KIND_COUNT])(struct kc_method *m, const struct kc_alg *alg,
					 const char *name) = {
	[KC_CIPHER] = kc_method_take_cipher,
	[KC_DIGEST] = kc_method_take_digest,
};

/*
 * Uses the first suitable name of each row; libcrypto's own table has fewer names than providers
 * do.
 */
static void take_rows(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_alg *alg = &kc_algs[i];
		const char *name = take[alg->kind] ? alg->names : "";
		size_t room;

		for (; *name && !methods[i].nid; name = kc_name_after(name))
			take[alg->kind](&methods[i], alg, name);
		room = (methods[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		if (room > kc_method_room[alg->kind])
			kc_method_room[alg->kind] = room;
	}
}

void kc_method_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, take_rows);
}

int kc_method_nid(const struct kc_alg *alg)
{
	return methods[alg - kc_algs].nid;
}

const struct kc_method *kc_method(const struct kc_alg *alg)
{
	return kc_method_nid(alg) ? &methods[alg - kc_algs] : NULL;
}

const struct kc_method *kc_method_find(enum kc_kind kind, int nid)
{
	for (size_t i = 0; nid && i < KC_ALG_COUNT; i++)
		if (methods[i].nid == nid && kc_algs[i].kind == kind)
			return &methods[i];
	return NULL;
}
