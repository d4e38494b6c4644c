/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in's keyring: a few keys, found as the kernel finds them. Nothing is freed. */
#include "standin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 64

static struct key {
	char type[KC_KEY_TYPE_SIZE], description[64];
	uint8_t bytes[KC_MAX_KEY];
	size_t len;
	bool is_revoked;
} keys[KEYS];

static struct key *of(int32_t serial)
{
	return serial > 0 && serial <= KEYS && keys[serial - 1].len ? &keys[serial - 1] : NULL;
}

int standin_key(int32_t serial, uint8_t *bytes, size_t len)
{
	const struct key *key = of(serial);

	if (!key)
		return -ENOKEY;
	if (key->is_revoked)
		return -EKEYREVOKED;
	if (key->len != len)
		return -EINVAL;
	memcpy(bytes, key->bytes, len);
	return 0;
}

void standin_revoke(int32_t serial)
{
	of(serial)->is_revoked = true;
}

/* KC_STANDIN_KEYS: "TYPE:ERRNO" or "*:ERRNO", for programs that do not use the script. */
static int refused(const char *type)
{
	const char *said = getenv("KC_STANDIN_KEYS"), *colon = said ? strchr(said, ':') : NULL;

	if (!colon || (*said != '*' && strncmp(said, type, (size_t)(colon - said)) != 0))
		return 0;
	return -atoi(colon + 1);
}

int kc_keyring_find(const char *type, const char *description, int32_t *serial)
{
	if (refused(type))
		return refused(type);
	for (int32_t i = 1; i <= KEYS; i++) {
		if (!of(i) || of(i)->is_revoked || strcmp(of(i)->type, type) != 0 ||
		    strcmp(of(i)->description, description) != 0)
			continue;
		*serial = i;
		return 0;
	}
	return -ENOKEY;
}

int kc_keyring_describe(int32_t serial, char *buf, size_t size)
{
	if (!of(serial))
		return -ENOKEY;
	snprintf(buf, size, "%s;0;0;3f010000;%s", of(serial)->type, of(serial)->description);
	return 0;
}

int kc_keyring_length(int32_t serial, const char *type, size_t *len)
{
	if (!of(serial))
		return -ENOKEY;
	*len = of(serial)->len;
	return strcmp(type, "trusted") == 0 ? -ENODATA : 0;
}

/* Adding an existing key changes its bytes, as in the kernel. */
int kc_keyring_add(const char *type, const char *description, const void *payload, size_t len,
		   enum kc_ring ring, int32_t *serial)
{
	uint8_t made[KC_MAX_KEY];
	int32_t i = 1;

	(void)ring;
	if (refused(type))
		return refused(type);
	if (strcmp(type, "encrypted") == 0) {
		if (sscanf(payload, "new default %*s %zu", &len) != 1 || len > sizeof(made))
			return -EINVAL;
		memset(made, 0x5a, len);
		payload = made;
	}
	if (len > KC_MAX_KEY)
		return -EINVAL;
	if (kc_keyring_find(type, description, &i) != 0)
		while (i <= KEYS && of(i))
			i++;
	if (i > KEYS)
		return -EDQUOT;
	snprintf(keys[i - 1].type, sizeof(keys[0].type), "%s", type);
	snprintf(keys[i - 1].description, sizeof(keys[0].description), "%s", description);
	memcpy(keys[i - 1].bytes, payload, len);
	keys[i - 1].len = len;
	*serial = i;
	return 0;
}
