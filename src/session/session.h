/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context's session with a driver: opened when it pays, dropped after a fork, replaced after a
 * failure. Between two requests the kernel holds only the key.
 */
#ifndef KC_SESSION_SESSION_H
#define KC_SESSION_SESSION_H

#include <stdbool.h>

#include "core/process.h"
#include "policy/policy.h"

/* All other fields have a meaning only while the session is open. */
static inline void kc_session_init(struct kc_session *session)
{
	session->fd = -1;
}

/* 0 or -errno; counts towards the process's max_sessions. */
int kc_session_open(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_key *key);

/* Opens @to with the key and the message so far of @from: see struct kc_backend. 0 or -errno. */
int kc_session_copy(struct kc_session *to, const struct kc_session *from,
		    struct kc_candidate *candidate);

/*
 * To call at the context's end. A digest's session waits for the next context of @candidate and
 * still counts; all others are closed. resume: takes a waiting one, or returns false.
 */
void kc_session_leave(struct kc_session *session, const struct kc_candidate *candidate);
bool kc_session_resume(struct kc_session *session, const struct kc_candidate *candidate);

/* Closes all sessions that wait, as a policy is about to end: those of others are opened again. */
void kc_session_end_idle(void);

/*
 * Without a candidate, for code that inspects the kernel itself. begin: opens a session with
 * @driver, or with the kernel's own choice for "", in which ->limit is set; it counts for nobody,
 * and ends by kc_session_drop().
 */
int kc_session_begin(struct kc_session *session, const struct kc_backend *backend,
		     const struct kc_alg *alg, const char *driver, const struct kc_key *key);
void kc_session_drop(struct kc_session *session);

/* Does the kernel use software, whatever driver this backend asks for? May load modules. */
bool kc_session_is_software(const struct kc_backend *backend);

/* Closes an open session; kc_session_close() also accepts a closed one. Both leave errno alone. */
void kc_session_end(struct kc_session *session);

/* Inline: most contexts never have a session, and need no call. */
static inline void kc_session_close(struct kc_session *session)
{
	if (session->fd >= 0)
		kc_session_end(session);
}

#endif
