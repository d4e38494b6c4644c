/* SPDX-License-Identifier: Apache-2.0 */
/* Several asynchronous jobs of one thread, resumed in random order. */
#ifndef KC_TESTS_JOBS_H
#define KC_TESTS_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/diff.h"

struct jobs {
	size_t n;
	int (*run)(void *arg); /* gets a pointer to its argument; returns 1 */
	void **args;
	/*
	 * Acts beside a paused job. Returns true if the job is not to be resumed, but started anew.
	 */
	bool (*meddle)(void *arg, struct random *random);
};

/* Runs all jobs to their ends. Returns false if a job could not be started or resumed. */
bool jobs_play(const struct jobs *jobs, struct random random);

#endif
