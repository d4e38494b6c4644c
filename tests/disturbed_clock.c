/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A clock for scripts/disturbed, instead of the core's: about one look in seven finds that up to
 * 4 ms have passed, as for a program that others interrupt. It never goes back.
 */
#include "core/clock.h"

#include <stdatomic.h>
#include <time.h>

#define EACH	8
#define MOST_NS 4000000

static atomic_ullong lost; /* ns, of all threads */

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A number that the next nanosecond changes as a whole. */
static uint64_t chance(uint64_t now)
{
	return now * 0x9e3779b97f4a7c15 >> 32;
}

uint64_t kc_now_ns(void)
{
	uint64_t now = read_clock(CLOCK_MONOTONIC), drawn = chance(now);

	if (drawn % EACH == 0)
		atomic_fetch_add(&lost, drawn / EACH % MOST_NS);
	return now + atomic_load(&lost);
}

uint64_t kc_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
