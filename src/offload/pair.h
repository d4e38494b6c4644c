/* SPDX-License-Identifier: Apache-2.0 */
/* A request done both ways, by the kernel and by the base, and compared. */
#ifndef KC_OFFLOAD_PAIR_H
#define KC_OFFLOAD_PAIR_H

#include <errno.h>

#include "core/base.h"
#include "policy/learn.h"
#include "session/request.h"

#define KC_LIE EBADE /* no driver's error: the kernel's answer differs from the base's */

/*
 * Like kc_session_run(), but if the answers differ it has failed, with -KC_LIE. @key: that of the
 * session. Sets the times of @pair; soft_ns stays 0 if memory is short for the base's answer, and
 * the kernel's is unchecked. Allocates a context of @base, which no other request does: pairs are
 * rare.
 */
int kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair);

#endif
