/* SPDX-License-Identifier: Apache-2.0 */
/* A request that the kernel and the base both do, for comparison and to see which is faster. */
#ifndef KC_OFFLOAD_PAIR_H
#define KC_OFFLOAD_PAIR_H

#include "core/base.h"
#include "offload/learn.h"
#include "session/session.h"

enum kc_pair_result {
	KC_PAIR_SAME,
	KC_PAIR_LIE,	/* the kernel's answer is another one than the base's */
	KC_PAIR_FAILED, /* the kernel's failed, with what errno there is in @err */
	KC_PAIR_ALONE,	/* there was no memory for the base's, and the kernel's is unchecked */
};

/*
 * As kc_session_run(), and req->out is written only where both agree, or for KC_PAIR_ALONE.
 * @key: of the session. Sets the times of @pair by the clock of @candidate. Allocates a context of
 * @base, which other requests never do: pairs are rare.
 */
enum kc_pair_result kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
				const struct kc_base *base, const struct kc_key *key,
				const struct kc_req *req, struct kc_pair *pair, int *err);

#endif
