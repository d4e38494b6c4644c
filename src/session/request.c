/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a session. The backend makes the system calls. */
#include "session/request.h"

#include <errno.h>
#include <string.h>

#include "core/base.h"
#include "core/clock.h"
#include "session/buffers.h"
#include "session/identity.h"

/*
 * Most files that could have taken the descriptor's number would refuse the request. But a sandbox
 * entered since then may refuse fstat() with an error and yet kill for the request, as sshd's does.
 * That alone justifies the check, which costs 3 to 6 % of a request of 4 to 16 KiB.
 */
int kc_session_ask(struct kc_session *session, const struct kc_req *req, uint8_t *room)
{
	if (!kc_session_is_ours(session))
		return -EBADF;
	return session->backend->run(session, req, room);
}

__attribute__((cold)) int kc_session_failed(struct kc_session *session,
					    const struct kc_candidate *candidate,
					    const struct kc_req *req, int err)
{
	if (err == -EBADMSG && session->alg->kind == KC_AEAD && req->dir == KC_DECRYPT)
		return err;
	kc_stats_error(session->alg, candidate->backend_number, KC_STATS_REQUEST_FAILED);
	kc_session_close(session);
	/* Encryption compares no tag, so a device that reports a bad one has failed. */
	if (err == -EBADMSG)
		return -EIO;
	return err;
}

/*
 * Counts a request that the session was asked at @start, or whose time does not count, and returns
 * as kc_session_run() does.
 */
static int end(struct kc_session *session, struct kc_candidate *candidate, const struct kc_req *req,
	       int err, uint64_t start)
{
	if (err)
		return kc_session_failed(session, candidate, req, err);
	kc_stats_done(session->alg, candidate->backend_number, req->len, start);
	if (atomic_load_explicit(&candidate->failures, memory_order_relaxed))
		kc_rest_forget(candidate);
	return 0;
}

/* A function of its own, so that requests without room need not save its registers. */
static __attribute__((noinline)) int ask_in_room(struct kc_session *session,
						 const struct kc_req *req)
{
	uint8_t *room = kc_buffer_take();
	int err = room ? kc_session_ask(session, req, room) : -ENOMEM;
	/*
	 * Ciphertext is no secret. A stream cipher's output may be plaintext in either direction.
	 */
	bool is_secret = err || req->dir == KC_DECRYPT ||
			 (session->alg->stream && session->alg->kind == KC_CIPHER);

	kc_buffer_give(room, is_secret ? req->aad_len + req->len + session->tag_len : 0);
	return err;
}

__attribute__((noinline)) int kc_session_ask_somewhere(struct kc_session *session,
						       const struct kc_req *req)
{
	if (kc_session_is_direct(session, req))
		return kc_session_ask(session, req, NULL);
	return ask_in_room(session, req);
}

int kc_session_run(struct kc_session *session, struct kc_candidate *candidate,
		   const struct kc_req *req)
{
	uint64_t start = kc_stats_start();
	int err = kc_session_do(session, req);

	return end(session, candidate, req, err, start);
}

/*
 * Digests and random generators do not pause. A digest's caller may hold a lock of libcrypto, as
 * that of an X509 while its fingerprint is made, and another job would wait for it for ever.
 * OpenSSL's random generators have no lock, but another job could get the same numbers; they are
 * recognized because they encrypt zeros in place.
 */
bool kc_session_may_pause(const struct kc_session *session, const struct kc_req *req)
{
	static const uint8_t zeros[32];
	bool is_zeros;

	if (session->alg->kind == KC_DIGEST)
		return false;
	is_zeros = req->in == req->out && req->len >= sizeof(zeros) &&
		   memcmp(req->in, zeros, sizeof(zeros)) == 0;
	return !is_zeros || session->alg->iv_rule != KC_IV_ADD_BLOCKS;
}

int kc_session_submit(struct kc_session *session, struct kc_candidate *candidate,
		      const struct kc_req *req, struct kc_flight *flight)
{
	static KC_AT_LOAD atomic_uint last;
	int err;

	flight->can_pause = kc_job_can_pause() && kc_session_may_pause(session, req);
	/* Plus 1, so that it is never 0. */
	flight->number = (uint64_t)atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
	err = session->backend->submit(session, req, flight->number);
	if (!err)
		kc_flights_begin(session);
	if (!err || err == -EAGAIN)
		return err;
	return kc_session_failed(session, candidate, req, err);
}

struct moment {
	uint64_t wall, cpu; /* ns */
};

static struct moment now(void)
{
	return (struct moment){ kc_now_ns(), kc_thread_ns() };
}

/*
 * Waits for the request, in a job by pausing. During a pause anything may happen, except that
 * nobody uses the context. *@back: when it came back; @back may be NULL.
 */
static int await(struct kc_session *session, const struct kc_flight *flight, bool waits,
		 struct moment *back)
{
	bool blocks;
	int err;

	do {
		blocks = waits && (!flight->can_pause || !kc_job_pause(session->fd));
		if (back)
			*back = now();
		err = session->backend->reap(session, flight->number, blocks);
	} while (err == -EAGAIN && waits);
	if (err == -EAGAIN)
		return err;
	kc_flights_end(session);
	return err;
}

int kc_session_reap(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_req *req, const struct kc_flight *flight, bool waits)
{
	int err = await(session, flight, waits, NULL);

	if (err == -EAGAIN)
		return err;
	return end(session, candidate, req, err, 0);
}

/*
 * Returns the request's cost in nanoseconds: the thread's own work until it went @away and since it
 * came @back, plus a share of the time in between in which it had nothing else to do, divided among
 * @depth requests.
 */
static uint64_t cost(const struct kc_candidate *candidate, const struct moment at[3],
		     unsigned depth)
{
	const struct moment *begin = &at[0], *away = &at[1], *back = &at[2], end = now();
	uint64_t wall = back->wall - away->wall, cpu = back->cpu - away->cpu;

	if (candidate->terms.prefer == KC_PREFER_CPU)
		return away->cpu - begin->cpu + end.cpu - back->cpu;
	return away->wall - begin->wall + end.wall - back->wall +
	       (wall > cpu ? wall - cpu : 0) / depth;
}

int kc_session_run_in_job(struct kc_session *session, struct kc_candidate *candidate,
			  const struct kc_req *req, uint64_t *ns)
{
	bool is_timed = req->len >= kc_terms_floor(&candidate->terms);
	struct kc_flight flight;
	struct moment at[3];
	unsigned depth;
	int err;

	*ns = 0;
	at[0] = is_timed ? now() : (struct moment){ 0 };
	err = kc_session_submit(session, candidate, req, &flight);
	if (err)
		return err;
	depth = (unsigned)kc_max(kc_session_flights(), 1);
	at[1] = is_timed ? now() : at[0];
	err = await(session, &flight, true, is_timed ? &at[2] : NULL);
	err = end(session, candidate, req, err, 0);
	if (!err && is_timed)
		*ns = cost(candidate, at, depth);
	return err;
}
