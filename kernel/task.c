// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work that may wait for a device, besides requests: making and freeing a transform. The threads of
 * the device's queue do it, a few tasks at a time, users in turn. So a device that hangs delays
 * only its own users, and a caller that waits can be killed.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>

#include "kcrypto.h"

#define KCRYPTO_TASKS		8 /* of a queue at a time */
#define KCRYPTO_TASKS_OF_USER	4 /* of these, at most one user's */

static bool kcrypto_task_may(const struct kcrypto_line *line)
{
	return container_of(line, struct kcrypto_share, tasks)->running < KCRYPTO_TASKS_OF_USER;
}

/* Call it under the queue's lock. */
static void kcrypto_task_start_more(struct kcrypto_queue *queue)
{
	struct kcrypto_line *line;
	struct kcrypto_task *task;

	while (queue->running < KCRYPTO_TASKS) {
		line = kcrypto_turn_next(&queue->tasks, kcrypto_task_may);
		if (!line)
			return;
		task = list_first_entry(&line->items, struct kcrypto_task, node);
		list_del_init(&task->node);
		task->share->running++;
		queue->running++;
		queue_work(queue->wq, &task->work);
	}
}

/* The task and its session may be freed once it has run. */
static void kcrypto_task_work(struct work_struct *work)
{
	struct kcrypto_task *task = container_of(work, struct kcrypto_task, work);
	struct kcrypto_share *share = task->share;
	struct kcrypto_queue *queue = share->queue;

	spin_lock_irq(&queue->lock);
	task->has_started = true;
	task->at = jiffies;
	spin_unlock_irq(&queue->lock);
	task->run(task);
	spin_lock_irq(&queue->lock);
	share->running--;
	queue->running--;
	queue->worked = jiffies;
	WRITE_ONCE(queue->is_stuck, false);
	kcrypto_task_start_more(queue);
	spin_unlock_irq(&queue->lock);
	kcrypto_share_put(share);
}

void kcrypto_task_init(struct kcrypto_task *task, void (*run)(struct kcrypto_task *task))
{
	INIT_WORK(&task->work, kcrypto_task_work);
	INIT_LIST_HEAD(&task->node);
	task->run = run;
}

/**
 * kcrypto_task_add() - has a task done when its turn comes
 * @task: initialised, and not queued
 * @share: of the user, in the queue
 */
void kcrypto_task_add(struct kcrypto_task *task, struct kcrypto_share *share)
{
	struct kcrypto_queue *queue = share->queue;

	kcrypto_share_hold(share);
	spin_lock_irq(&queue->lock);
	task->share = share;
	task->queue = queue;
	task->has_started = false;
	task->at = jiffies;
	kcrypto_turn_add(&queue->tasks, &share->tasks, &task->node);
	kcrypto_task_start_more(queue);
	spin_unlock_irq(&queue->lock);
}

/**
 * kcrypto_task_cancel() - takes a task back
 * @task: was added
 *
 * Return: true if it has not begun, and never will.
 */
bool kcrypto_task_cancel(struct kcrypto_task *task)
{
	bool was_waiting;

	spin_lock_irq(&task->queue->lock);
	was_waiting = !list_empty(&task->node);
	list_del_init(&task->node);
	spin_unlock_irq(&task->queue->lock);
	if (was_waiting)
		kcrypto_share_put(task->share);
	return was_waiting;
}

/**
 * kcrypto_task_pause() - a running task is about to wait for another one
 * @task: runs
 */
void kcrypto_task_pause(struct kcrypto_task *task)
{
	spin_lock_irq(&task->queue->lock);
	task->has_started = false;
	task->at = jiffies;
	spin_unlock_irq(&task->queue->lock);
}

/**
 * kcrypto_task_resume() - the task has waited, and continues
 * @task: was paused
 */
void kcrypto_task_resume(struct kcrypto_task *task)
{
	spin_lock_irq(&task->queue->lock);
	task->has_started = true;
	task->at = jiffies;
	spin_unlock_irq(&task->queue->lock);
}

/**
 * kcrypto_task_progress() - the driver has done a part of a task
 * @task: runs, and may have many parts
 */
void kcrypto_task_progress(struct kcrypto_task *task)
{
	spin_lock_irq(&task->queue->lock);
	task->at = jiffies;
	task->queue->worked = jiffies;
	spin_unlock_irq(&task->queue->lock);
}

/* A task that waits for its turn is overdue only if no other task ends or makes progress either. */
static bool kcrypto_task_is_overdue(struct kcrypto_task *task)
{
	struct kcrypto_queue *queue = task->queue;
	unsigned long since;

	spin_lock_irq(&queue->lock);
	since = task->at;
	if (!task->has_started && time_after(queue->worked, since))
		since = queue->worked;
	spin_unlock_irq(&queue->lock);
	return time_after_eq(jiffies, since + kcrypto_time_limit());
}

/**
 * kcrypto_task_wait() - waits for a task
 * @task: was added by the caller
 * @done: the task completes it
 *
 * Return: 0; -EINTR: the caller was killed; -ETIMEDOUT: the driver has not answered in time, and
 * has done no other task either.
 */
int kcrypto_task_wait(struct kcrypto_task *task, struct completion *done)
{
	long left;

	do {
		unsigned long look = min(kcrypto_time_limit() / 4, HZ + 0UL) + 1;

		left = wait_for_completion_killable_timeout(done, look);
		if (left)
			return left < 0 ? -EINTR : 0;
		/* A machine that goes to sleep stops this wait, and the device's work. */
		if (try_to_freeze())
			kcrypto_task_progress(task);
	} while (!kcrypto_task_is_overdue(task));
	WRITE_ONCE(task->queue->is_stuck, true);
	return -ETIMEDOUT;
}

/**
 * kcrypto_task_is_hopeless() - tells whether somebody has waited for the device in vain
 * @task: was added
 *
 * A process that ends closes all its files, and cannot be killed meanwhile: so it waits only once.
 *
 * Return: true if so, and no task has ended since.
 */
bool kcrypto_task_is_hopeless(const struct kcrypto_task *task)
{
	return READ_ONCE(task->queue->is_stuck);
}
