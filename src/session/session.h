/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context's session with a driver: opened when it pays, forgotten after a fork, replaced after a
 * failure. Nothing but the key is in the kernel between two requests.
 */
#ifndef KC_SESSION_SESSION_H
#define KC_SESSION_SESSION_H

#include <stdbool.h>

#include "policy/policy.h"

/* All else has a meaning only while it is open. */
static inline void kc_session_init(struct kc_session *session)
{
	session->fd = -1;
}

/* True if the session can take a request now: it is open, and opened by this process. */
bool kc_session_ready(struct kc_session *session);

/* 0 or -errno; counts against the process's max_sessions. */
int kc_session_open(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_key *key);

/*
 * The context's end. A digest's session waits for the next context of @candidate, and counts on;
 * all others are closed. resume: one that waits, or false.
 */
void kc_session_leave(struct kc_session *session, const struct kc_candidate *candidate);
bool kc_session_resume(struct kc_session *session, const struct kc_candidate *candidate);

/* Closes those that wait for contexts of this policy, which is about to end. */
void kc_session_end_idle(const struct kc_policy *policy);

/* Can the driver read and write where this request's memory is? */
bool kc_session_reaches(const struct kc_session *session, const struct kc_req *req);

/*
 * One request. in and out may be the same place, but not overlap otherwise. 0: out is right;
 * -errno: out is as it was where it is the input too, and always an AEAD's, which never shows what
 * it does not vouch for; and the session is closed, but not after -EBADMSG of an AEAD's decryption.
 */
int kc_session_run(struct kc_session *session, struct kc_candidate *candidate,
		   const struct kc_req *req);

/* Of one that is open; the next one of any. Both leave errno alone. */
void kc_session_end(struct kc_session *session);

/* Most contexts never have one: they pay for no call. */
static inline void kc_session_close(struct kc_session *session)
{
	if (session->fd >= 0)
		kc_session_end(session);
}

#endif
