/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides, per row: which backend and driver, from which length on, and if not, why not. The
 * decision is made once, at load; what the first use of a driver shows (offload/trial.h) is added.
 */
#ifndef KC_POLICY_POLICY_H
#define KC_POLICY_POLICY_H

#include "policy/candidate.h"

struct kc_policy {
	/* The best candidate of each, and by ->next the others. NULL: see struct kc_config. */
	struct kc_candidate *row[KC_ALG_COUNT];
	unsigned n_backends; /* of each row */
	bool offers_any;
	enum kc_reason tuned; /* KC_OK: the tune file counts; or why it does not */
	char software[KC_MAX_BACKENDS][KC_DRIVER_NAME_SIZE];
	struct kc_candidate candidate[KC_MAX_BACKENDS]
				     [KC_ALG_COUNT]; /* what is not there is never touched */
};

/* Software does this much, bytes, before a driver is tried for the first time in a process. */
#define KC_BYTES_BEFORE_TRIAL (256 * 1024)

/* Adds a candidate of @backend to each row, in its place. An empty policy is all zeros. */
void kc_policy_add(struct kc_policy *policy, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers);

/* Sorts each row's candidates again, after a change in what is offered. */
void kc_policy_renew(struct kc_policy *policy);

/* Does it offer a row of OpenSSL's legacy provider? */
bool kc_policy_offers_legacy(const struct kc_policy *policy);

/* The best candidate that is offered and not refused, or NULL. */
struct kc_candidate *kc_candidate_now(struct kc_candidate *first);

/*
 * The first session of this candidate got the driver @got: where that is another than what was
 * listed, or nothing was, it is the candidate's from now on. 0 or -ENOENT with the reason in
 * @candidate: it may not be used. For whoever tries the driver, so by one thread at a time.
 */
int kc_candidate_meet(struct kc_candidate *candidate, struct kc_driver *got);

/* Tells each backend that the module was loaded. @is_trusted: see struct kc_backend. */
void kc_policy_loaded(bool is_trusted);

/*
 * Takes the drivers of each backend that the configuration admits, in its order, and decides. They
 * are in the tune file, or else the backend is asked.
 */
void kc_policy_load(struct kc_policy *policy, const struct kc_config *config);

#endif
