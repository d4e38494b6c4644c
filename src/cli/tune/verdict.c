/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a driver is right, which kcrypto tune finds out before it measures. Processes that read
 * the file ask only the shortest question, so this is kcrypto selftest's examiner.
 */
#include "cli/tune/tune.h"

#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/selftest/selftest.h"

#define ROUNDS 100 /* random messages for each candidate */

static struct kc_examination all;

/* A driver that fails a request now and then does no harm: software does that request. */
static enum kc_reason reason_of(enum kc_ruling ruling)
{
	switch (ruling) {
	case KC_IS_WRONG:
		return KC_WRONG_ANSWER;
	case KC_HANGS:
	case KC_DIES:
		return KC_NO_ANSWER;
	default:
		return KC_OK;
	}
}

static void take_finding(const char *check, const struct kc_candidate *asked,
			 const struct kc_finding *found)
{
	enum kc_reason why = reason_of(found->ruling);
	size_t i = 0;

	(void)check;
	while (all.candidate[i] != asked)
		i++;
	if (found->left_out)
		all.candidate[i]->is_examined = false;
	if (why == KC_OK || asked->reason != KC_OK)
		return;
	all.candidate[i]->reason = why;
	all.candidate[i]->is_offered = false;
}

bool kc_tune_examine(struct kc_candidate *const *list, size_t n, unsigned limit)
{
	all = (struct kc_examination){ .depth = KC_TO_BE_TRUSTED,
				       .tell = take_finding,
				       .n = n,
				       .limit = limit,
				       .rounds = ROUNDS,
				       .seed = 1 };
	for (size_t i = 0; i < n; i++) {
		all.candidate[i] = list[i];
		list[i]->is_examined = true;
	}
	if (!kc_counters_begin())
		all.no_module = "no file can be made to count the module's requests in";
	return kc_base_open(true) && kc_checks_run(&all);
}
