/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this machine has high memory is for the test to say. */
#include "core/backend.h"

#include <stdlib.h>

bool kc_memory_is_high(void)
{
	return getenv("KC_STANDIN_HIGH_MEMORY");
}
