/* SPDX-License-Identifier: Apache-2.0 */
/* A session's requests, one at a time or several in flight. */
#ifndef KC_SESSION_REQUEST_H
#define KC_SESSION_REQUEST_H

#include "session/flights.h"
#include "session/session.h"
#include "stats/stats.h"

/* Ends the session if another process, the parent, opened it. True if one is still open. */
static inline bool kc_session_keep_own(struct kc_session *session)
{
	if (session->fd >= 0 && session->process_mark != kc_process_mark())
		kc_session_end(session);
	return session->fd >= 0;
}

/* glibc has this since 2.32. Where it is missing, assume that there are threads. */
extern char __libc_single_threaded __attribute__((weak));

/*
 * True if the driver can and may work on the caller's memory. While pages are lent to a driver,
 * nothing may write to them, and no thread may fork. Nothing does if this thread, which waits for
 * the kernel, is the only one.
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

/* Does one request as in struct kc_backend; -EBADF if the descriptor is no longer the session's. */
int kc_session_ask(struct kc_session *session, const struct kc_req *req, uint8_t *room);

/* The same for any request and any backend: finds room if that is needed. */
int kc_session_ask_somewhere(struct kc_session *session, const struct kc_req *req);

/* Does the work of kc_session_run(), of which nothing is counted, and closes nothing. */
static inline int kc_session_do(struct kc_session *session, const struct kc_req *req)
{
	if (session->backend->copies)
		return session->backend->run(session, req, NULL);
	return kc_session_ask_somewhere(session, req);
}

/* Counts a failure of kc_session_do(), and returns as kc_session_run() does. */
int kc_session_failed(struct kc_session *session, const struct kc_candidate *candidate,
		      const struct kc_req *req, int err);

/*
 * Does one request. in and out may be the same, but must not overlap otherwise. 0: out is right.
 * -errno: the session is closed, except after -EBADMSG when an AEAD decrypts. Then out is unchanged
 * if it is also the input, and always for an AEAD: output that failed its check is never revealed.
 */
int kc_session_run(struct kc_session *session, struct kc_candidate *candidate,
		   const struct kc_req *req);

/*
 * The same for a candidate that has not failed, so that no failures need to be forgotten. Inline
 * where nothing is counted.
 */
static inline int kc_session_run_unfailed(struct kc_session *session,
					  struct kc_candidate *candidate, const struct kc_req *req)
{
	int err;

	if (kc_stats_counts())
		return kc_session_run(session, candidate, req);
	err = kc_session_do(session, req);
	if (err)
		return kc_session_failed(session, candidate, req, err);
	return 0;
}

/* True if a job that can pause may do so during this request. */
bool kc_session_may_pause(const struct kc_session *session, const struct kc_req *req);

/*
 * Like kc_session_run(), but in a job that may pause, which it does until the request is done.
 * *@ns: the request's cost to the thread; 0: not known. -EAGAIN, which closes nothing: too many
 * requests are in flight.
 */
int kc_session_run_in_job(struct kc_session *session, struct kc_candidate *candidate,
			  const struct kc_req *req, uint64_t *ns);

/* A request that was submitted. */
struct kc_flight {
	uint64_t number;
	bool can_pause; /* it is in a job */
};

/*
 * For a backend that has submit() and reap(): several requests in flight. submit: -EAGAIN, which
 * closes nothing, means that too many are in flight. reap: with @waits, it waits for the request,
 * or pauses in a job; without, it may return -EAGAIN: the request is still in flight. If a request
 * fails, the session's others are dropped with it, and their output stays unwritten.
 */
int kc_session_submit(struct kc_session *session, struct kc_candidate *candidate,
		      const struct kc_req *req, struct kc_flight *flight);
int kc_session_reap(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_req *req, const struct kc_flight *flight, bool waits);

#endif
