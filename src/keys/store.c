/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's store (which has keys of this kind since 4.0): a URI "kernel-key:TYPE:DESCRIPTION" or
 * "kernel-key:SERIAL" is one key. The URI goes to the key manager as a reference.
 */
#include "keys/keys.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/params.h>

#define SCHEME "kernel-key"

struct store {
	bool is_done;
	char uri[];
};

static void *open_uri(void *provctx, const char *uri)
{
	struct store *s;

	(void)provctx;
	if (strncmp(uri, SCHEME ":", strlen(SCHEME ":")) != 0)
		return NULL;
	s = malloc(sizeof(*s) + strlen(uri) + 1);
	if (!s)
		return NULL;
	s->is_done = false;
	strcpy(s->uri, uri);
	return s;
}

static int load_uri(void *ctx, OSSL_CALLBACK *object, void *object_arg,
		    OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_arg)
{
	struct store *s = ctx;
	int kind = KC_OBJECT_SKEY;
	OSSL_PARAM params[] = {
		OSSL_PARAM_int(OSSL_OBJECT_PARAM_TYPE, &kind),
		OSSL_PARAM_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, KC_KEYS_MANAGER,
				       strlen(KC_KEYS_MANAGER)),
		OSSL_PARAM_octet_string(OSSL_OBJECT_PARAM_REFERENCE, s->uri, strlen(s->uri)),
		OSSL_PARAM_END,
	};

	(void)passphrase;
	(void)passphrase_arg;
	s->is_done = true;
	return object(params, object_arg);
}

static int eof(void *ctx)
{
	return ((struct store *)ctx)->is_done;
}

static int close_uri(void *ctx)
{
	free(ctx);
	return 1;
}

static int set_no_params(void *ctx, const OSSL_PARAM params[])
{
	(void)ctx;
	(void)params;
	return 1;
}

static const OSSL_DISPATCH functions[] = {
	KC_ENTRY(STORE_OPEN, store_open, open_uri),
	KC_ENTRY(STORE_LOAD, store_load, load_uri),
	KC_ENTRY(STORE_EOF, store_eof, eof),
	KC_ENTRY(STORE_CLOSE, store_close, close_uri),
	KC_ENTRY(STORE_SET_CTX_PARAMS, store_set_ctx_params, set_no_params),
	{ 0, NULL },
};

const OSSL_ALGORITHM kc_keys_stores[] = {
	{ SCHEME, KC_KEYS_PROPERTY, functions, NULL },
	{ NULL, NULL, NULL, NULL },
};
