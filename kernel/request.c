// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of requests: one that waits, and several in flight. */
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "kcrypto.h"

static bool kcrypto_job_is_lost(const struct kcrypto_job *job)
{
	return READ_ONCE(job->stage) == KCRYPTO_LOST;
}

/* Ends the owner's part of a job that is done: the answer, or -ETIMEDOUT. */
static int kcrypto_request_end(struct kcrypto_job *job)
{
	int err = -ETIMEDOUT;

	if (kcrypto_job_is_lost(job)) {
		kcrypto_session_kill(job->session);
		kcrypto_count(KCRYPTO_N_TIMEOUTS, 1);
	} else {
		err = kcrypto_job_result(job);
	}
	kcrypto_job_put(job);
	return err;
}

int kcrypto_request_run(struct kcrypto_session *session, const struct kcrypto_request *req)
{
	struct kcrypto_job *job = kcrypto_job_new(session, req);

	if (IS_ERR(job))
		return PTR_ERR(job);
	kcrypto_job_start(job);
	if (!kcrypto_wait_freezable(&job->done))
		return kcrypto_request_end(job);
	kcrypto_job_abandon(job);
	return -EINTR;
}

/* Addresses belong to a process, and to the program that it runs. */
static bool kcrypto_job_is_mine(const struct kcrypto_job *job)
{
	if (job->pid != task_tgid(current))
		return false;
	return job->exec == current->self_exec_id;
}

/* True if nobody can reap it: the process has ended, or runs another program. */
static bool kcrypto_job_is_orphan(const struct kcrypto_job *job)
{
	const struct task_struct *task;
	bool is_orphan = true;

	rcu_read_lock();
	task = pid_task(job->pid, PIDTYPE_TGID);
	if (task)
		is_orphan = !atomic_read(&task->signal->live) ||
			    READ_ONCE(task->self_exec_id) != job->exec;
	rcu_read_unlock();
	return is_orphan;
}

/* Call it under the session's lock. */
static void kcrypto_request_unlist(struct kcrypto_job *job)
{
	list_del_init(&job->node);
	job->session->count--;
}

/* A place has become free. The caller keeps the session's file open. */
static void kcrypto_request_has_room(struct kcrypto_session *session)
{
	kcrypto_session_wake_for(session, EPOLLOUT | EPOLLWRNORM);
}

static void kcrypto_request_abandon_all(struct list_head *jobs)
{
	struct kcrypto_job *job, *next;

	list_for_each_entry_safe(job, next, jobs, node)
		kcrypto_job_abandon(job);
}

static void kcrypto_request_abandon_orphans(struct kcrypto_session *session,
					    struct list_head *orphans)
{
	if (list_empty(orphans))
		return;
	kcrypto_request_abandon_all(orphans);
	kcrypto_request_has_room(session);
}

/* Collects the requests of processes that have ended, which shared the session. */
static void kcrypto_request_find_orphans(struct kcrypto_session *session,
					 struct list_head *orphans)
{
	struct kcrypto_job *job, *next;

	list_for_each_entry_safe(job, next, &session->jobs, node) {
		if (kcrypto_job_is_orphan(job)) {
			kcrypto_request_unlist(job);
			list_add(&job->node, orphans);
		}
	}
}

/* A process closes its descriptor: nobody can reap what it has not reaped by its end. */
void kcrypto_request_flush(struct kcrypto_session *session)
{
	LIST_HEAD(orphans);

	if (!(current->flags & PF_EXITING))
		return;
	spin_lock(&session->lock);
	kcrypto_request_find_orphans(session, &orphans);
	spin_unlock(&session->lock);
	kcrypto_request_abandon_orphans(session, &orphans);
}

/*
 * Puts the job into the list before it starts, because it may finish before start returns. Another
 * thread may then reap it, so this function has a reference of its own.
 */
int kcrypto_request_submit(struct kcrypto_session *session, const struct kcrypto_request *req)
{
	struct kcrypto_job *job = kcrypto_job_new(session, req);
	LIST_HEAD(orphans);
	bool has_room;

	if (IS_ERR(job))
		return PTR_ERR(job);
	kcrypto_job_submit(job);
	spin_lock(&session->lock);
	if (session->count >= KCRYPTO_MAX_IN_FLIGHT)
		kcrypto_request_find_orphans(session, &orphans);
	has_room = session->count < KCRYPTO_MAX_IN_FLIGHT;
	if (has_room) {
		session->count++;
		refcount_inc(&job->refs);
		list_add_tail(&job->node, &session->jobs);
	}
	spin_unlock(&session->lock);
	kcrypto_request_abandon_orphans(session, &orphans);
	if (has_room)
		kcrypto_job_start(job);
	kcrypto_job_put(job);
	return has_room ? 0 : -EAGAIN;
}

static bool kcrypto_request_is_meant(const struct kcrypto_job *job,
				     const struct kcrypto_result *which)
{
	if (!kcrypto_job_is_mine(job))
		return false;
	if (!(which->flags & KCRYPTO_THIS))
		return true;
	return job->req.user_data == which->user_data;
}

/*
 * Takes a finished job of the caller from the list; @which may name one. -EAGAIN: none has
 * finished; -ENOENT: none was submitted.
 */
static struct kcrypto_job *kcrypto_request_take(struct kcrypto_session *session,
						const struct kcrypto_result *which)
{
	struct kcrypto_job *job, *found = ERR_PTR(-ENOENT);
	bool was_full;

	spin_lock(&session->lock);
	was_full = session->count >= KCRYPTO_MAX_IN_FLIGHT;
	list_for_each_entry(job, &session->jobs, node) {
		if (!kcrypto_request_is_meant(job, which))
			continue;
		if (which->flags & KCRYPTO_DROP || completion_done(&job->done)) {
			found = job;
			break;
		}
		found = ERR_PTR(-EAGAIN);
	}
	if (!IS_ERR(found))
		kcrypto_request_unlist(found);
	spin_unlock(&session->lock);
	/* Another thread may wait for the one that is dropped. */
	if (!IS_ERR(found) && (was_full || which->flags & KCRYPTO_DROP))
		kcrypto_request_has_room(session);
	return found;
}

int kcrypto_request_reap(struct kcrypto_session *session, struct kcrypto_result *result,
			 bool nowait)
{
	int err = kcrypto_session_check(session, result->session);
	struct kcrypto_job *job;

	if (result->flags & ~(KCRYPTO_NOWAIT | KCRYPTO_THIS | KCRYPTO_DROP) ||
	    (result->flags & (KCRYPTO_THIS | KCRYPTO_DROP)) == KCRYPTO_DROP)
		return -EINVAL;
	/* Requests that were submitted before may still be reaped. */
	if (err && err != -ESHUTDOWN)
		return err;
	nowait |= result->flags & KCRYPTO_NOWAIT;
	err = wait_event_interruptible(session->wait,
				       (job = kcrypto_request_take(session, result)) !=
						       ERR_PTR(-EAGAIN) || nowait);
	if (err)
		return err;
	if (IS_ERR(job))
		return PTR_ERR(job);
	result->user_data = job->req.user_data;
	if (result->flags & KCRYPTO_DROP) {
		result->error = -ECANCELED;
		kcrypto_job_abandon(job);
	} else {
		result->error = kcrypto_request_end(job);
	}
	return 0;
}

/*
 * True if a job of the caller has finished. A kernel thread asks for an unknown process
 * (IOCB_CMD_POLL), so it gets the answer for all processes.
 */
static bool kcrypto_request_is_ready(struct kcrypto_session *session)
{
	bool is_for_all = current->flags & PF_KTHREAD, is_ready = false;
	struct kcrypto_job *job;

	spin_lock(&session->lock);
	list_for_each_entry(job, &session->jobs, node) {
		if ((is_for_all || kcrypto_job_is_mine(job)) && completion_done(&job->done)) {
			is_ready = true;
			break;
		}
	}
	spin_unlock(&session->lock);
	return is_ready;
}

/* The caller is in the session's list of waiters already. */
__poll_t kcrypto_request_poll(struct kcrypto_session *session)
{
	int state = READ_ONCE(session->state);
	__poll_t events = state == KCRYPTO_DEAD ? EPOLLERR : 0;

	if (state == KCRYPTO_READY && READ_ONCE(session->count) < KCRYPTO_MAX_IN_FLIGHT)
		events = EPOLLOUT | EPOLLWRNORM;
	if (kcrypto_request_is_ready(session))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

/* The file is closed, so nobody else sees the list. Only the driver has what has not finished. */
void kcrypto_request_abandon(struct kcrypto_session *session)
{
	kcrypto_request_abandon_all(&session->jobs);
}
