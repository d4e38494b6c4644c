/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes sessions, and keeps idle ones. The backend makes the system calls. */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/process.h"
#include "session/flights.h"
#include "session/identity.h"
#include "stats/stats.h"

/*
 * A few open sessions that belong to no context, each for the next context of its candidate. Slots
 * are taken atomically: no lock, no allocation. A slot is empty, full, or in the hands of one
 * thread, which then owns its session.
 */
#define SLOTS 8

static KC_AT_LOAD struct slot {
	atomic_uintptr_t of; /* 0, the candidate's address, or an odd number: see in_hands() */
	struct kc_session session;
} slots[SLOTS];

/* The value of a slot that is in the hands of a thread of this process. */
static uintptr_t in_hands(void)
{
	return (uintptr_t)kc_process_mark() << 1 | 1;
}

/*
 * After a fork, the thread that had a slot in hands does not exist in the child: the slot is empty.
 */
static bool is_empty(uintptr_t of)
{
	if (of & 1)
		return of != in_hands();
	return of == 0;
}

static bool grab(struct slot *slot, uintptr_t of)
{
	return atomic_compare_exchange_strong(&slot->of, &of, in_hands());
}

/* Moves a session of @candidate, or of any for NULL, to @session. False: there is none. */
static bool take_idle(struct kc_session *session, const struct kc_candidate *candidate)
{
	for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
		uintptr_t of = atomic_load_explicit(&slot->of, memory_order_relaxed);

		if (of == 0 || of & 1)
			continue;
		if (candidate && of != (uintptr_t)candidate)
			continue;
		if (!grab(slot, of))
			continue;
		*session = slot->session;
		atomic_store(&slot->of, 0);
		return true;
	}
	return false;
}

/* Swaps the contents of @slot and @session. False: another thread was faster. */
static bool exchange(struct slot *slot, uintptr_t of, struct kc_session *session,
		     const struct kc_candidate *candidate)
{
	struct kc_session kept = *session;

	if (!grab(slot, of))
		return false;
	if (is_empty(of))
		session->fd = -1;
	else
		*session = slot->session;
	slot->session = kept;
	atomic_store(&slot->of, (uintptr_t)candidate);
	return true;
}

/*
 * Keeps @session in a slot, and returns in its place a session to close: the one that had to make
 * room, a closed one, or @session itself if no slot could be taken.
 */
static void put_idle(struct kc_session *session, const struct kc_candidate *candidate)
{
	static atomic_uint turn;
	struct slot *oldest;
	uintptr_t of;

	for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
		of = atomic_load_explicit(&slot->of, memory_order_relaxed);
		if (is_empty(of) && exchange(slot, of, session, candidate))
			return;
	}
	oldest = &slots[atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % SLOTS];
	of = atomic_load_explicit(&oldest->of, memory_order_relaxed);
	if (!(of & 1))
		exchange(oldest, of, session, candidate);
}

/*
 * Counts one more session; at the maximum, an idle session has to make room. False: there is none.
 */
static bool take_place(unsigned max)
{
	struct kc_session idle;

	while (atomic_fetch_add(kc_process_sessions(), 1) >= max) {
		atomic_fetch_sub(kc_process_sessions(), 1);
		if (!take_idle(&idle, NULL))
			return false;
		kc_session_end(&idle);
	}
	return true;
}

/* Bytes of text in one request: with an AEAD, AAD and tag count towards KC_MAX_REQUEST, too. */
static size_t limit_of(const struct kc_candidate *candidate, const struct kc_key *key)
{
	size_t rest = KC_MAX_REQUEST - KC_MAX_AAD - key->tag_len;

	if (candidate->alg->kind != KC_AEAD)
		return candidate->max_request;
	return kc_min(rest, candidate->max_request);
}

/*
 * Does nothing if the descriptor is no longer the session's; it may not be in any process that has
 * a copy.
 */
void kc_session_drop(struct kc_session *session)
{
	if (!kc_session_is_ours(session))
		return;
	if (session->backend->close)
		session->backend->close(session);
	else
		syscall(SYS_close, session->fd);
}

/*
 * Moves @fd above 2, or returns -errno: a program that was started without descriptors 0, 1 and 2
 * writes to these numbers all the same. This fcntl() is no cancellation point.
 */
static int above_standard(int fd)
{
	int moved;

	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		moved = -errno;
	syscall(SYS_close, fd);
	return moved;
}

/*
 * Returns 0 if this sandbox and a quarter of the descriptor limit allow one more session; else
 * -errno.
 */
static int check_limits(void)
{
	struct rlimit limit;

	if (!kc_sandbox_permits())
		return -EPERM;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return -errno;
	if (atomic_load(kc_process_sessions()) > limit.rlim_cur / 4)
		return -EMFILE;
	return 0;
}

/* Makes the descriptor that the backend opened the session's. 0 or -errno. */
static int take_descriptor(struct kc_session *session)
{
	int err;

	session->fd = above_standard(session->fd);
	if (session->fd < 0)
		return session->fd;
	if (session->backend->copies)
		return 0;
	err = kc_identity_note(session);
	if (err)
		syscall(SYS_close, session->fd);
	return err;
}

/* Policies leave such a driver out, but not every caller has a policy. */
static bool is_out_of_reach(const struct kc_backend *backend, const char *driver)
{
	if (backend->copies || !kc_name_needs_low_memory(driver))
		return false;
	return kc_memory_is_high();
}

int kc_session_begin(struct kc_session *session, const struct kc_backend *backend,
		     const struct kc_alg *alg, const char *driver, const struct kc_key *key)
{
	int err = check_limits();

	session->backend = backend;
	session->alg = alg;
	session->tag_len = key->tag_len;
	session->is_blocks = key->is_blocks;
	session->alignmask = 0;
	session->lends_pages = false;
	session->in_flight = 0;
	session->process_mark = kc_process_mark();
	if (!err && is_out_of_reach(backend, driver))
		err = -EFAULT;
	if (!err)
		err = backend->open(session, driver, key);
	if (!err)
		err = take_descriptor(session);
	if (err)
		session->fd = -1;
	return err;
}

/*
 * Opens a session with the candidate's driver. A backend with identify() may serve another driver:
 * until the candidate is trusted, it takes whichever the kernel gives, and records it; once
 * trusted, it asks for that one.
 */
static int open_and_meet(struct kc_session *session, struct kc_candidate *candidate,
			 const struct kc_key *key)
{
	const struct kc_backend *backend = candidate->backend;
	bool is_first = backend->identify && atomic_load(&candidate->trust) != KC_TRUSTED;
	const char *driver = is_first ? "" : kc_candidate_bind(candidate);
	struct kc_driver got;
	int err = kc_session_begin(session, backend, candidate->alg, driver, key);

	if (err || !is_first)
		return err;
	err = backend->identify(session, &got);
	if (!err)
		err = kc_candidate_meet(candidate, &got);
	if (err)
		kc_session_drop(session);
	return err;
}

bool kc_session_probe_software(const struct kc_backend *backend)
{
	if (!backend->hides_hardware || !kc_sandbox_permits())
		return false;
	return backend->hides_hardware();
}

int kc_session_open(struct kc_session *session, struct kc_candidate *candidate,
		    const struct kc_key *key)
{
	int err;

	if (!take_place(candidate->max_sessions))
		return -EMFILE;
	session->limit = limit_of(candidate, key);
	err = open_and_meet(session, candidate, key);
	if (!err && candidate->traits && !candidate->backend->copies)
		session->alignmask |= kc_traits_alignmask(candidate->traits);
	if (err) {
		kc_stats_error(candidate->alg, candidate->backend_number, KC_STATS_OPEN_FAILED);
		session->fd = -1;
		atomic_fetch_sub(kc_process_sessions(), 1);
	}
	return err;
}

int kc_session_copy(struct kc_session *to, const struct kc_session *from,
		    struct kc_candidate *candidate)
{
	int err;

	if (!take_place(candidate->max_sessions))
		return -EMFILE;
	*to = *from;
	to->in_flight = 0;
	err = -ECONNRESET;
	if (kc_session_is_ours(from))
		err = check_limits();
	if (!err)
		err = from->backend->copy(to, from);
	if (!err)
		err = take_descriptor(to);
	if (err) {
		to->fd = -1;
		atomic_fetch_sub(kc_process_sessions(), 1);
	}
	return err;
}

void kc_session_end(struct kc_session *session)
{
	int saved_errno = errno; /* the application may be in the middle of an init or a free */

	kc_session_drop(session);
	if (session->in_flight)
		kc_session_forget_flights(session);
	if (session->process_mark == kc_process_mark())
		atomic_fetch_sub(kc_process_sessions(), 1);
	session->fd = -1;
	errno = saved_errno;
}

/*
 * A session with a key must not outlive the key's owner, so only a digest's may wait. The session
 * of a driver that lied is useless.
 */
static bool may_wait(const struct kc_session *session, const struct kc_candidate *candidate)
{
	if (candidate->alg->kind != KC_DIGEST || session->process_mark != kc_process_mark())
		return false;
	return atomic_load_explicit(&candidate->trust, memory_order_relaxed) != KC_REFUSED;
}

void kc_session_leave(struct kc_session *session, const struct kc_candidate *candidate)
{
	if (may_wait(session, candidate))
		put_idle(session, candidate);
	kc_session_close(session);
}

bool kc_session_resume(struct kc_session *session, const struct kc_candidate *candidate)
{
	while (candidate->alg->kind == KC_DIGEST && take_idle(session, candidate)) {
		if (!kc_sandbox_permits()) {
			put_idle(session, candidate);
			kc_session_close(session);
			return false;
		}
		if (session->process_mark == kc_process_mark())
			return true;
		kc_session_end(session);
	}
	return false;
}

void kc_session_end_idle(void)
{
	struct kc_session session;

	while (take_idle(&session, NULL))
		kc_session_end(&session);
}
