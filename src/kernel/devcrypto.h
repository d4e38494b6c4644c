/* SPDX-License-Identifier: Apache-2.0 */
/* The /dev/crypto backend. */
#ifndef KC_KERNEL_DEVCRYPTO_H
#define KC_KERNEL_DEVCRYPTO_H

#include "core/backend.h"

extern const struct kc_backend kc_devcrypto;

#endif
