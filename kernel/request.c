// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of requests: one that waits, and several in flight. */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "kcrypto.h"

static unsigned int time_limit_ms = 10000;
module_param(time_limit_ms, uint, 0644);
MODULE_PARM_DESC(time_limit_ms, "milliseconds after which a driver's answer is not waited for any longer (10000)");

/* In jiffies, up to an hour. */
unsigned long kcrypto_time_limit(void)
{
	return msecs_to_jiffies(clamp(READ_ONCE(time_limit_ms), 1U, 3600000U)) + 1;
}

/* Ends the owner's part: the answer, or that there was none in time. */
static int end(struct kcrypto_job *job)
{
	int err = -ETIMEDOUT;

	if (completion_done(&job->done))
		err = kcrypto_job_result(job);
	else
		kcrypto_session_kill(job->session);
	kcrypto_job_put(job);
	return err;
}

int kcrypto_request_run(struct kcrypto_session *session, const struct kcrypto_request *req)
{
	struct kcrypto_job *job = kcrypto_job_new(session, req);

	if (IS_ERR(job))
		return PTR_ERR(job);
	kcrypto_job_start(job);
	if (wait_for_completion_killable_timeout(&job->done, kcrypto_time_limit()) >= 0)
		return end(job);
	kcrypto_job_put(job);
	return -EINTR;
}

/* Makes room where processes have gone that shared the session: nobody else may reap for them. */
static void drop_orphans(struct kcrypto_session *session, struct list_head *orphans)
{
	struct kcrypto_job *job, *next;

	list_for_each_entry_safe(job, next, &session->jobs, node)
		if (atomic_read(&job->mm->mm_users) == 0) {
			list_move(&job->node, orphans);
			session->count--;
		}
}

static void put_all(struct list_head *jobs)
{
	struct kcrypto_job *job, *next;

	list_for_each_entry_safe(job, next, jobs, node)
		kcrypto_job_put(job);
}

/*
 * In the list before it starts, as it may finish before start returns; and as another thread may
 * reap it then, this function has a reference of its own.
 */
int kcrypto_request_submit(struct kcrypto_session *session, const struct kcrypto_request *req)
{
	struct kcrypto_job *job = kcrypto_job_new(session, req);
	LIST_HEAD(orphans);
	bool has_room;

	if (IS_ERR(job))
		return PTR_ERR(job);
	spin_lock(&session->lock);
	if (session->count >= KCRYPTO_MAX_IN_FLIGHT)
		drop_orphans(session, &orphans);
	has_room = session->count < KCRYPTO_MAX_IN_FLIGHT;
	if (has_room) {
		session->count++;
		refcount_inc(&job->refs);
		list_add_tail(&job->node, &session->jobs);
	}
	spin_unlock(&session->lock);
	put_all(&orphans);
	if (has_room) {
		kcrypto_job_start(job);
		schedule_delayed_work(&session->clock, HZ);
	}
	kcrypto_job_put(job);
	return has_room ? 0 : -EAGAIN;
}

/*
 * A job of the caller's, of which @which may name one, that has finished or run out of time. Or an
 * error, -EAGAIN: there is none yet, -ENOENT: none was submitted.
 */
static struct kcrypto_job *find(struct kcrypto_session *session, const struct kcrypto_result *which,
				bool is_to_be_taken)
{
	struct kcrypto_job *job, *found = ERR_PTR(-ENOENT);

	spin_lock(&session->lock);
	list_for_each_entry(job, &session->jobs, node) {
		if (job->mm != current->mm || (which->flags & KCRYPTO_THIS &&
					       job->req.user_data != which->user_data))
			continue;
		found = ERR_PTR(-EAGAIN);
		if (which->flags & KCRYPTO_DROP || completion_done(&job->done) ||
		    time_after(jiffies, job->deadline)) {
			found = job;
			break;
		}
	}
	if (!IS_ERR(found) && is_to_be_taken) {
		list_del_init(&found->node);
		session->count--;
	}
	spin_unlock(&session->lock);
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
	/* What was submitted before may be reaped. */
	if (err && err != -ESHUTDOWN)
		return err;
	nowait |= result->flags & KCRYPTO_NOWAIT;
	err = wait_event_interruptible(session->wait, (job = find(session, result, true)) !=
							      ERR_PTR(-EAGAIN) || nowait);
	if (err)
		return err;
	if (IS_ERR(job))
		return PTR_ERR(job);
	result->user_data = job->req.user_data;
	if (result->flags & KCRYPTO_DROP) {
		result->error = -ECANCELED;
		kcrypto_job_put(job);
	} else {
		result->error = end(job);
	}
	return 0;
}

__poll_t kcrypto_request_poll(struct kcrypto_session *session)
{
	static const struct kcrypto_result any;
	int state = READ_ONCE(session->state);
	__poll_t events = state == KCRYPTO_DEAD ? EPOLLERR : 0;

	if (state == KCRYPTO_READY && READ_ONCE(session->count) < KCRYPTO_MAX_IN_FLIGHT)
		events = EPOLLOUT | EPOLLWRNORM;
	if (!IS_ERR(find(session, &any, false)))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

/* Each second, while there is something to be reaped. */
void kcrypto_request_clock(struct work_struct *work)
{
	struct kcrypto_session *session =
		container_of(to_delayed_work(work), struct kcrypto_session, clock);

	wake_up_all(&session->wait);
	if (READ_ONCE(session->count))
		schedule_delayed_work(&session->clock, HZ);
}

/* The file is closed, so nobody else sees the list: what has not finished is the driver's alone. */
void kcrypto_request_abandon(struct kcrypto_session *session)
{
	cancel_delayed_work_sync(&session->clock);
	put_all(&session->jobs);
}
