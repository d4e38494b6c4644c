// SPDX-License-Identifier: Apache-2.0
/* See crowd.h. */
#define _GNU_SOURCE
#include "crowd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct told *told;

static int turn[2], go[2]; /* pipes */

void crowd_start(void)
{
	struct rlimit files = { 4096, 4096 };

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK_IS(pipe(turn), 0);
	CHECK_IS(pipe(go), 0);
	setrlimit(RLIMIT_NOFILE, &files);
	chmod("/dev/kcrypto", 0666);
}

void crowd_finish(void)
{
	close(turn[0]);
	close(turn[1]);
	close(go[0]);
	close(go[1]);
	munmap(told, sizeof(*told));
	chmod("/dev/kcrypto", 0600);
	CHECK(wait_for_counter("in_flight", 0));
	CHECK(wait_for_counter("sessions", 0));
}

int keep(int n)
{
	told->n = n;
	CHECK_IS(write(turn[1], "", 1), 1);
	pause();
	return 0;
}

int hear(void)
{
	struct pollfd p = { .fd = turn[0], .events = POLLIN };
	char c;

	CHECK(poll(&p, 1, PATIENCE * 1000) == 1 && read(turn[0], &c, 1) == 1);
	return told->n;
}

void end(pid_t child)
{
	kill(child, SIGKILL);
	CHECK_IS(end_of(child), SIGKILL);
}

int wait_for_parent(void)
{
	char c;

	return write(turn[1], "", 1) == 1 && read(go[0], &c, 1) == 1 ? 0 : -errno;
}

void go_on(void)
{
	CHECK_IS(write(go[1], "", 1), 1);
}

void new_module(void)
{
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(remove_module("kcrypto"), 0);
	CHECK_IS(insert_module(getenv("KCRYPTO_KO")), 0);
	chmod("/dev/kcrypto", 0666);
}

void new_accel(void)
{
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(remove_module("accel"), 0);
	CHECK_IS(insert_module(getenv("ACCEL_KO")), 0);
}

int hold_sessions(unsigned unused)
{
	struct session s;
	int n = 0, err;

	(void)unused;
	while ((err = try_cbc(&s)) == 0)
		n++;
	return err == -EDQUOT ? keep(n) : keep(-1);
}

int open_one(unsigned unused)
{
	struct session s;

	(void)unused;
	return try_cbc(&s) ? 1 : run_once(&s) != 0;
}
