/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides, for each row, which backend and driver to use, from which length, and if none, why not.
 * The decision is made once, at load; later the first use of a driver (offload/trial.h) adds its
 * result.
 */
#ifndef KC_POLICY_POLICY_H
#define KC_POLICY_POLICY_H

#include "policy/terms.h"

struct kc_policy {
	/*
	 * The best candidate of each row; the others follow by ->next. NULL: see struct kc_config,
	 * or memory is short.
	 */
	struct kc_candidate *row[KC_ALG_COUNT];
	bool offers_any;
	bool offers_legacy;	     /* a row that belongs to OpenSSL's legacy provider */
	bool knows_filters, is_shut; /* by seccomp filters, if that has been asked */
	enum kc_reason tuned; /* KC_OK: the tune file is valid; or the reason why it is not */
};

struct kc_tuned;

/*
 * Adds a candidate of @backend to each row. @tuned: the tune file, which has facts about drivers,
 * or NULL. A zeroed policy is empty.
 */
void kc_policy_add(struct kc_policy *policy, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers,
		   const struct kc_tuned *tuned);

/*
 * The first session of this candidate got the driver @got. If that is not the listed one, or none
 * was listed, the candidate has it from now on. 0, or -ENOENT if it may not be used, with the
 * reason in @candidate. Called during the trial, so by one thread at a time.
 */
int kc_candidate_meet(struct kc_candidate *candidate, struct kc_driver *got);

/*
 * Takes the drivers of each backend that the configuration allows, in its order, and decides. The
 * drivers come from the tune file or else from the backend. Fills in @policy, whatever it holds.
 */
void kc_policy_load(struct kc_policy *policy, const struct kc_config *config);

/* Frees the candidates; the policy is empty then. No context may have one any more. */
void kc_policy_free(struct kc_policy *policy);

#endif
