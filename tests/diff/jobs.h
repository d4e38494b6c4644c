/* SPDX-License-Identifier: Apache-2.0 */
/* Several asynchronous jobs of one thread, resumed by chance. */
#ifndef KC_TESTS_JOBS_H
#define KC_TESTS_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/diff.h"

struct jobs {
	size_t n;
	int (*run)(void *arg); /* gets a pointer to its pointer; 1 */
	void **args;
	/* Does something beside a paused job. True: that is not to be resumed, but begun anew. */
	bool (*meddle)(void *arg, struct random *random);
};

/* False: a job could not be begun or resumed. */
bool jobs_play(const struct jobs *jobs, struct random random);

#endif
