/* SPDX-License-Identifier: Apache-2.0 */
/* The test decides whether this machine has high memory. */
#include "core/backend.h"

#include <stdlib.h>

bool kc_memory_is_high(void)
{
	return getenv("KC_STANDIN_HIGH_MEMORY");
}
