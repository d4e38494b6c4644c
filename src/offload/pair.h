/* SPDX-License-Identifier: Apache-2.0 */
/* A pair: a request that the kernel and the base both do, with their answers compared. */
#ifndef KC_OFFLOAD_PAIR_H
#define KC_OFFLOAD_PAIR_H

#include <errno.h>

#include "core/base.h"
#include "policy/learn.h"
#include "session/request.h"

#define KC_LIE EBADE /* no driver's errno: the kernel's answer differs from the base's */

/*
 * Like kc_session_run(), but returns -KC_LIE if the answers differ. @key: the session's. Sets the
 * times of @pair; soft_ns stays 0 if memory is short for the base's answer: then the kernel's was
 * not checked. Allocates a context of @base, as no other request does; pairs are rare.
 */
int kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair);

#endif
