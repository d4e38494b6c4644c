/* SPDX-License-Identifier: Apache-2.0 */
/* The system's steady clock. */
#include "core/clock.h"

#include <time.h>

uint64_t kc_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
