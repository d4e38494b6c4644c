/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a call on us and on the default provider, and whether the two agree. */
#ifndef KC_TESTS_COMPARE_H
#define KC_TESTS_COMPARE_H

#include <stdbool.h>

struct outcome {
	int ok;
	bool left; /* something in the error queue or in errno */
};

/* Others put errors into the queue while a call of ours pauses. */
extern bool outcome_shares_queue;

/* Before and after a call. */
void outcome_clear(void);
struct outcome outcome_of(int ok);

/* NULL if the two are the same, or the difference. */
const char *outcome_differs(struct outcome ours, struct outcome theirs);

#endif
