/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A candidate's first terms. A process sets them once, when it loads the provider, and again after
 * the driver's trial.
 */
#ifndef KC_POLICY_FIRST_TERMS_H
#define KC_POLICY_FIRST_TERMS_H

#include "policy/terms.h"

/* Sets the terms from the configuration. @threshold: the row's. */
void kc_terms_init(struct kc_candidate *candidate, const struct kc_config *config,
		   size_t threshold);

/* The result of a measurement. */
struct kc_measured {
	size_t threshold[2]; /* bytes, per enum kc_dir, as in the terms */
	size_t longest, session_bytes;
	unsigned once_ns, kib_ns;
};

/*
 * Sets the terms from a measurement. A configured threshold stays, and applies to messages of any
 * greater length; text is still divided as is best.
 */
void kc_terms_tuned(struct kc_candidate *candidate, const struct kc_measured *measured);

/* Times of a trial's requests in one direction, in ns: the lowest of several requests. */
struct kc_prices {
	uint64_t kernel_short;		 /* for one or a few blocks */
	uint64_t kernel_long, soft_long; /* for @len bytes */
	size_t len;
};

/*
 * Sets the terms from a trial that took @trial_ns. @prices: two, by direction; @open_ns: the time
 * to open a session. Forgets earlier results.
 */
void kc_terms_tried(struct kc_candidate *candidate, const struct kc_prices *prices,
		    uint64_t open_ns, uint64_t trial_ns);

#endif
