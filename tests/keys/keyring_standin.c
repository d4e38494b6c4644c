/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stand-in's keyring; the provider is built in. The stand-in says that the device is software,
 * as most drivers are, except for CBC.
 */
#include "keys/keyring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/core.h>
#include <openssl/provider.h>

#include "core/base.h"
#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;

static OSSL_PROVIDER *loaded[2];

/* A leak checker runs after this handler and after OpenSSL's own. */
static void unload(void)
{
	OSSL_PROVIDER_unload(loaded[1]);
	OSSL_PROVIDER_unload(loaded[0]);
}

void key_setup(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		standin_driver(kc_algs[i].kernel_name, "standin-generic", 100, false);
	standin_driver("cbc(aes)", "standin-device", 300, true);
	loaded[0] = OSSL_PROVIDER_load(NULL, "default");
	kc_base_open(false); /* the stand-in needs it: contexts with a kernel key have no base */
	loaded[1] = key_provider(NULL, NULL);
	atexit(unload);
}

OSSL_PROVIDER *key_provider(OSSL_LIB_CTX *ctx, OSSL_PARAM *lines)
{
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto-keys", OSSL_provider_init);
	return OSSL_PROVIDER_load_ex(ctx, "kcrypto-keys", lines);
}

bool key_hardware(void)
{
	return true;
}

int32_t key_add(const char *type, const char *name, const void *bytes, size_t len)
{
	int32_t serial = -1;
	int err = kc_keyring_add(type, name, bytes, len, KC_RING_USER, &serial);

	errno = -err;
	return err ? -1 : serial;
}

int32_t key_silent(void)
{
	return key_add("trusted", "silent", "x", 1);
}

bool key_refuse(int error)
{
	char text[32];

	snprintf(text, sizeof(text), "*:%d", error);
	setenv("KC_STANDIN_KEYS", text, true);
	return true;
}

void key_revoke(int32_t serial)
{
	standin_revoke(serial);
}
