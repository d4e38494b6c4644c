// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests on their way to a device. A driver's own queue is first come, first served, so a full
 * one makes everybody wait. Therefore the driver gets only as many requests as keep its device busy
 * (window.c); the others wait here, and users are served in turn.
 *
 * The clock is here, too. Age alone kills no request: it must be the driver's oldest, or the driver
 * must have answered none at all in the meantime.
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>

#include "kcrypto.h"

static unsigned int kcrypto_time_limit_ms = 10000;
module_param_named(time_limit_ms, kcrypto_time_limit_ms, uint, 0644);
MODULE_PARM_DESC(time_limit_ms,
		 "milliseconds without an answer after which callers stop waiting (10000)");

/* Returns the limit in jiffies; at most an hour. */
unsigned long kcrypto_time_limit(void)
{
	return msecs_to_jiffies(clamp(READ_ONCE(kcrypto_time_limit_ms), 1U, 3600000U)) + 1;
}

static struct kcrypto_queue *kcrypto_queue_of(const struct kcrypto_job *job)
{
	return job->share->queue;
}

/*
 * Now and then, while others wait, a request is sent alone, to measure its time. Not while a caller
 * is on its way to the driver, which may take any time.
 */
static bool kcrypto_queue_has_room(const struct kcrypto_queue *queue, const struct kcrypto_job *job)
{
	if (!queue->n_started)
		return true;
	if (queue->n_waiting && !READ_ONCE(queue->is_giving) &&
	    kcrypto_window_wants_alone(&queue->window, job))
		return false;
	return queue->n_started < queue->window.size;
}

static void kcrypto_queue_begin(struct kcrypto_queue *queue, struct kcrypto_job *job)
{
	job->stage = KCRYPTO_STARTED;
	job->at = jiffies;
	list_add_tail(&job->line, &queue->started);
	queue->n_started++;
	/* Without others that wait there is nothing to learn, and usually there are none. */
	if (queue->n_waiting)
		kcrypto_window_begin(&queue->window, job, queue->n_started);
}

static unsigned long kcrypto_queue_period(void)
{
	return clamp(kcrypto_time_limit() / 4, HZ / 20 + 1UL, HZ + 0UL);
}

static void kcrypto_queue_tick(struct kcrypto_queue *queue)
{
	unsigned long period = kcrypto_queue_period();

	queue->is_ticking = true;
	queue->due = jiffies + period;
	queue_delayed_work(kcrypto_wq, &queue->clock, period);
}

/* A late clock was frozen with the machine; in that time no driver could answer. */
static void kcrypto_queue_forgive(struct kcrypto_queue *queue)
{
	spin_lock_irq(&queue->lock);
	if (time_after(jiffies, queue->due + kcrypto_queue_period())) {
		queue->moved = jiffies;
		queue->answered = jiffies;
	}
	spin_unlock_irq(&queue->lock);
}

static void kcrypto_queue_wait(struct kcrypto_queue *queue, struct kcrypto_job *job)
{
	job->stage = KCRYPTO_WAITING;
	job->at = jiffies;
	queue->n_waiting++;
	kcrypto_turn_add(&queue->jobs, &job->share->jobs, &job->line);
	kcrypto_window_press(&queue->window, queue->n_started);
	/* Lets the pump give it: perhaps the driver has nothing that it could answer. */
	if (READ_ONCE(queue->is_giving))
		queue_work(queue->wq, &queue->pump);
}

/* The caller of kcrypto_queue_enter() has given the request to the driver. */
void kcrypto_queue_given(struct kcrypto_queue *queue)
{
	WRITE_ONCE(queue->is_giving, false);
}

/**
 * kcrypto_queue_enter() - gives a request to the driver, or has it wait
 * @job: has a reference for the driver, which answers later
 *
 * A caller may be kept from running between this and the driver, for long if it has a low priority
 * or few shares of the processor. Meanwhile it takes one place of the window; two such callers
 * would stop all others. So the next request waits for the queue's thread to give it.
 *
 * Return: true: the caller gives it now, and then calls kcrypto_queue_given(); false: it waits.
 */
bool kcrypto_queue_enter(struct kcrypto_job *job)
{
	struct kcrypto_queue *queue = kcrypto_queue_of(job);
	bool may;

	spin_lock_irq(&queue->lock);
	may = !queue->n_waiting && !READ_ONCE(queue->is_giving) &&
	      kcrypto_queue_has_room(queue, job);
	if (may) {
		WRITE_ONCE(queue->is_giving, true);
		kcrypto_queue_begin(queue, job);
	} else {
		kcrypto_queue_wait(queue, job);
	}
	if (!queue->is_ticking)
		kcrypto_queue_tick(queue);
	spin_unlock_irq(&queue->lock);
	return may;
}

/* Takes a request from the driver's list. Call it under the queue's lock. */
static void kcrypto_queue_remove(struct kcrypto_queue *queue, struct kcrypto_job *job)
{
	list_del_init(&job->line);
	queue->n_started--;
}

/**
 * kcrypto_queue_leave() - records that the driver has answered
 * @job: has entered
 * @err: the answer
 *
 * Return: false if nobody waits for the answer any longer.
 */
bool kcrypto_queue_leave(struct kcrypto_job *job, int err)
{
	struct kcrypto_queue *queue = kcrypto_queue_of(job);
	unsigned long flags;
	bool is_wanted;

	spin_lock_irqsave(&queue->lock, flags);
	is_wanted = job->stage != KCRYPTO_LOST;
	queue->answered = jiffies;
	if (is_wanted) {
		if (list_first_entry(&queue->started, struct kcrypto_job, line) == job)
			queue->moved = queue->answered;
		if (kcrypto_window_is_measured(&queue->window))
			kcrypto_window_end(&queue->window, job, !err, queue->n_waiting);
		kcrypto_queue_remove(queue, job);
		job->stage = KCRYPTO_IDLE;
	}
	if (queue->n_waiting)
		queue_work(queue->wq, &queue->pump);
	spin_unlock_irqrestore(&queue->lock, flags);
	return is_wanted;
}

static void kcrypto_queue_unwait(struct kcrypto_queue *queue, struct kcrypto_job *job)
{
	list_del_init(&job->line);
	queue->n_waiting--;
}

/**
 * kcrypto_queue_cancel() - takes a request back
 * @job: belongs to the caller
 *
 * Return: true if it was waiting, and the driver never gets it.
 */
bool kcrypto_queue_cancel(struct kcrypto_job *job)
{
	struct kcrypto_queue *queue = kcrypto_queue_of(job);
	bool was_waiting;

	spin_lock_irq(&queue->lock);
	was_waiting = job->stage == KCRYPTO_WAITING;
	if (was_waiting) {
		kcrypto_queue_unwait(queue, job);
		job->stage = KCRYPTO_IDLE;
	}
	spin_unlock_irq(&queue->lock);
	return was_waiting;
}

/* Begins the request whose turn it is; NULL: there is none, or no room for it. */
static struct kcrypto_job *kcrypto_queue_next(struct kcrypto_queue *queue)
{
	struct kcrypto_line *line = NULL;
	struct kcrypto_job *job = NULL;

	spin_lock_irq(&queue->lock);
	if (queue->n_started < queue->window.size)
		line = kcrypto_turn_next(&queue->jobs, NULL);
	if (line)
		job = list_first_entry(&line->items, struct kcrypto_job, line);
	if (job && !kcrypto_queue_has_room(queue, job)) {
		/* The line stays the next. */
		list_move(&line->node, &queue->jobs.fresh);
		job = NULL;
	}
	if (job) {
		kcrypto_queue_unwait(queue, job);
		kcrypto_queue_begin(queue, job);
	}
	spin_unlock_irq(&queue->lock);
	return job;
}

/* Not in a completion, where a driver may hold its own locks and must not sleep. */
static void kcrypto_queue_pump(struct work_struct *work)
{
	struct kcrypto_queue *queue = container_of(work, struct kcrypto_queue, pump);
	struct kcrypto_job *job;

	while ((job = kcrypto_queue_next(queue)))
		kcrypto_job_give(job);
}

static bool kcrypto_queue_is_over(unsigned long since, unsigned long last)
{
	if (time_after(last, since))
		since = last;
	return time_after(jiffies, since + kcrypto_time_limit());
}

/* Gives up the oldest request if it is overdue. The driver keeps its reference. */
static struct kcrypto_job *kcrypto_queue_lose_oldest(struct kcrypto_queue *queue)
{
	struct kcrypto_job *job =
		list_first_entry_or_null(&queue->started, struct kcrypto_job, line);

	if (!job || !kcrypto_queue_is_over(job->at, queue->moved))
		return NULL;
	/*
	 * If the driver works, the next request gets its full time; if not, the next is overdue,
	 * too.
	 */
	if (!kcrypto_queue_is_over(job->at, queue->answered))
		queue->moved = jiffies;
	kcrypto_queue_remove(queue, job);
	kcrypto_window_stop(&queue->window);
	/*
	 * The driver may answer just now; kcrypto_job_answered() reads the stage without the lock.
	 */
	WRITE_ONCE(job->stage, KCRYPTO_LOST);
	return job;
}

static struct kcrypto_job *kcrypto_queue_lose_waiting(struct kcrypto_queue *queue,
						      struct list_head *lines)
{
	struct kcrypto_line *line;
	struct kcrypto_job *job;

	list_for_each_entry(line, lines, node) {
		job = list_first_entry_or_null(&line->items, struct kcrypto_job, line);
		if (job && kcrypto_queue_is_over(job->at, queue->answered)) {
			kcrypto_queue_unwait(queue, job);
			job->stage = KCRYPTO_LOST;
			return job;
		}
	}
	return NULL;
}

/*
 * Gives up one overdue request. Its owner is told without the lock, because waking all who wait for
 * it may take long.
 */
static bool kcrypto_queue_lose_one(struct kcrypto_queue *queue)
{
	struct kcrypto_job *lost, *waiting = NULL;

	spin_lock_irq(&queue->lock);
	lost = kcrypto_queue_lose_oldest(queue);
	if (!lost) {
		waiting = kcrypto_queue_lose_waiting(queue, &queue->jobs.old) ?:
			  kcrypto_queue_lose_waiting(queue, &queue->jobs.fresh);
		lost = waiting;
	}
	if (lost)
		refcount_inc(&lost->refs);
	spin_unlock_irq(&queue->lock);
	if (!lost)
		return false;
	kcrypto_job_wake(lost);
	kcrypto_job_put(lost);
	/* Drops the driver's reference, because the driver will not get it. */
	if (waiting)
		kcrypto_job_unstart(waiting);
	return true;
}

static void kcrypto_queue_clock(struct work_struct *work)
{
	struct kcrypto_queue *queue =
		container_of(to_delayed_work(work), struct kcrypto_queue, clock);

	kcrypto_queue_forgive(queue);
	while (kcrypto_queue_lose_one(queue))
		cond_resched();
	spin_lock_irq(&queue->lock);
	queue->is_ticking = false;
	if (queue->n_started || queue->n_waiting)
		kcrypto_queue_tick(queue);
	/* Requests that were given up make room. */
	if (queue->n_waiting)
		queue_work(queue->wq, &queue->pump);
	spin_unlock_irq(&queue->lock);
}

static void kcrypto_turn_init(struct kcrypto_turn *turn)
{
	INIT_LIST_HEAD(&turn->fresh);
	INIT_LIST_HEAD(&turn->old);
}

void kcrypto_queue_init(struct kcrypto_queue *queue)
{
	INIT_LIST_HEAD(&queue->shares);
	INIT_LIST_HEAD(&queue->started);
	kcrypto_turn_init(&queue->jobs);
	kcrypto_turn_init(&queue->tasks);
	spin_lock_init(&queue->lock);
	init_rwsem(&queue->making);
	INIT_WORK(&queue->pump, kcrypto_queue_pump);
	INIT_DELAYED_WORK(&queue->clock, kcrypto_queue_clock);
	kcrypto_window_init(&queue->window);
	queue->moved = jiffies;
	queue->answered = jiffies;
	queue->worked = jiffies;
	queue->learned = jiffies;
}

/* The next driver of this name may have another device. */
void kcrypto_queue_forget(struct kcrypto_queue *queue)
{
	spin_lock_irq(&queue->lock);
	kcrypto_window_init(&queue->window);
	queue->seen = queue->given;
	queue->is_full = false;
	spin_unlock_irq(&queue->lock);
}
