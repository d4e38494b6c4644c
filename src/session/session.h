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
#include "session/descriptors.h"

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

/* Closes the sessions that wait for contexts of this policy, which is about to end. */
void kc_session_end_idle(const struct kc_policy *policy);

/* Can the driver directly read and write this request's memory? */
bool kc_session_reaches(const struct kc_session *session, const struct kc_req *req);

/*
 * Does one request. in and out may be the same, but must not overlap otherwise. 0: out is right.
 * -errno: the session is closed, except after -EBADMSG when an AEAD is decrypted; out is unchanged
 * if it is also the input, and always for an AEAD, which reveals no output that failed its check.
 */
int kc_session_run(struct kc_session *session, struct kc_candidate *candidate,
		   const struct kc_req *req);

/* Is this thread in a job? */
bool kc_session_is_in_job(void);

/*
 * Like kc_session_run(); but in a job (session/jobs.h) that can pause, this pauses until it is
 * done, and then this returns KC_WAS_IN_FLIGHT instead of 0; ->flight_ns is what it cost the
 * thread.
 */
#define KC_WAS_IN_FLIGHT 1
int kc_session_run_in_job(struct kc_session *session, struct kc_candidate *candidate,
			  const struct kc_req *req);

static inline int kc_session_run_or_pause(struct kc_session *session,
					  struct kc_candidate *candidate, const struct kc_req *req)
{
	return session->backend->submit && kc_session_is_in_job() ?
		       kc_session_run_in_job(session, candidate, req) :
		       kc_session_run(session, candidate, req);
}

/* How many requests does this thread have in flight? */
unsigned kc_session_flights(void);

/* Those of a session that ends are over. */
void kc_session_forget_flights(struct kc_session *session);

/* A request that was submitted. */
struct kc_flight {
	uint64_t number;
	bool can_pause; /* in a job */
};

/*
 * Several requests in flight, of a backend that has submit() and reap(). submit: -EAGAIN, which
 * closes nothing: too many are in flight. reap: waits, or in a job pauses; if a request failed, all
 * others of the session are dropped with it, and their output stays unwritten. reap_done: does not
 * wait; -EAGAIN: the request is still in flight.
 */
int kc_session_submit(struct kc_session *session, struct kc_candidate *candidate,
		      const struct kc_req *req, struct kc_flight *flight);
int kc_session_reap(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_req *req, const struct kc_flight *flight);
int kc_session_reap_done(struct kc_session *session, struct kc_candidate *candidate,
			 const struct kc_req *req, const struct kc_flight *flight);

/*
 * Without a candidate, for code that inspects the kernel itself. begin: opens a session with
 * @driver, or with the kernel's own choice for "", in which ->limit is set; it counts for nobody,
 * and ends by kc_session_drop(). ask: one request as in struct kc_backend, if the descriptor is
 * still ours.
 */
int kc_session_begin(struct kc_session *session, const struct kc_backend *backend,
		     const struct kc_alg *alg, const char *driver, const struct kc_key *key);
void kc_session_drop(struct kc_session *session);
int kc_session_ask(struct kc_session *session, const struct kc_req *req, uint8_t *room);

/* Is the descriptor still ours, or will the backend find out? */
static inline bool kc_session_is_ours(const struct kc_session *session)
{
	return session->backend->copies || kc_identity_holds(session);
}

/* Does the kernel use software, whatever driver this candidate asks for? May load modules. */
bool kc_session_is_software(const struct kc_candidate *candidate);

/* Closes an open session; kc_session_close() also accepts a closed one. Both leave errno alone. */
void kc_session_end(struct kc_session *session);

/* Can the session take a request now? It must be open, and opened by this process. */
static inline bool kc_session_ready(struct kc_session *session)
{
	if (session->fd >= 0 && session->process_mark != kc_process_mark())
		kc_session_end(session);
	return session->fd >= 0;
}

/* Inline: most contexts never have a session, and need no call. */
static inline void kc_session_close(struct kc_session *session)
{
	if (session->fd >= 0)
		kc_session_end(session);
}

#endif
