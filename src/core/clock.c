/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks. */
#include "core/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t kc_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t kc_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
