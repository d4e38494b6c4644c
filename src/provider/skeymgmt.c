/* SPDX-License-Identifier: Apache-2.0 */
/* The key managers that we offer, and what lies in their objects. */
#include "provider/skeymgmt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

static void *import(enum kc_skeymgmt_id id, int selection, const OSSL_PARAM params[])
{
	const struct kc_base_skeymgmt *manager = kc_base_skeymgmt(id);
	struct kc_skey *skey = calloc(1, sizeof(*skey));

	if (!skey)
		return NULL;
	skey->manager = manager;
	skey->keydata = manager->import(manager->provctx, selection, params);
	if (!skey->keydata) {
		free(skey);
		return NULL;
	}
	return skey;
}

static const OSSL_PARAM *settable(enum kc_skeymgmt_id id)
{
	const struct kc_base_skeymgmt *manager = kc_base_skeymgmt(id);

	return manager->imp_settable_params ? manager->imp_settable_params(manager->provctx) : NULL;
}

/* OpenSSL says which manager is meant only by which function it calls. */
static void *import_aes(void *provctx, int selection, const OSSL_PARAM params[])
{
	(void)provctx;
	return import(KC_SKEYMGMT_AES, selection, params);
}

static void *import_generic(void *provctx, int selection, const OSSL_PARAM params[])
{
	(void)provctx;
	return import(KC_SKEYMGMT_GENERIC, selection, params);
}

static const OSSL_PARAM *settable_aes(void *provctx)
{
	(void)provctx;
	return settable(KC_SKEYMGMT_AES);
}

static const OSSL_PARAM *settable_generic(void *provctx)
{
	(void)provctx;
	return settable(KC_SKEYMGMT_GENERIC);
}

static void free_skey(void *keydata)
{
	struct kc_skey *skey = keydata;

	if (!skey)
		return;
	skey->manager->free(skey->keydata);
	free(skey);
}

static int export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
	const struct kc_skey *skey = keydata;

	return skey && skey->manager->export(skey->keydata, selection, callback, arg);
}

#define FUNCTION(id, type, f)                                                                      \
	{                                                                                          \
		(id), (void (*)(void))(1 ? (f) : (OSSL_FUNC_skeymgmt_##type##_fn *)0)              \
	}

/* What the base may lack comes first. */
static const OSSL_DISPATCH aes[] = {
	FUNCTION(OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS, imp_settable_params, settable_aes),
	FUNCTION(OSSL_FUNC_SKEYMGMT_FREE, free, free_skey),
	FUNCTION(OSSL_FUNC_SKEYMGMT_IMPORT, import, import_aes),
	FUNCTION(OSSL_FUNC_SKEYMGMT_EXPORT, export, export),
	{ 0, NULL },
};

static const OSSL_DISPATCH generic[] = {
	FUNCTION(OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS, imp_settable_params, settable_generic),
	FUNCTION(OSSL_FUNC_SKEYMGMT_FREE, free, free_skey),
	FUNCTION(OSSL_FUNC_SKEYMGMT_IMPORT, import, import_generic),
	FUNCTION(OSSL_FUNC_SKEYMGMT_EXPORT, export, export),
	{ 0, NULL },
};

static const OSSL_DISPATCH *const functions[KC_SKEYMGMT_COUNT] = {
	[KC_SKEYMGMT_AES] = aes,
	[KC_SKEYMGMT_GENERIC] = generic,
};

void kc_ossl_list_skeymgmts(OSSL_ALGORITHM *list)
{
	for (size_t i = 0; i < KC_SKEYMGMT_COUNT; i++) {
		const struct kc_base_skeymgmt *base = kc_base_skeymgmt((enum kc_skeymgmt_id)i);

		if (!base)
			continue;
		list->algorithm_names = base->theirs->algorithm_names;
		list->property_definition = "provider=kcrypto";
		list->implementation = functions[i] + !base->imp_settable_params;
		list->algorithm_description = base->theirs->algorithm_description;
		list++;
	}
}

struct raw {
	uint8_t *out;
	size_t size, len;
};

static int take_raw(const OSSL_PARAM params[], void *arg)
{
	const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SKEY_PARAM_RAW_BYTES);
	struct raw *raw = arg;

	if (!p || p->data_type != OSSL_PARAM_OCTET_STRING || p->data_size > raw->size)
		return 0;
	memcpy(raw->out, p->data, p->data_size);
	raw->len = p->data_size;
	return 1;
}

size_t kc_skey_raw(const struct kc_skey *skey, uint8_t *out, size_t size)
{
	struct raw raw = { .out = out, .size = size };
	int saved_errno = errno, ok;

	ERR_set_mark();
	ok = skey->manager->export(skey->keydata, OSSL_SKEYMGMT_SELECT_SECRET_KEY, take_raw, &raw);
	ERR_pop_to_mark();
	errno = saved_errno;
	return ok ? raw.len : 0;
}
