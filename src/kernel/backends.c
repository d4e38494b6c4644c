/* SPDX-License-Identifier: Apache-2.0 */
/* The ways into the kernel that this build has, best first: a line each. */
#include "core/backend.h"

#include "kernel/afalg.h"
#include "kernel/devcrypto.h"

const struct kc_backend *const kc_backends[] = {
	&kc_devcrypto,
	&kc_afalg,
	NULL,
};
