/* SPDX-License-Identifier: Apache-2.0 */
/* Would kcrypto tune try other drivers than the ones in its file, or has it left one unsettled? */
#include "cli/tune/tune.h"

#include <stdlib.h>

#include "policy/tune_file.h"

/* The number of offered drivers, with a name, of which no file tells anything. */
static size_t count_untold(const struct kc_policy *policy)
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			n += c->is_offered && c->driver[0] && !c->terms.is_tuned;
	return n;
}

bool kc_tune_is_fresh(const struct kc_config *config, const char *path)
{
	struct kc_config untold = *config;
	struct kc_policy policy;
	struct kc_tuned *t;
	bool is_fresh;

	if (kc_tuned_read(path, &t) != KC_OK)
		return false;
	untold.tune_file[0] = '\0';
	kc_policy_load(&policy, &untold);
	is_fresh = t->n_facts == count_untold(&policy);
	kc_tuned_apply(t, policy.row, config->prefer);
	is_fresh = is_fresh && !count_untold(&policy);
	kc_policy_free(&policy);
	free(t);
	return is_fresh;
}
