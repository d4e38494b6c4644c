/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the objects for keys of the keyring, or says why it can't. */
#include "keys/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "keys/named.h"

/* The bytes of a wrapped key tell nothing about the length of the key inside. */
static int ask_length(int32_t serial, const char *type, bool is_wrapped, size_t *len)
{
	if (is_wrapped)
		return -ENODATA;
	return kc_keyring_length(serial, type, len);
}

struct kc_kernel_key *kc_kernel_key_new(int32_t serial, const char *type, const char *description,
					size_t len, bool is_wrapped)
{
	size_t type_len = strlen(type), size = type_len + strlen(description) + 2;
	struct kc_kernel_key *key;
	size_t found = 0;
	int err = ask_length(serial, type, is_wrapped, &found);

	if (err && !len)
		return kc_raise(PROV_R_INVALID_KEY, "%s:%s: %s", type, description,
				kc_keys_explain(err));
	if (!err && len && len != found)
		return kc_raise(PROV_R_INVALID_KEY_LENGTH, "%s:%s has %zu bytes", type, description,
				found);
	key = malloc(sizeof(*key) + size);
	if (!key)
		return NULL;
	*key = (struct kc_kernel_key){ .serial = serial,
				       .len = err ? len : found,
				       .is_wrapped = is_wrapped };
	memcpy(key->id, type, type_len);
	key->id[type_len] = ':';
	strcpy(key->id + type_len + 1, description);
	return key;
}

struct kc_kernel_key *kc_kernel_key_find(const char *name, size_t len, bool is_wrapped)
{
	struct kc_kernel_key *key = NULL;
	struct kc_named_key *named = malloc(sizeof(*named));
	int err = -ENOMEM;

	if (named)
		err = kc_named_key_find(named, name);
	if (err)
		kc_raise(PROV_R_INVALID_KEY, "key %s: %s", name, kc_keys_explain(err));
	else
		key = kc_kernel_key_new(named->serial, named->type, named->description, len,
					is_wrapped);
	free(named);
	return key;
}
