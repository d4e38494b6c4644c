/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at parameters without a call: most inits and messages pass through here. */
#ifndef KC_PROVIDER_PARAM_H
#define KC_PROVIDER_PARAM_H

#include <stdbool.h>
#include <string.h>

#include <openssl/params.h>

/* @key: a constant, of which each letter becomes one comparison. */
static inline __attribute__((always_inline)) bool kc_param_is(const OSSL_PARAM *p, const char *key)
{
#pragma GCC unroll 24
	for (size_t i = 0; i <= strlen(key); i++)
		if (p->key[i] != key[i])
			return false;
	return true;
}

/* The first of this name; NULL: none. */
static inline const OSSL_PARAM *kc_param_find(const OSSL_PARAM *p, const char *key)
{
	while (p && p->key && !kc_param_is(p, key))
		p++;
	return p && p->key ? p : NULL;
}

/* Is it this one, and no other? */
static inline __attribute__((always_inline)) bool kc_param_alone(const OSSL_PARAM *p,
								 const char *key)
{
	return p && p->key && kc_param_is(p, key) && !p[1].key;
}

#endif
