// SPDX-License-Identifier: GPL-2.0-only
/* A session's key: bytes of user space, or a key of the kernel that user space cannot read. */
#include <linux/err.h>
#include <linux/key-type.h>
#include <linux/key.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <keys/encrypted-type.h>
#include <keys/trusted-type.h>
#include <keys/user-type.h>

#include "kcrypto.h"

static int take(struct kcrypto_setup *setup, const void *bytes, size_t len)
{
	if (!len || len > sizeof(setup->key))
		return -EINVAL;
	memcpy(setup->key, bytes, len);
	setup->key_len = len;
	return 0;
}

#ifdef CONFIG_KEYS

/* By name: their symbols would load the modules of these types, and each type has one. */
static bool is_of_type(const struct key *key, const char *name)
{
	return strcmp(key->type->name, name) == 0;
}

/* Under the key's semaphore. */
static int take_payload(struct kcrypto_setup *setup, const struct key *key)
{
	if (key->type == &key_type_user || key->type == &key_type_logon) {
		const struct user_key_payload *user = user_key_payload_locked(key);

		return user ? take(setup, user->data, user->datalen) : -EKEYREVOKED;
	}
	if (is_of_type(key, "encrypted")) {
		const struct encrypted_key_payload *encrypted = key->payload.data[0];

		return encrypted ? take(setup, encrypted->decrypted_data,
					encrypted->decrypted_datalen) : -EKEYREVOKED;
	}
	if (is_of_type(key, "trusted")) {
		const struct trusted_key_payload *trusted = key->payload.data[0];

		return trusted ? take(setup, trusted->key, trusted->key_len) : -EKEYREVOKED;
	}
	return -EOPNOTSUPP;
}

/* To search for a key and to have it used is one permission, to read it another. */
static int take_serial(struct kcrypto_setup *setup, key_serial_t serial)
{
	key_ref_t ref;
	struct key *key;
	int err;

	/* Numbers below 1 are names of keyrings. */
	if (serial < 1)
		return -EINVAL;
	ref = lookup_user_key(serial, 0, KEY_NEED_SEARCH);
	if (IS_ERR(ref))
		return PTR_ERR(ref);
	key = key_ref_to_ptr(ref);
	down_read(&key->sem);
	err = key_validate(key);
	if (!err)
		err = take_payload(setup, key);
	up_read(&key->sem);
	key_ref_put(ref);
	return err;
}

#else

static int take_serial(struct kcrypto_setup *setup, s32 serial)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * kcrypto_key_get() - copies the key
 * @setup: gets it
 * @open: where it is
 *
 * Return: 0 or an error, which may be one of the keyring's.
 */
int kcrypto_key_get(struct kcrypto_setup *setup, const struct kcrypto_open *open)
{
	if (open->flags & KCRYPTO_KEY_SERIAL) {
		if (open->key || open->key_len)
			return -EINVAL;
		return take_serial(setup, open->key_serial);
	}
	if (open->key_serial || open->key_len > sizeof(setup->key))
		return -EINVAL;
	setup->key_len = open->key_len;
	if (copy_from_user(setup->key, u64_to_user_ptr(open->key), open->key_len))
		return -EFAULT;
	return 0;
}
