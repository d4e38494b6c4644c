/* SPDX-License-Identifier: Apache-2.0 */
/* Several users of the device, each in a process that takes what it can get and keeps it. */
#ifndef KC_TESTS_MODULE_CROWD_H
#define KC_TESTS_MODULE_CROWD_H

#include "fixture.h"

#define GREEDY 1000 /* their uids */
#define MODEST 1001

/* What processes tell each other. */
struct told {
	volatile int n;
	volatile long us;
};
extern struct told *told;

/* The device is for everybody from the one to the other, which waits until nothing is left. */
void crowd_start(void);
void crowd_finish(void);

/* In a child: tells @n, and keeps what it has until it is killed. */
int keep(int n);
/* In the parent: waits for that, and returns it. */
int hear(void);
void end(pid_t child);

/* A child waits for its parent, after it has told that it does. */
int wait_for_parent(void);
void go_on(void);

/* The module and the accelerator as after their loading, which have seen nothing. */
void new_module(void);
void new_accel(void);

/* As many sessions as a user gets. */
int hold_sessions(unsigned unused);
/* One session, one request. */
int open_one(unsigned unused);

#endif
