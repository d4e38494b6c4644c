/* SPDX-License-Identifier: Apache-2.0 */
/* AF_ALG's bound sockets, each for one driver, and what binding tells about the kernel. */
#ifndef KC_KERNEL_AFALG_BIND_H
#define KC_KERNEL_AFALG_BIND_H

#include "core/backend.h"

/* Returns a bound socket, or -errno. @feature: flags that the driver must have. */
int kc_afalg_bind(enum kc_kind kind, const char *name, unsigned feature);

/* True if the kernel binds software although hardware is asked for: it ignores the flag then. */
bool kc_afalg_hides_hardware(void);

#endif
