/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of programs over the stand-in. KC_STANDIN_CLOCK says which: without it, the system's;
 * "still": no call takes any time, so no session has a price, on any machine; a file: a simulated
 * one. The file has its microseconds, as a 32-bit number, for all processes and modules of a
 * command. Only the stand-in's work takes time, and a little each look at the clock, so that no
 * loop waits for ever. The device does one request at a time. KC_STANDIN_BUSY=US: the
 * processor is shared, so after so many microseconds others have it for as long.
 */
#include "standin.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"

#define LOOK_US 20
#define MEET_US 100 /* of real time, in which requests of other threads begin */

static bool stands_still;
static atomic_uint *simulated;

__attribute__((constructor)) static void find_clock(void)
{
	const char *path = getenv("KC_STANDIN_CLOCK");
	int fd;

	stands_still = path && strcmp(path, "still") == 0;
	if (!path || stands_still)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	simulated = mmap(NULL, sizeof(*simulated), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (simulated == MAP_FAILED)
		abort();
	close(fd);
}

static uint64_t look(void)
{
	unsigned now = atomic_fetch_add(simulated, LOOK_US) + LOOK_US;
	const char *busy = getenv("KC_STANDIN_BUSY");
	unsigned turn = busy ? (unsigned)atoi(busy) : 0;

	if (turn && now / turn % 2) {
		now += turn - now % turn;
		atomic_store(simulated, now);
	}
	return now;
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	if (stands_still)
		return 0;
	if (simulated)
		return look() * 1000;
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

void standin_spend(unsigned us)
{
	if (simulated) {
		atomic_fetch_add(simulated, us);
		us = us > MEET_US ? MEET_US : us;
	}
	usleep(us);
}
