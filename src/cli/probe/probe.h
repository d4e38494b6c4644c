/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries the drivers that a policy chose, from a distance: a sick one can hang for ever, and nothing
 * in user space can leave such a call.
 */
#ifndef KC_CLI_PROBE_PROBE_H
#define KC_CLI_PROBE_PROBE_H

#include "cli/probe/estimate.h"
#include "cli/evidence/evidence.h"

#define KC_MAX_CANDIDATES (2 * KC_ALG_COUNT * KC_MAX_BACKENDS) /* also in blocks */

/* A candidate as it is after its trial. */
struct kc_probed {
	struct kc_candidate candidate;
	struct kc_ranges found;	     /* if its reason is KC_OK or KC_SLOWER, and it was measured */
	struct kc_evidence evidence; /* likewise, if it was asked for */
};

/*
 * Lists the candidates that are offered, row by row, each digest's before that for its blocks.
 * Returns their number.
 */
size_t kc_probe_list(const struct kc_policy *policy, struct kc_candidate *list[KC_MAX_CANDIDATES]);

/*
 * Tries the candidate @i of @n in a child. In @probed, it is KC_TRUSTED if it passes, with its
 * measured thresholds; if it fails, it is no longer offered, and has a reason. A driver that does
 * not answer is not tried again in any row. @seconds: roughly, for all @n of them, of which this
 * one has until @until_ns of the clock; 0: each is measured as fast as can be. @look: for evidence
 * of its device, if it has one by name; briefly only where it is measured anyway.
 * False: there is no child to try it.
 */
bool kc_probe_one(struct kc_candidate *const *list, size_t n, size_t i, unsigned seconds,
		  uint64_t until_ns, enum kc_look look, struct kc_probed *probed);

/* @hangs does not answer: none of the @n candidates with its driver may be used. */
void kc_probe_give_up(struct kc_candidate *const *list, size_t n, const struct kc_candidate *hangs);

typedef struct kc_evidence kc_evidences[KC_ALG_COUNT][2 * KC_MAX_BACKENDS];

/* The place of a candidate in a row of these. */
static inline size_t kc_evidence_place(const struct kc_candidate *c)
{
	return 2 * c->backend_number + !!c->whole;
}

/* "SHA256", or "SHA256 in blocks"; until the next call. */
const char *kc_row_name(const struct kc_alg *alg, bool is_blocks);

/*
 * Tries all that @policy offers, fast, and tells it. Without a child they stay KC_UNTRIED, as do
 * those that are left when @seconds are over.
 * @evidences: gets what was seen of each.
 */
void kc_probe_run(struct kc_policy *policy, unsigned seconds, enum kc_look look,
		  kc_evidences *evidences);

/* The seconds for @n candidates from which on their CPU times can be told. */
unsigned kc_probe_cpu_seconds(size_t n);

#endif
