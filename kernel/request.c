// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of requests: one that waits, and several in flight. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kcrypto.h"

/* Returns a job with its input, or an error. */
static struct kcrypto_job *job_from_user(struct kcrypto_session *session,
					 const struct kcrypto_request __user *arg, size_t size)
{
	struct kcrypto_request req;
	int err;

	err = copy_struct_from_user(&req, sizeof(req), arg, size);
	if (!err)
		err = kcrypto_session_check(session, req.session);
	return err ? ERR_PTR(err) : kcrypto_job_new(session, &req);
}

long kcrypto_ioctl_run(struct kcrypto_session *session, const struct kcrypto_request __user *arg,
		       size_t size)
{
	struct kcrypto_job *job = job_from_user(session, arg, size);
	long left, err;

	if (IS_ERR(job))
		return PTR_ERR(job);
	kcrypto_job_start(job);
	left = wait_for_completion_killable_timeout(&job->done, kcrypto_time_limit());
	if (left > 0) {
		err = kcrypto_job_result(job);
	} else if (left < 0) {
		err = -EINTR;
	} else {
		kcrypto_session_kill(session);
		err = -ETIMEDOUT;
	}
	kcrypto_job_put(job);
	return err;
}

/* In the list before it starts, as it may finish before start returns. */
static int enlist(struct kcrypto_session *session, struct kcrypto_job *job)
{
	int err = 0;

	spin_lock(&session->lock);
	if (session->count >= KCRYPTO_MAX_IN_FLIGHT) {
		err = -EAGAIN;
	} else {
		session->count++;
		list_add_tail(&job->node, &session->jobs);
	}
	spin_unlock(&session->lock);
	return err;
}

/* Another thread may reap it as soon as it is in the list: hence a reference for this function. */
long kcrypto_ioctl_submit(struct kcrypto_session *session,
			  const struct kcrypto_request __user *arg, size_t size)
{
	struct kcrypto_job *job = job_from_user(session, arg, size);
	long err;

	if (IS_ERR(job))
		return PTR_ERR(job);
	refcount_inc(&job->refs);
	job->deadline = jiffies + kcrypto_time_limit();
	err = enlist(session, job);
	if (err)
		kcrypto_job_put(job);
	else
		kcrypto_job_start(job);
	kcrypto_job_put(job);
	return err;
}

static bool is_done(const struct kcrypto_job *job)
{
	return completion_done((struct completion *)&job->done);
}

static bool is_late(const struct kcrypto_job *job)
{
	return time_after(jiffies, job->deadline);
}

/* The caller's first job that has finished, or ran out of time. Under the lock. */
static struct kcrypto_job *first_done(const struct kcrypto_session *session)
{
	struct kcrypto_job *job;

	list_for_each_entry(job, &session->jobs, node)
		if (job->mm == current->mm && (is_done(job) || is_late(job)))
			return job;
	return NULL;
}

/* Takes a job off the list; -EAGAIN: none has finished, -ENOENT: none was submitted. */
static struct kcrypto_job *take(struct kcrypto_session *session)
{
	struct kcrypto_job *job, *other;
	int err = -ENOENT;

	spin_lock(&session->lock);
	job = first_done(session);
	if (job) {
		list_del_init(&job->node);
		session->count--;
	} else {
		list_for_each_entry(other, &session->jobs, node)
			if (other->mm == current->mm)
				err = -EAGAIN;
	}
	spin_unlock(&session->lock);
	return job ? job : ERR_PTR(err);
}

static bool may_take(struct kcrypto_session *session)
{
	bool may;

	spin_lock(&session->lock);
	may = first_done(session);
	spin_unlock(&session->lock);
	return may;
}

/* Waits in short pieces: the time limit ends a wait, too, and wakes nobody. */
static struct kcrypto_job *wait_for_one(struct kcrypto_session *session, bool nowait)
{
	struct kcrypto_job *job;

	for (;;) {
		job = take(session);
		if (job != ERR_PTR(-EAGAIN) || nowait)
			return job;
		if (wait_event_interruptible_timeout(session->wait, may_take(session), HZ) < 0)
			return ERR_PTR(-ERESTARTSYS);
	}
}

long kcrypto_ioctl_reap(struct kcrypto_session *session, struct kcrypto_result __user *arg,
			size_t size, bool nowait)
{
	struct kcrypto_result result;
	struct kcrypto_job *job;
	int err;

	err = copy_struct_from_user(&result, sizeof(result), arg, size);
	if (err)
		return err;
	if (result.flags & ~KCRYPTO_NOWAIT)
		return -EINVAL;
	err = kcrypto_session_check(session, result.session);
	/* What was submitted before may be reaped. */
	if (err && err != -ESHUTDOWN)
		return err;
	job = wait_for_one(session, nowait || result.flags & KCRYPTO_NOWAIT);
	if (IS_ERR(job))
		return PTR_ERR(job);
	if (is_done(job)) {
		result.error = kcrypto_job_result(job);
	} else {
		kcrypto_session_kill(session);
		result.error = -ETIMEDOUT;
	}
	result.user_data = job->req.user_data;
	kcrypto_job_put(job);
	return copy_to_user(arg, &result, min(size, sizeof(result))) ? -EFAULT : 0;
}

__poll_t kcrypto_poll_jobs(struct kcrypto_session *session, struct file *file, poll_table *wait)
{
	__poll_t events = 0;

	poll_wait(file, &session->wait, wait);
	switch (smp_load_acquire(&session->state)) {
	case KCRYPTO_READY:
		if (READ_ONCE(session->count) < KCRYPTO_MAX_IN_FLIGHT)
			events = EPOLLOUT | EPOLLWRNORM;
		break;
	case KCRYPTO_DEAD:
		events = EPOLLERR;
	}
	if (may_take(session))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

/* Nobody will reap them any more: what has not finished is the driver's alone. */
void kcrypto_jobs_abandon(struct kcrypto_session *session)
{
	struct kcrypto_job *job, *next;
	LIST_HEAD(jobs);

	spin_lock(&session->lock);
	list_splice_init(&session->jobs, &jobs);
	session->count = 0;
	spin_unlock(&session->lock);
	list_for_each_entry_safe(job, next, &jobs, node)
		kcrypto_job_put(job);
}
