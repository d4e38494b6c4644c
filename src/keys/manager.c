/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's functions for symmetric keys as objects. An object is a struct kc_kernel_key. */
#include "base/param.h"
#include "keys/keys.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "core/quiet.h"

#define PARAM_NAME    "name"
#define PARAM_SERIAL  "serial"
#define PARAM_LENGTH  "key-length"
#define PARAM_TYPE    "type"
#define PARAM_MASTER  "master"
#define PARAM_RING    "keyring"
#define PARAM_BLOB    "blob"
#define PARAM_WRAPPED "wrapped"

#define DEFAULT_LENGTH 32 /* bytes */

static const char *text_of(const OSSL_PARAM params[], const char *key, const char *otherwise)
{
	const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, key);
	const char *text = otherwise;

	if (p && !OSSL_PARAM_get_utf8_string_ptr(p, &text))
		return NULL;
	return text;
}

static size_t length_in(const OSSL_PARAM params[], size_t otherwise)
{
	const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, PARAM_LENGTH);
	size_t len = otherwise;

	if (p && !OSSL_PARAM_get_size_t(p, &len))
		return 0;
	return len;
}

/* Gets the name or serial. A store's reference is the name that the store was given. */
static int read_name(const OSSL_PARAM params[], char *name, size_t size)
{
	const OSSL_PARAM *serial = OSSL_PARAM_locate_const(params, PARAM_SERIAL);
	const OSSL_PARAM *reference = OSSL_PARAM_locate_const(params, "reference");
	const char *text = text_of(params, PARAM_NAME, NULL);
	const void *bytes = NULL;
	size_t len = text ? strlen(text) : 0;
	int32_t number;

	if (serial && OSSL_PARAM_get_int32(serial, &number) && number > 0) {
		snprintf(name, size, "%d", number);
		return 1;
	}
	if (reference && OSSL_PARAM_get_octet_string_ptr(reference, &bytes, &len))
		text = bytes;
	if (!text || !len || len >= size)
		return kc_refuse(
			PROV_R_INVALID_KEY,
			"a key of the kernel is imported by its name or its serial, not by its bytes");
	memcpy(name, text, len);
	name[len] = '\0';
	return 1;
}

#define NAME_SIZE 4200

static struct kc_kernel_key *find_key(const OSSL_PARAM params[])
{
	const OSSL_PARAM *wrapped = OSSL_PARAM_locate_const(params, PARAM_WRAPPED);
	char *name = malloc(NAME_SIZE);
	struct kc_kernel_key *key = NULL;
	int is_wrapped = 0;

	if (wrapped && !OSSL_PARAM_get_int(wrapped, &is_wrapped))
		kc_raise(PROV_R_INVALID_DATA, PARAM_WRAPPED " must be 0 or 1");
	else if (name && read_name(params, name, NAME_SIZE))
		key = kc_kernel_key_find(name, length_in(params, 0), is_wrapped);
	free(name);
	return key;
}

static void *import(void *provctx, int selection, const OSSL_PARAM params[])
{
	const OSSL_PARAM *blob = OSSL_PARAM_locate_const(params, PARAM_BLOB);
	const void *bytes = NULL;
	size_t n = 0;
	KC_QUIETLY;

	(void)provctx;
	(void)selection;
	if (!blob)
		return find_key(params);
	if (OSSL_PARAM_get_octet_string_ptr(blob, &bytes, &n))
		return kc_wrapped_key(bytes, n, length_in(params, 0));
	return kc_raise(PROV_R_INVALID_DATA, PARAM_BLOB " must be an octet string");
}

static void free_key(void *keydata)
{
	struct kc_kernel_key *key = keydata;

	if (key)
		kc_blob_drop(key->blob);
	free(key);
}

/*
 * Exports everything but the secret. A blob is no secret, but has a name of its own here: as the
 * bytes of a key it would be taken for the key itself.
 */
static int export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
	static const char opened_by_device[] = "is opened by its device only";
	static const char never_leaves[] = "never leaves the kernel";
	struct kc_kernel_key *key = keydata;
	OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(PARAM_NAME, key->id, strlen(key->id)),
		OSSL_PARAM_int32(PARAM_SERIAL, &key->serial),
		OSSL_PARAM_size_t(PARAM_LENGTH, &key->len),
		OSSL_PARAM_END,
		OSSL_PARAM_END,
	};

	if (key->blob)
		params[3] = OSSL_PARAM_construct_octet_string(PARAM_BLOB, key->blob->bytes,
							      key->blob->len);
	if (selection & OSSL_SKEYMGMT_SELECT_SECRET_KEY)
		return kc_refuse(PROV_R_INVALID_KEY, "%s %s", key->id,
				 key->is_wrapped ? opened_by_device : never_leaves);
	return callback(params, arg);
}

static const char *get_key_id(void *key)
{
	return ((struct kc_kernel_key *)key)->id;
}

/* Returns an enum kc_ring, or -1 for an unknown name. */
static int ring_of(const OSSL_PARAM params[])
{
	static const char *const names[] = {
		[KC_RING_SESSION] = "session",
		[KC_RING_USER] = "user",
		[KC_RING_PROCESS] = "process",
	};
	const char *name = text_of(params, PARAM_RING, "session");
	int i = KC_RING_PROCESS;

	if (!name)
		return -1;
	while (i >= 0 && strcmp(name, names[i]) != 0)
		i--;
	return i;
}

/* The kernel makes the random bytes of such a key itself. */
static int make_encrypted(const char *master, const char *name, size_t len, enum kc_ring ring,
			  int32_t *serial)
{
	char payload[256];
	int n;

	if (!master)
		return -EINVAL;
	n = snprintf(payload, sizeof(payload), "new default %s %zu", master, len);
	if (n < 0 || (size_t)n >= sizeof(payload))
		return -EINVAL;
	return kc_keyring_add("encrypted", name, payload, (size_t)n, ring, serial);
}

/* The bytes of any other type of key are in this process until the kernel has them. */
static int make_key(const OSSL_PARAM params[], const char *type, const char *name, size_t len,
		    int32_t *serial)
{
	enum kc_ring ring = (enum kc_ring)ring_of(params);
	char payload[KC_MAX_KEY];
	int err;

	if (strcmp(type, "encrypted") == 0)
		return make_encrypted(text_of(params, PARAM_MASTER, NULL), name, len, ring, serial);
	if (getrandom(payload, len, 0) != (ssize_t)len)
		return -EAGAIN;
	err = kc_keyring_add(type, name, payload, len, ring, serial);
	explicit_bzero(payload, len);
	return err;
}

static bool can_make(const char *type)
{
	static const char *const types[] = { "logon", "user", "encrypted" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

/* True if a key with these parameters can't be made. */
static bool is_wrong(const OSSL_PARAM params[], const char *type, const char *name, size_t len)
{
	if (!type || !name || !can_make(type))
		return true;
	if (!len || len > KC_MAX_KEY)
		return true;
	return ring_of(params) < 0;
}

static void *generate(void *provctx, const OSSL_PARAM params[])
{
	KC_QUIETLY;
	const char *type = text_of(params, PARAM_TYPE, "logon");
	const char *name = text_of(params, PARAM_NAME, NULL);
	size_t len = length_in(params, DEFAULT_LENGTH);
	int32_t serial = 0, old;
	int err = -EINVAL;

	(void)provctx;
	if (is_wrong(params, type, name, len))
		return kc_raise(
			PROV_R_INVALID_DATA,
			"a new key needs a name, a type (logon, user, encrypted), and 1 to %d bytes",
			KC_MAX_KEY);
	/*
	 * The kernel would give an existing key other bytes, and data under the old ones would be
	 * lost; so it would with a key that this process may not find. It does replace a revoked
	 * one.
	 */
	err = kc_keyring_find(type, name, &old);
	if (err == 0)
		return kc_raise(PROV_R_INVALID_DATA, "%s:%s exists", type, name);
	if (err == -ENOKEY || err == -EKEYREVOKED)
		err = make_key(params, type, name, len, &serial);
	if (!err)
		return kc_kernel_key_new(serial, type, name, len, false);
	return kc_raise(PROV_R_FAILED_TO_GENERATE_KEY, "%s:%s: %s", type, name,
			kc_keys_explain(err));
}

KC_LIST_PARAMS(imp_settable_params, OSSL_PARAM_utf8_string(PARAM_NAME, NULL, 0),
	       OSSL_PARAM_int32(PARAM_SERIAL, NULL), OSSL_PARAM_size_t(PARAM_LENGTH, NULL),
	       OSSL_PARAM_octet_string(PARAM_BLOB, NULL, 0), OSSL_PARAM_int(PARAM_WRAPPED, NULL))

KC_LIST_PARAMS(gen_settable_params, OSSL_PARAM_utf8_string(PARAM_TYPE, NULL, 0),
	       OSSL_PARAM_utf8_string(PARAM_NAME, NULL, 0), OSSL_PARAM_size_t(PARAM_LENGTH, NULL),
	       OSSL_PARAM_utf8_string(PARAM_MASTER, NULL, 0),
	       OSSL_PARAM_utf8_string(PARAM_RING, NULL, 0))

static const OSSL_DISPATCH functions[] = {
	KC_ENTRY(SKEYMGMT_FREE, skeymgmt_free, free_key),
	KC_ENTRY(SKEYMGMT_IMPORT, skeymgmt_import, import),
	KC_ENTRY(SKEYMGMT_EXPORT, skeymgmt_export, export),
	KC_ENTRY(SKEYMGMT_GENERATE, skeymgmt_generate, generate),
	KC_ENTRY(SKEYMGMT_GET_KEY_ID, skeymgmt_get_key_id, get_key_id),
	KC_ENTRY(SKEYMGMT_IMP_SETTABLE_PARAMS, skeymgmt_imp_settable_params, imp_settable_params),
	KC_ENTRY(SKEYMGMT_GEN_SETTABLE_PARAMS, skeymgmt_gen_settable_params, gen_settable_params),
	{ 0, NULL },
};

const OSSL_ALGORITHM kc_keys_managers[] = {
	{ KC_KEYS_MANAGER, KC_KEYS_PROPERTY, functions, "a key in the kernel's keyring" },
	{ NULL, NULL, NULL, NULL },
};
