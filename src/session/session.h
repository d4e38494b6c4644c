/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context's session with a driver: opened when that pays, dropped after a fork, replaced after a
 * failure. Between two requests the kernel holds only the key.
 */
#ifndef KC_SESSION_SESSION_H
#define KC_SESSION_SESSION_H

#include <stdbool.h>

#include "core/process.h"
#include "policy/policy.h"

/* Marks the session as closed. Its other fields have a meaning only while it is open. */
static inline void kc_session_init(struct kc_session *session)
{
	session->fd = -1;
}

/* Opens a session, which counts towards the process's max_sessions. 0 or -errno. */
int kc_session_open(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_key *key);

/* Opens @to with @from's key and message so far, as struct kc_backend says. 0 or -errno. */
int kc_session_copy(struct kc_session *to, const struct kc_session *from,
		    struct kc_candidate *candidate);

/*
 * Call leave at the context's end. A digest's session then waits for the next context of
 * @candidate, and still counts; all others are closed. resume: takes a waiting session; false:
 * there is none.
 */
void kc_session_leave(struct kc_session *session, const struct kc_candidate *candidate);
bool kc_session_resume(struct kc_session *session, const struct kc_candidate *candidate);

/*
 * Closes all waiting sessions because a policy ends; other policies open theirs again when needed.
 */
void kc_session_end_idle(void);

/*
 * For code that inspects the kernel itself, without a candidate. begin: opens a session with
 * @driver, or for "" with the kernel's choice; the caller has set ->limit. 0 or -errno. The session
 * does not count, and ends by kc_session_drop().
 */
int kc_session_begin(struct kc_session *session, const struct kc_backend *backend,
		     const struct kc_alg *alg, const char *driver, const struct kc_key *key);
void kc_session_drop(struct kc_session *session);

/* True if the kernel uses software whichever driver this backend asks for. May load modules. */
bool kc_session_probe_software(const struct kc_backend *backend);

/* Closes an open session; kc_session_close() also accepts a closed one. Both preserve errno. */
void kc_session_end(struct kc_session *session);

/* Inline, because most contexts never have a session. */
static inline void kc_session_close(struct kc_session *session)
{
	if (session->fd >= 0)
		kc_session_end(session);
}

#endif
