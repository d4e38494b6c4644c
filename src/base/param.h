/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's parameters: definitions of lists, and look-ups without a call, because most inits and
 * messages come through here.
 */
#ifndef KC_BASE_PARAM_H
#define KC_BASE_PARAM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

/* True if @p has this key, a constant: each letter becomes one comparison. */
static inline __attribute__((always_inline)) bool kc_param_is(const OSSL_PARAM *p, const char *key)
{
#pragma GCC unroll 24
	for (size_t i = 0; i <= strlen(key); i++)
		if (p->key[i] != key[i])
			return false;
	return true;
}

/* Returns the first parameter of this name; NULL if there is none. */
static inline const OSSL_PARAM *kc_param_find(const OSSL_PARAM *p, const char *key)
{
	while (p && p->key && !kc_param_is(p, key))
		p++;
	return p && p->key ? p : NULL;
}

/* True if the list has this parameter and no other. */
static inline __attribute__((always_inline)) bool kc_param_alone(const OSSL_PARAM *p,
								 const char *key)
{
	return p && p->key && kc_param_is(p, key) && !p[1].key;
}

/*
 * Reads an integer of 4 or 8 bytes, signed (as libssl's TLS version) or not; false: the base may
 * read it, or refuse and say why. OpenSSL's function would leave a reason in the error queue. A
 * negative number becomes a large one, which the base refuses.
 */
static inline bool kc_param_read(const OSSL_PARAM *p, size_t *n)
{
	bool is_number =
		p->data_type == OSSL_PARAM_INTEGER || p->data_type == OSSL_PARAM_UNSIGNED_INTEGER;
	uint32_t narrow;
	uint64_t wide;

	if (!is_number || !p->data)
		return false;
	if (p->data_size == sizeof(wide)) {
		memcpy(&wide, p->data, sizeof(wide));
		*n = (size_t)wide;
		return true;
	}
	if (p->data_size != sizeof(narrow))
		return false;
	memcpy(&narrow, p->data, sizeof(narrow));
	*n = narrow;
	return true;
}

/* Answers with @n if that is what there is room for; false: somebody else has to say why not. */
static inline bool kc_param_answer(OSSL_PARAM *p, size_t n)
{
	if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER || p->data_size != sizeof(n) || !p->data)
		return false;
	memcpy(p->data, &n, sizeof(n));
	p->return_size = sizeof(n);
	return true;
}

/* Defines a function that returns a list of known parameters. */
#define KC_LIST_PARAMS(name, ...)                                                                  \
	static const OSSL_PARAM *name(void *provctx)                                               \
	{                                                                                          \
		static const OSSL_PARAM known[] = { __VA_ARGS__, OSSL_PARAM_END };                 \
                                                                                                   \
		(void)provctx;                                                                     \
		return known;                                                                      \
	}

/* Answers a text parameter, if it is asked for. 1; 0: the value does not fit. */
static inline int kc_answer_text(OSSL_PARAM params[], const char *key, const char *text)
{
	OSSL_PARAM *p = (OSSL_PARAM *)kc_param_find(params, key);

	return !p || OSSL_PARAM_set_utf8_ptr(p, text);
}

/* Defines a provider's parameters about itself; @name is its name. */
#define KC_TELL_PARAMS(name)                                                                       \
	KC_LIST_PARAMS(gettable_params, OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),        \
		       OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),                      \
		       OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),                    \
		       OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL))                               \
                                                                                                   \
	static int get_params(void *provctx, OSSL_PARAM params[])                                  \
	{                                                                                          \
		OSSL_PARAM *status = (OSSL_PARAM *)kc_param_find(params, OSSL_PROV_PARAM_STATUS);  \
                                                                                                   \
		(void)provctx;                                                                     \
		return kc_answer_text(params, OSSL_PROV_PARAM_NAME, name) &&                       \
		       kc_answer_text(params, OSSL_PROV_PARAM_VERSION, KC_VERSION) &&              \
		       kc_answer_text(params, OSSL_PROV_PARAM_BUILDINFO, KC_VERSION) &&            \
		       (!status || OSSL_PARAM_set_int(status, 1));                                 \
	}

#endif
