// SPDX-License-Identifier: GPL-2.0-only
/* A session's key: bytes from user space, or a key of the keyring that user space cannot read. */
#include <linux/key-type.h>
#include <linux/key.h>
#include <keys/encrypted-type.h>
#include <keys/trusted-type.h>
#include <keys/user-type.h>

#include "kcrypto.h"

static int kcrypto_key_take(struct kcrypto_setup *setup, const void *bytes, size_t len)
{
	if (!len || len > sizeof(setup->key))
		return -EINVAL;
	memcpy(setup->key, bytes, len);
	setup->key_len = len;
	return 0;
}

#ifdef CONFIG_KEYS

/*
 * Under the key's semaphore. Compares names, because symbols of two types would load their modules.
 */
static int kcrypto_key_take_payload(struct kcrypto_setup *setup, const struct key *key)
{
	const char *type = key->type->name;
	const void *payload = key->payload.data[0];

	if (!payload)
		return -EKEYREVOKED;
	if (strcmp(type, "user") == 0 || strcmp(type, "logon") == 0) {
		const struct user_key_payload *user = payload;

		return kcrypto_key_take(setup, user->data, user->datalen);
	}
	if (strcmp(type, "encrypted") == 0) {
		const struct encrypted_key_payload *encrypted = payload;

		return kcrypto_key_take(setup, encrypted->decrypted_data,
					encrypted->decrypted_datalen);
	}
	if (strcmp(type, "trusted") == 0) {
		const struct trusted_key_payload *trusted = payload;

		return kcrypto_key_take(setup, trusted->key, trusted->key_len);
	}
	return -EOPNOTSUPP;
}

/* Needs the permission to search for the key, not to read it. */
static int kcrypto_key_take_serial(struct kcrypto_setup *setup, key_serial_t serial)
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
		err = kcrypto_key_take_payload(setup, key);
	up_read(&key->sem);
	key_ref_put(ref);
	return err;
}

#else

static int kcrypto_key_take_serial(struct kcrypto_setup *setup, s32 serial)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * kcrypto_key_get() - copies the key
 * @setup: gets the key
 * @open: has its address or serial number
 *
 * Return: 0 or an error, which may be one of the keyring's.
 */
int kcrypto_key_get(struct kcrypto_setup *setup, const struct kcrypto_open *open)
{
	if (open->flags & KCRYPTO_KEY_SERIAL) {
		if (open->key || open->key_len)
			return -EINVAL;
		return kcrypto_key_take_serial(setup, open->key_serial);
	}
	if (open->key_serial || open->key_len > sizeof(setup->key))
		return -EINVAL;
	setup->key_len = open->key_len;
	if (copy_from_user(setup->key, u64_to_user_ptr(open->key), open->key_len))
		return -EFAULT;
	return 0;
}
