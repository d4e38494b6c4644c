/* SPDX-License-Identifier: Apache-2.0 */
/* A request that both the kernel and the base do, to compare their answers and their speed. */
#ifndef KC_OFFLOAD_PAIR_H
#define KC_OFFLOAD_PAIR_H

#include <errno.h>

#include "core/base.h"
#include "offload/learn.h"
#include "session/session.h"

#define KC_LIE EBADE /* no driver's error: the kernel's answer differs from the base's */

/*
 * Like kc_session_run(), but writes req->out only if both agree: else -KC_LIE. @key: the session's.
 * Sets the times of @pair by the clock of @candidate; soft_ns stays 0 if memory is short for the
 * base's answer, and the kernel's is unchecked. Allocates a context of @base, which no other
 * request does: pairs are rare.
 */
int kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair);

#endif
