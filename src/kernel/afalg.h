/* SPDX-License-Identifier: Apache-2.0 */
/* The AF_ALG backend. */
#ifndef KC_KERNEL_AFALG_H
#define KC_KERNEL_AFALG_H

#include "core/backend.h"

extern const struct kc_backend kc_afalg;

#endif
