/* SPDX-License-Identifier: Apache-2.0 */
/* Finds keys in the kernel's keyring by name or serial number, and says why it can't. */
#include "keys/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTION_SIZE 4200 /* the kernel's limit is a page, and four short fields go before */

/* Its own bytes tell nothing about the length of a key inside. */
static int length_of(int32_t serial, const char *type, bool is_wrapped, size_t *len)
{
	return is_wrapped ? -ENODATA : kc_keyring.length(serial, type, len);
}

struct kc_kernel_key *kc_kernel_key_new(int32_t serial, const char *type, const char *description,
					size_t len, bool is_wrapped)
{
	size_t type_len = strlen(type), size = type_len + strlen(description) + 2;
	struct kc_kernel_key *key;
	size_t found = 0;
	int err = length_of(serial, type, is_wrapped, &found);

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

/* Splits "TYPE;UID;GID;PERMISSIONS;DESCRIPTION"; the description may have semicolons. */
static const char *split(char *text)
{
	char *at = text;

	for (int i = 0; i < 4; i++) {
		at = strchr(at, ';');
		if (!at)
			return NULL;
		*at++ = '\0';
	}
	return at;
}

static struct kc_kernel_key *by_serial(const char *name, size_t len, bool is_wrapped)
{
	char *end, *text = malloc(DESCRIPTION_SIZE);
	unsigned long serial = strtoul(name, &end, strncmp(name, "0x", 2) == 0 ? 16 : 10);
	struct kc_kernel_key *key = NULL;
	const char *description = NULL;
	int err = -EINVAL;

	if (text && serial <= INT32_MAX && serial && !*end)
		err = kc_keyring.describe((int32_t)serial, text, DESCRIPTION_SIZE);
	if (!err)
		description = split(text);
	if (description)
		key = kc_kernel_key_new((int32_t)serial, text, description, len, is_wrapped);
	else
		kc_raise(PROV_R_INVALID_KEY, "key %s: %s", name, kc_keys_explain(err));
	free(text);
	return key;
}

static struct kc_kernel_key *by_description(const char *name, size_t len, bool is_wrapped)
{
	const char *colon = strchr(name, ':');
	char type[KC_KEY_TYPE_SIZE];
	int32_t serial = 0;
	int err = -EINVAL;

	if (colon && colon[1] && colon > name && (size_t)(colon - name) < sizeof(type)) {
		memcpy(type, name, (size_t)(colon - name));
		type[colon - name] = '\0';
		err = kc_keyring.find(type, colon + 1, &serial);
	}
	if (err)
		return kc_raise(PROV_R_INVALID_KEY, "key %s: %s", name, kc_keys_explain(err));
	return kc_kernel_key_new(serial, type, colon + 1, len, is_wrapped);
}

struct kc_kernel_key *kc_kernel_key_find(const char *name, size_t len, bool is_wrapped)
{
	static const char *const prefixes[] = { "kernel-key:", "keyring:", "%" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			name += strlen(prefixes[i]);
	return *name >= '0' && *name <= '9' ? by_serial(name, len, is_wrapped) :
					      by_description(name, len, is_wrapped);
}
