// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of the test accelerator and its engines. An engine is busy with a request for a given
 * number of microseconds, during which it uses no CPU; it takes the next request when they have
 * passed, even if another process is running then. The time that the kernel's software takes for
 * the request is part of them.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "accel.h"

#define MAX_ENGINES 64

static uint latency;
module_param(latency, uint, 0644);
MODULE_PARM_DESC(latency, "us that an engine is busy with a request (0)");

static uint quick;
module_param(quick, uint, 0644);
MODULE_PARM_DESC(quick, "an engine is not busy with requests of fewer bytes (0)");

static struct workqueue_struct *queue;
static uint engines = 1;
static atomic_t in_flight, deepest;
static atomic64_t completion_ns;
static ktime_t free_at[MAX_ENGINES];
static DEFINE_SPINLOCK(lock); /* protects free_at */

static int engines_set(const char *value, const struct kernel_param *kp)
{
	int err = param_set_uint_minmax(value, kp, 1, MAX_ENGINES);

	if (!err && queue)
		workqueue_set_max_active(queue, engines);
	return err;
}

static const struct kernel_param_ops engines_ops = { .set = engines_set, .get = param_get_uint };
module_param_cb(engines, &engines_ops, &engines, 0644);
MODULE_PARM_DESC(engines, "requests at a time (1)");

static uint hold;
static atomic_t to_hold;

static int hold_set(const char *value, const struct kernel_param *kp)
{
	int err = param_set_uint(value, kp);

	if (!err)
		atomic_set(&to_hold, hold);
	return err;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set, .get = param_get_uint };
module_param_cb(hold, &hold_ops, &hold, 0644);
MODULE_PARM_DESC(
	hold,
	"so many processes do not get on to the device with their next requests, until it is 0");

static int deepest_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", atomic_read(&deepest));
}

static const struct kernel_param_ops deepest_ops = { .get = deepest_get };
module_param_cb(deepest, &deepest_ops, NULL, 0444);
MODULE_PARM_DESC(deepest, "most requests that the device had at a time");

static int completion_ns_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%lld\n", (long long)atomic64_read(&completion_ns));
}

static const struct kernel_param_ops completion_ns_ops = { .get = completion_ns_get };
module_param_cb(completion_ns, &completion_ns_ops, NULL, 0444);
MODULE_PARM_DESC(completion_ns, "how long the completion of the last request kept the device");

/* When the engine that becomes free first will have finished this request. */
static ktime_t end_of(const struct accel_job *job)
{
	uint i, us = job->len < READ_ONCE(quick) ? 0 : READ_ONCE(latency);
	ktime_t *engine = &free_at[0], end;

	spin_lock(&lock);
	for (i = 1; i < engines; i++)
		if (ktime_before(free_at[i], *engine))
			engine = &free_at[i];
	end = ktime_add_us(max(*engine, job->begin), us);
	*engine = end;
	spin_unlock(&lock);
	return end;
}

static void wait_latency(ktime_t end)
{
	while (ktime_before(ktime_get(), end)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout(&end, HRTIMER_MODE_ABS);
	}
}

static void work(struct work_struct *w)
{
	struct accel_job *job = container_of(w, struct accel_job, work);
	ktime_t end = end_of(job);
	int err = accel_do(job);

	wait_latency(end);
	atomic_dec(&in_flight);
	local_bh_disable(); /* as completions are called from an interrupt's tasklet */
	end = ktime_get();
	job->complete(job, err);
	atomic64_set(&completion_ns, ktime_to_ns(ktime_sub(ktime_get(), end)));
	local_bh_enable();
}

/*
 * Delays a request as the scheduler delays a process while others run. A kernel thread is not
 * delayed.
 */
static void hold_up(void)
{
	if (!READ_ONCE(hold) || current->flags & PF_KTHREAD || atomic_dec_if_positive(&to_hold) < 0)
		return;
	while (READ_ONCE(hold))
		msleep(20);
}

int accel_submit(struct accel_job *job)
{
	int depth, most = atomic_read(&deepest);

	if (!queue)
		return accel_do(job);
	hold_up();
	depth = atomic_inc_return(&in_flight);
	while (depth > most && !atomic_try_cmpxchg(&deepest, &most, depth))
		;
	job->begin = ktime_get();
	INIT_WORK(&job->work, work);
	queue_work(queue, &job->work);
	return -EINPROGRESS;
}

int accel_in_flight(void)
{
	return atomic_read(&in_flight);
}

void accel_engines_reset(void)
{
	atomic_set(&deepest, 0);
}

/*
 * The rescuer of a WQ_MEM_RECLAIM queue would do all waiting requests one after the other as soon
 * as a busy machine took 10 ms to create a worker.
 */
int accel_engines_start(bool has_queue)
{
	if (has_queue)
		queue = alloc_workqueue("kcrypto-accel", WQ_UNBOUND, engines);
	return has_queue && !queue ? -ENOMEM : 0;
}

void accel_engines_stop(void)
{
	if (queue)
		destroy_workqueue(queue);
}
