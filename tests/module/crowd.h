/* SPDX-License-Identifier: Apache-2.0 */
/* Several users of the device, each in a process that takes what it can get and keeps it. */
#ifndef KC_TESTS_MODULE_CROWD_H
#define KC_TESTS_MODULE_CROWD_H

#include "fixture.h"

#include <linux/aio_abi.h>

#define GREEDY 1000 /* the users' uids */
#define MODEST 1001

/* What processes tell each other. */
struct told {
	volatile int n;
	volatile long us;
};
extern struct told *told;

/*
 * Opens the device to all users, until crowd_finish(), which waits until nothing is left of them.
 */
void crowd_start(void);
void crowd_finish(void);

/* In a child: reports @n, and keeps what it has until it is killed. */
int keep(int n);
/* In the parent: waits for a child's report, and returns it. */
int hear(void);
void end(pid_t child);

/* In a child: reports that it waits, and waits for the parent. */
int wait_for_parent(void);
void go_on(void);

/* Reloads the module and the accelerator, so that neither has seen a request. */
void new_module(void);
void new_accel(void);

/* Opens as many sessions as a user gets. */
int hold_sessions(unsigned unused);
/* Opens one session and makes one request. */
int open_one(unsigned unused);

#define STORM 20000 /* of the 32,768 polls that the system has */

/* Polls for a finished request; one request wakes them all. */
struct polls {
	struct session s;
	int fd; /* that of the session, or of an epoll instance which alone waits for that */
	aio_context_t context;
	long n;
};

bool polls_begin(struct polls *polls, long n, bool by_epoll);
/* Adds all polls, and submits a request. */
bool polls_add(const struct polls *polls);
/* Returns the number of polls that have been woken; waits for @least. */
long polls_woken(const struct polls *polls, long least);
void polls_end(const struct polls *polls);

#endif
