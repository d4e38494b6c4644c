/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons on a machine whose speed drifts: contenders take turns (A B C, B C A, and so on), and
 * medians count. A crew is a contender's processes, each with its own state and with a deadline.
 */
#ifndef KC_CLI_BENCH_TURNS_H
#define KC_CLI_BENCH_TURNS_H

#include "cli/child.h"
#include "cli/run/meter.h"

#define KC_MAX_PROCESSES 256

/* Quartiles and median. */
struct kc_quartiles {
	double low, median, high;
};

/* Returns the quartiles. Sorts @v. */
struct kc_quartiles kc_quartiles(double *v, size_t n);
/* Returns the median. Sorts @v. */
double kc_median(double *v, size_t n);

/*
 * Gives @n contenders @rounds turns each. Each round begins with another one, so that no contender
 * always follows the same one. After the first two, no round begins once the clock is at @end_ns,
 * because a single turn may take very long. If @turn returns false, ends early and returns false.
 */
bool kc_turns(size_t n, unsigned rounds, uint64_t end_ns,
	      bool (*turn)(void *arg, size_t who, unsigned round), void *arg);

/* The work of a crew. A process has one state at a time, of the last @task. */
struct kc_job {
	void *(*begin)(const void *arg, size_t task); /* returns the state; NULL: it can't work */
	int (*once)(void *state);		      /* returns 1, or 0 if it failed */
	void (*end)(void *state);
	const void *arg;
};

struct kc_crew {
	struct kc_child child[KC_MAX_PROCESSES];
	unsigned n;
	bool has_failed;
};

/* A turn: calls of once(), and the time they took; process_ns is the crew's alone. */
struct kc_turn {
	uint64_t calls;
	struct kc_meter took;
};

/* Starts @n processes, which wait for their turn. If they can't work, the first turn fails. */
void kc_crew_start(struct kc_crew *crew, const struct kc_job *job, unsigned n);

/*
 * Gives the crew a turn at @task: @ms milliseconds of calls or, if that is 0, none, so that it only
 * gets ready. False: a call failed, or there was no answer; then give it no more turns.
 */
bool kc_crew_turn(struct kc_crew *crew, size_t task, unsigned ms, struct kc_turn *turn);

/* Returns true if a process gave no answer in time: the driver may hang. */
bool kc_crew_is_silent(const struct kc_crew *crew);

/* Ends the processes. A zeroed crew has none. */
void kc_crew_end(struct kc_crew *crew);

#endif
