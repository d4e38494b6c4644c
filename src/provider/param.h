/* SPDX-License-Identifier: Apache-2.0 */
/* A look at parameters that costs no call: most inits and messages come by here. */
#ifndef KC_PROVIDER_PARAM_H
#define KC_PROVIDER_PARAM_H

#include <stdbool.h>

#include <openssl/params.h>

/* A name that is not the one differs at once. */
static inline bool kc_param_is(const OSSL_PARAM *p, const char *key)
{
	const char *name = p->key;

	while (*name && *name == *key) {
		name++;
		key++;
	}
	return *name == *key;
}

/* The first of this name; NULL: none. */
static inline const OSSL_PARAM *kc_param_find(const OSSL_PARAM *p, const char *key)
{
	while (p && p->key && !kc_param_is(p, key))
		p++;
	return p && p->key ? p : NULL;
}

/* Is it this one, and no other? */
static inline bool kc_param_alone(const OSSL_PARAM *p, const char *key)
{
	return p && p->key && kc_param_is(p, key) && !p[1].key;
}

#endif
