/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries the drivers that a policy chose, in child processes: a sick driver can hang for ever, and
 * nothing in user space can leave such a call.
 */
#ifndef KC_CLI_PROBE_PROBE_H
#define KC_CLI_PROBE_PROBE_H

#include "cli/probe/estimate.h"
#include "cli/evidence/evidence.h"

#define KC_MAX_CANDIDATES (2 * KC_ALG_COUNT * KC_MAX_BACKENDS) /* also for blocks */

/* A candidate after its trial. */
struct kc_probed {
	struct kc_candidate candidate;
	struct kc_ranges found;	     /* if its reason is KC_OK or KC_SLOWER, and it was measured */
	struct kc_evidence evidence; /* likewise, if it was asked for */
};

/*
 * Lists the offered candidates, row by row, each digest's before that for its blocks. Returns their
 * number.
 */
size_t kc_probe_list(const struct kc_policy *policy, struct kc_candidate *list[KC_MAX_CANDIDATES]);

/*
 * Tries the candidate @i of @n in a child. If it passes, it is KC_TRUSTED in @probed, with measured
 * thresholds; if it fails, it is no longer offered, and has a reason. A driver that does not answer
 * is not tried again in any row. @seconds: roughly, for all @n of them, of which this one has until
 * @until_ns of the clock; 0: measures each as fast as possible. @look: how closely to look for
 * evidence of its device, if its name says hardware; only briefly if it is measured anyway. False:
 * there is no child to try it.
 */
bool kc_probe_one(struct kc_candidate *const *list, size_t n, size_t i, unsigned seconds,
		  uint64_t until_ns, enum kc_look look, struct kc_probed *probed);

/* True if both use the same driver through the same backend. */
bool kc_probe_shares_driver(const struct kc_candidate *a, const struct kc_candidate *b);

/* Gives up the driver of @hangs, which does not answer: none of its @n candidates may be used. */
void kc_probe_give_up(struct kc_candidate *const *list, size_t n, const struct kc_candidate *hangs);

typedef struct kc_evidence kc_evidences[KC_ALG_COUNT][2 * KC_MAX_BACKENDS];

/* Returns a candidate's index in a row of kc_evidences. */
static inline size_t kc_evidence_place(const struct kc_candidate *c)
{
	return 2 * c->backend_number + !!c->whole;
}

/* Returns "SHA256", or "SHA256 in blocks"; until the next call. */
const char *kc_row_name(const struct kc_alg *alg, bool is_blocks);

/*
 * Tries all that @policy offers, quickly, and records the results in it. Without a child the
 * candidates stay KC_UNTRIED, and so do those for which @seconds will not suffice. @evidences: gets
 * the evidence about each.
 */
void kc_probe_run(struct kc_policy *policy, unsigned seconds, enum kc_look look,
		  kc_evidences *evidences);

/* Returns the seconds that CPU times of @n candidates need at least. */
unsigned kc_probe_cpu_seconds(size_t n);

#endif
