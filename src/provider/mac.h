/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's MAC functions; ctx is a struct kc_hash. */
#ifndef KC_PROVIDER_MAC_H
#define KC_PROVIDER_MAC_H

#include <openssl/core_dispatch.h>

#include "core/alg.h"

/* A row's functions, the same for rows of one MAC, ended by an id of 0; NULL for other kinds. */
extern const OSSL_DISPATCH *kc_ossl_macs[KC_ALG_COUNT];

/* Fills it; under the base's lock. */
void kc_ossl_prepare_macs(void);

#endif
