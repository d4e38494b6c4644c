/* SPDX-License-Identifier: Apache-2.0 */
/* Would kcrypto tune try other drivers than the ones in its file, or has it left one unsettled? */
#include "cli/tune/tune.h"

#include <stdlib.h>

#include "policy/tune_file.h"

/* Does the file tell whether this driver is right, and from which length it pays? */
static bool is_told(const struct kc_tuned *t, const struct kc_candidate *c)
{
	const struct kc_fact *fact = kc_tuned_fact(t, c);

	return fact && (fact->reason != KC_OK || c->terms.is_fixed ||
			kc_fact_is_settled(fact, c->terms.prefer));
}

/* Is the file about the drivers that are offered and have a name, and no others? */
static bool is_about(const struct kc_tuned *t, const struct kc_policy *policy)
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next) {
			if (!c->is_offered || !c->driver[0] || kc_tune_keeps(t, c->backend_number))
				continue;
			if (!is_told(t, c))
				return false;
			n++;
		}
	return n + kc_tune_kept(t) == t->n_facts;
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
	is_fresh = is_about(t, &policy);
	kc_policy_free(&policy);
	free(t);
	return is_fresh;
}
