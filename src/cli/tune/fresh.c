/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether kcrypto tune would try other drivers than those in its file, or the file left one
 * unsettled.
 */
#include "cli/tune/tune.h"

#include <stdint.h>
#include <stdlib.h>

#include "policy/tune_file.h"

/*
 * What the file has to tell about a driver: whether it is right; or also from which length it pays.
 */
enum depth { KNOWN, SETTLED };

static bool is_told(const struct kc_tuned *t, const struct kc_candidate *c, enum depth depth)
{
	const struct kc_fact *fact = kc_tuned_fact(t, c);

	if (!fact || fact->reason != KC_OK || c->terms.is_fixed || depth == KNOWN)
		return fact;
	return kc_fact_is_settled(fact, c->terms.prefer);
}

/*
 * Returns the number of facts about offered drivers with a name, without backends of @kept.
 * SIZE_MAX: the file tells too little about one of them.
 */
static size_t count_told(const struct kc_tuned *t, const struct kc_policy *policy, uint32_t kept,
			 enum depth depth)
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next) {
			if (!c->is_offered || !c->driver[0] || kept >> c->backend_number & 1)
				continue;
			if (!is_told(t, c, depth) || (c->blocks && !is_told(t, c->blocks, depth)))
				return SIZE_MAX;
			n += c->blocks ? 2 : 1;
		}
	return n;
}

/*
 * True if the file is about exactly these drivers. Tests whether a backend can be opened only if it
 * is not, because that touches the kernel.
 */
static bool is_about(const struct kc_tuned *t, const struct kc_policy *policy, enum depth depth)
{
	uint32_t kept;
	size_t n;

	if (count_told(t, policy, 0, depth) == t->n_facts)
		return true;
	kept = kc_tune_kept_backends(t);
	n = count_told(t, policy, kept, depth);
	return n != SIZE_MAX && n + kc_tune_kept(t, kept) == t->n_facts;
}

static bool is_about_what_is_here(const struct kc_config *config, const char *path,
				  enum depth depth)
{
	struct kc_config untold = *config;
	struct kc_policy policy;
	struct kc_tuned *t;
	bool is_about_it;

	if (kc_tuned_read(path, &t) != KC_OK)
		return false;
	untold.tune_file[0] = '\0';
	kc_policy_load(&policy, &untold);
	is_about_it = is_about(t, &policy, depth);
	kc_policy_free(&policy);
	free(t);
	return is_about_it;
}

bool kc_tune_knows(const struct kc_config *config, const char *path)
{
	return is_about_what_is_here(config, path, KNOWN);
}

bool kc_tune_is_fresh(const struct kc_config *config, const char *path)
{
	return is_about_what_is_here(config, path, SETTLED);
}
