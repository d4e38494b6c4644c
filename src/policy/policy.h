/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides for each row which backend and driver to use, from which length, or why none. It decides
 * once, at load; later the first use of a driver (offload/trial.h) adds its result.
 */
#ifndef KC_POLICY_POLICY_H
#define KC_POLICY_POLICY_H

#include "policy/terms.h"

struct kc_policy {
	/*
	 * The best candidate of each row; the others follow by ->next. NULL: memory is short, or
	 * offered_only in struct kc_config left all out.
	 */
	struct kc_candidate *row[KC_ALG_COUNT];
	bool offers_any;
	bool offers_legacy;	     /* offers a row of OpenSSL's legacy provider */
	bool knows_filters, is_shut; /* asked for seccomp filters; found some */
	enum kc_reason tuned;	     /* KC_OK: the tune file is valid; or why it is not */
};

struct kc_tuned;

/*
 * Adds a candidate of @backend to each row. @tuned: the tune file, with facts about drivers, or
 * NULL. A zeroed policy is empty.
 */
void kc_policy_add(struct kc_policy *policy, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers,
		   const struct kc_tuned *tuned);

/*
 * Records that this candidate's first session got the driver @got. If another driver was listed, or
 * none, the candidate has @got from now on. 0, or -ENOENT if @got may not be used, with the reason
 * in @candidate. Called during the trial, so by one thread at a time.
 */
int kc_candidate_meet(struct kc_candidate *candidate, struct kc_driver *got);

/*
 * Fills in @policy, whatever it holds: takes the drivers of each configured backend, in that order,
 * from the tune file or else from the backend, and decides.
 */
void kc_policy_load(struct kc_policy *policy, const struct kc_config *config);

/* Frees the candidates and empties the policy. No context may use one any more. */
void kc_policy_free(struct kc_policy *policy);

#endif
