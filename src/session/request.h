/* SPDX-License-Identifier: Apache-2.0 */
/* A session's requests, one at a time or several in flight. */
#ifndef KC_SESSION_REQUEST_H
#define KC_SESSION_REQUEST_H

#include "session/flights.h"
#include "session/session.h"

/* Can the session take a request now? It must be open, and opened by this process. */
static inline bool kc_session_ready(struct kc_session *session)
{
	if (session->fd >= 0 && session->process_mark != kc_process_mark())
		kc_session_end(session);
	return session->fd >= 0;
}

/* In glibc since 2.32. If it is missing, expect threads. */
extern char __libc_single_threaded __attribute__((weak));

/*
 * May and can the driver work on the caller's memory? Nobody may write to pages that are lent to
 * it, nor fork, meanwhile: nobody does if this thread, which waits for the kernel, is the only one.
 */
static inline bool kc_session_is_direct(const struct kc_session *session, const struct kc_req *req)
{
	uintptr_t addresses = (uintptr_t)req->in | (uintptr_t)req->out;

	if (session->backend->copies || kc_alg_is_hash(session->alg))
		return true;
	return session->alg->kind != KC_AEAD && req->in != req->out &&
	       (addresses & session->alignmask) == 0 &&
	       (!session->lends_pages || (&__libc_single_threaded && __libc_single_threaded));
}

/* One request as in struct kc_backend, if the descriptor is still ours. */
int kc_session_ask(struct kc_session *session, const struct kc_req *req, uint8_t *room);

/*
 * Does one request. in and out may be the same, but must not overlap otherwise. 0: out is right.
 * -errno: the session is closed, except after -EBADMSG when an AEAD is decrypted; out is unchanged
 * if it is also the input, and always for an AEAD, which reveals no output that failed its check.
 */
int kc_session_run(struct kc_session *session, struct kc_candidate *candidate,
		   const struct kc_req *req);

/*
 * Like kc_session_run(), but in a job, which pauses until the request is done. *@ns: what it cost
 * the thread; 0: not known. -EAGAIN, which closes nothing: there is no job that may pause, or too
 * many requests are in flight.
 */
int kc_session_run_in_job(struct kc_session *session, struct kc_candidate *candidate,
			  const struct kc_req *req, uint64_t *ns);

/* A request that was submitted. */
struct kc_flight {
	uint64_t number;
	bool can_pause; /* in a job */
};

/*
 * Several requests in flight, of a backend that has submit() and reap(). submit: -EAGAIN, which
 * closes nothing: too many are in flight. reap: waits, or in a job pauses, unless told not to, and
 * then -EAGAIN: the request is still in flight. If a request failed, all others of the session are
 * dropped with it, and their output stays unwritten.
 */
int kc_session_submit(struct kc_session *session, struct kc_candidate *candidate,
		      const struct kc_req *req, struct kc_flight *flight);
int kc_session_reap(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_req *req, const struct kc_flight *flight, bool waits);

#endif
