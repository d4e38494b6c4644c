/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of the keyring by name or serial number, and texts for the kernel's errors. The command uses
 * this, too, so that it finds the same keys as a program and reports the same errors.
 */
#include "keys/named.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"

/* The kernel gives "TYPE;UID;GID;PERMISSIONS;DESCRIPTION"; the description may have semicolons. */
static int by_serial(struct kc_named_key *key, const char *digits)
{
	bool is_hex = strncmp(digits, "0x", 2) == 0;
	char *at = key->text, *end;
	unsigned long serial = strtoul(digits, &end, is_hex ? 16 : 10);
	int err;

	if (!serial || serial > INT32_MAX || *end)
		return -EINVAL;
	key->serial = (int32_t)serial;
	err = kc_keyring_describe(key->serial, key->text, sizeof(key->text));
	for (int i = 0; !err && i < 4; i++) {
		at = strchr(at, ';');
		if (!at)
			return -EINVAL;
		*at++ = '\0';
	}
	key->type = key->text;
	key->description = at;
	return err;
}

static int by_description(struct kc_named_key *key, const char *name)
{
	const size_t size = sizeof(key->text);
	char *colon;

	if (snprintf(key->text, size, "%s", name) >= (int)size)
		return -EINVAL;
	colon = strchr(key->text, ':');
	if (!colon || !colon[1])
		return -EINVAL;
	if (colon == key->text || colon - key->text >= KC_KEY_TYPE_SIZE)
		return -EINVAL;
	*colon = '\0';
	key->type = key->text;
	key->description = colon + 1;
	return kc_keyring_find(key->type, key->description, &key->serial);
}

int kc_named_key_find(struct kc_named_key *key, const char *name)
{
	static const char *const prefixes[] = { "kernel-key:", "keyring:", "%" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			name += strlen(prefixes[i]);
	if (*name >= '0' && *name <= '9')
		return by_serial(key, name);
	return by_description(key, name);
}

const char *kc_keys_explain(int err)
{
	switch (-err) {
	case ENOKEY:
		return "there is no such key that this process can find";
	case EKEYEXPIRED:
		return "the key has expired";
	case EKEYREVOKED:
		return "the key has been revoked";
	case EKEYREJECTED:
		return "the key has been rejected";
	case ESTALE:
		return "the key is no longer the one that the context got";
	case EACCES:
	case EPERM:
		return "this process may not use the key, or is in a sandbox";
	case ENOSYS:
		return "this kernel has no keyrings (CONFIG_KEYS)";
	case ENODEV:
		return "this kernel has no keys of this type";
	case ENOPROTOOPT:
		return "this kernel can't encrypt with a key of this type: it needs Linux 6.2 or later";
	case ENODATA:
		return "the key does not tell its length: pass key-length";
	case EAFNOSUPPORT:
		return "this kernel has no AF_ALG, or crypto.af_alg_restrict = 2";
	case ENOENT:
		return "this kernel has no driver for this algorithm, or none for this process";
	case ECONNRESET:
		return "the session has ended, and the beginning of the message with it";
	case EMFILE:
		return "there are too many sessions";
	case EDQUOT:
		return "the user has too many keys (/proc/key-users)";
	default:
		return strerror(-err);
	}
}

const char *kc_keys_explain_wrapped(int err)
{
	switch (-err) {
	case EINVAL:
	case EKEYREJECTED:
		return "the driver refuses this blob: it has a wrong length, or belongs to another device";
	case ENOENT:
	case EACCES:
		return "the kernel has no driver for wrapped keys in this mode, or reserves it for "
		       "root (Linux 7.3)";
	case EIO:
	case EBADMSG:
		return "the device can't open this blob, or failed";
	case EPROTO:
		return "the driver does not decrypt what it has encrypted";
	default:
		return NULL;
	}
}
