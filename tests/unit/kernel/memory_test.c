/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/meminfo says of this machine. */
#include "unit/check.h"

#include "core/backend.h"

/* A machine of 32 bits may have some, or none. */
TEST(a_machine_of_64_bits_has_no_high_memory)
{
	bool is_high = kc_memory_is_high();

	assert_true(sizeof(void *) < 8 || !is_high);
	assert_int_equal(kc_memory_is_high(), is_high);
}

const struct suite suite = { .arguments = 0 };
