/* SPDX-License-Identifier: Apache-2.0 */
/* A request that both the kernel and the base do, to compare their answers and their speed. */
#ifndef KC_OFFLOAD_PAIR_H
#define KC_OFFLOAD_PAIR_H

#include "core/base.h"
#include "offload/learn.h"
#include "session/session.h"

enum kc_pair_result {
	KC_PAIR_SAME,
	KC_PAIR_LIE,	/* the kernel's answer differs from the base's */
	KC_PAIR_FAILED, /* the kernel failed, with its errno in @err */
	KC_PAIR_ALONE,	/* no memory for the base's answer; the kernel's is unchecked */
};

/*
 * Like kc_session_run(), but writes req->out only if both agree, or for KC_PAIR_ALONE. @key: the
 * session's. Sets the times of @pair by the clock of @candidate. Allocates a context of @base,
 * which no other request does: pairs are rare.
 */
enum kc_pair_result kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
				const struct kc_base *base, const struct kc_key *key,
				const struct kc_req *req, struct kc_pair *pair, int *err);

#endif
