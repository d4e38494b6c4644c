/* SPDX-License-Identifier: Apache-2.0 */
/* Keys by plain system calls; the module as installed. */
#include "keys/keyring.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void key_setup(void)
{
}

OSSL_PROVIDER *key_provider(OSSL_LIB_CTX *ctx)
{
	return OSSL_PROVIDER_load(ctx, "kcrypto-keys");
}

int32_t key_add(const char *type, const char *name, const void *bytes, size_t len)
{
	return (int32_t)syscall(SYS_add_key, type, name, bytes, len, KEY_SPEC_USER_KEYRING);
}

void key_revoke(int32_t serial)
{
	syscall(SYS_keyctl, KEYCTL_REVOKE, serial, 0, 0, 0);
}
