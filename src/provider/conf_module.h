/* SPDX-License-Identifier: Apache-2.0 */
/* The link between the configuration module and the provider that it loads. */
#ifndef KC_PROVIDER_CONF_MODULE_H
#define KC_PROVIDER_CONF_MODULE_H

#include <openssl/core.h>
#include <openssl/provider.h>

/* OSSL_provider_init() for a provider whose section has no lines: it reads none. */
OSSL_provider_init_fn kc_provider_init_bare;

/*
 * Drops the reference of OSSL_PROVIDER_try_load(), which each context that loads the configuration
 * would leak. An instance of kcrypto stays active, because the context keeps it. If another module
 * has the name, that one is unloaded.
 */
void kc_provider_release(OSSL_PROVIDER *provider);

#endif
