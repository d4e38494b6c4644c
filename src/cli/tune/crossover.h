/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the length from which a backend pays, by comparing it with software. */
#ifndef KC_CLI_TUNE_CROSSOVER_H
#define KC_CLI_TUNE_CROSSOVER_H

#include "cli/bench/field.h"
#include "policy/config.h"

#define KC_NEVER_PAYS	    SIZE_MAX
#define KC_CROSSOVER_PASSES 3 /* of about six sizes, some of which are measured anyway */

struct kc_crossover {
	size_t bytes
		[KC_PREFER_COUNT]; /* by wall time, and by the machine's CPU time; KC_NEVER_PAYS */
};

/*
 * @field: software, then the backend. @limit: bytes, the longest request that the backend takes
 * whole. False if the backend did not do the work.
 */
bool kc_crossover_find(const struct kc_field *field, const struct kc_alg *alg, enum kc_dir dir,
		       size_t limit, const struct kc_load *load, struct kc_crossover *crossover);

#endif
