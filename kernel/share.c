// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queues, one for each device, and each user's budget of requests and memory in a queue. slot.c
 * has the number of sessions, turn.c the turns.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <crypto/algapi.h>

#include "kcrypto.h"

#define KCRYPTO_WQ_WIDTH 9 /* tasks that run at a time, plus the pump */

static unsigned int kcrypto_requests = 2048;
module_param_named(requests, kcrypto_requests, uint, 0644);
MODULE_PARM_DESC(requests, "requests in flight of each user to each device (2048)");

static unsigned int kcrypto_in_flight_kib = 16384;
module_param_named(in_flight_kib, kcrypto_in_flight_kib, uint, 0644);
MODULE_PARM_DESC(in_flight_kib,
		 "KiB of memory of each user's requests to each device (16384)");

/* Queues stay until the module is unloaded: what they have learned outlives a session. */
static LIST_HEAD(kcrypto_queues);
static DEFINE_MUTEX(kcrypto_shares_lock);

static void kcrypto_queue_free(struct kcrypto_queue *queue)
{
	if (!queue)
		return;
	cancel_delayed_work_sync(&queue->clock);
	destroy_workqueue(queue->wq);
	kfree(queue);
}

static struct kcrypto_queue *kcrypto_queue_new(const char *name)
{
	struct kcrypto_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL);

	if (!queue)
		return NULL;
	/* Work may wait for a device that hangs, and a device that sleeps must get none. */
	queue->wq = alloc_workqueue("kcrypto-%s", WQ_UNBOUND | WQ_FREEZABLE, KCRYPTO_WQ_WIDTH,
				    name);
	if (!queue->wq) {
		kfree(queue);
		return NULL;
	}
	strscpy(queue->name, name, sizeof(queue->name));
	kcrypto_queue_init(queue);
	return queue;
}

/* Call it under the list's lock. */
static struct kcrypto_queue *kcrypto_queue_find(const char *name)
{
	struct kcrypto_queue *queue;

	list_for_each_entry(queue, &kcrypto_queues, node)
		if (strcmp(queue->name, name) == 0)
			return queue;
	return NULL;
}

/*
 * Allocates without the list's lock: a user whose memory cgroup is full may take long, and
 * everybody needs the lock.
 */
static struct kcrypto_queue *kcrypto_queue_get(const char *name)
{
	struct kcrypto_queue *queue, *new;

	mutex_lock(&kcrypto_shares_lock);
	queue = kcrypto_queue_find(name);
	mutex_unlock(&kcrypto_shares_lock);
	if (queue)
		return queue;
	new = kcrypto_queue_new(name);
	mutex_lock(&kcrypto_shares_lock);
	queue = kcrypto_queue_find(name);
	if (!queue && new) {
		list_add(&new->node, &kcrypto_queues);
		queue = new;
	}
	mutex_unlock(&kcrypto_shares_lock);
	kcrypto_queue_free(queue == new ? NULL : new);
	return queue;
}

static void kcrypto_line_init(struct kcrypto_line *line)
{
	INIT_LIST_HEAD(&line->node);
	INIT_LIST_HEAD(&line->items);
}

static struct kcrypto_share *kcrypto_share_new(struct kcrypto_queue *queue, kuid_t uid)
{
	struct kcrypto_share *share = kzalloc(sizeof(*share), GFP_KERNEL_ACCOUNT);

	if (!share)
		return NULL;
	share->queue = queue;
	share->uid = uid;
	kcrypto_line_init(&share->jobs);
	kcrypto_line_init(&share->tasks);
	return share;
}

/* Finds the share of @uid, or else adds @new, which may be NULL; takes a reference. */
static struct kcrypto_share *kcrypto_share_find(struct kcrypto_queue *queue, kuid_t uid,
						struct kcrypto_share *new)
{
	struct kcrypto_share *share, *found = NULL;

	mutex_lock(&kcrypto_shares_lock);
	list_for_each_entry(share, &queue->shares, node)
		if (uid_eq(share->uid, uid))
			found = share;
	if (!found && new) {
		list_add(&new->node, &queue->shares);
		found = new;
	}
	if (found)
		found->refs++;
	mutex_unlock(&kcrypto_shares_lock);
	return found;
}

/**
 * kcrypto_share_get() - finds or makes a user's budget
 * @queue: name of the queue
 * @uid: the user
 *
 * Return: the share with one more reference, or NULL: no memory.
 */
struct kcrypto_share *kcrypto_share_get(const char *queue, kuid_t uid)
{
	struct kcrypto_queue *of = kcrypto_queue_get(queue);
	struct kcrypto_share *share, *new;

	if (!of)
		return NULL;
	share = kcrypto_share_find(of, uid, NULL);
	if (share)
		return share;
	new = kcrypto_share_new(of, uid);
	share = kcrypto_share_find(of, uid, new);
	if (share != new)
		kfree(new);
	return share;
}

void kcrypto_share_hold(struct kcrypto_share *share)
{
	mutex_lock(&kcrypto_shares_lock);
	share->refs++;
	mutex_unlock(&kcrypto_shares_lock);
}

/* The share's lines are empty, but may still be in the turn's lists. */
static void kcrypto_share_free(struct kcrypto_share *share)
{
	struct kcrypto_queue *queue = share->queue;

	list_del(&share->node);
	spin_lock_irq(&queue->lock);
	list_del(&share->jobs.node);
	list_del(&share->tasks.node);
	spin_unlock_irq(&queue->lock);
	kfree(share);
}

void kcrypto_share_put(struct kcrypto_share *share)
{
	mutex_lock(&kcrypto_shares_lock);
	if (--share->refs == 0)
		kcrypto_share_free(share);
	mutex_unlock(&kcrypto_shares_lock);
}

static long kcrypto_max_bytes(void)
{
	return min_t(u64, (u64)READ_ONCE(kcrypto_in_flight_kib) * 1024, LONG_MAX / 2);
}

static int kcrypto_max_requests(void)
{
	return clamp(READ_ONCE(kcrypto_requests), 1U, 1U << 20);
}

/**
 * kcrypto_share_charge() - takes a request and its memory from the budget
 * @share: the user's
 * @bytes: size of the memory
 *
 * Return: false if that would be one request too many, or too much memory.
 */
bool kcrypto_share_charge(struct kcrypto_share *share, size_t bytes)
{
	int requests = atomic_inc_return(&share->requests);
	long total = atomic_long_add_return(bytes, &share->bytes);

	if (requests <= kcrypto_max_requests() && total <= kcrypto_max_bytes())
		return true;
	kcrypto_share_uncharge(share, bytes);
	return false;
}

void kcrypto_share_uncharge(struct kcrypto_share *share, size_t bytes)
{
	atomic_dec(&share->requests);
	atomic_long_sub(bytes, &share->bytes);
}

/* Memory kept for later must not take the place of requests. */
bool kcrypto_share_may_keep(const struct kcrypto_share *share)
{
	if (atomic_read(&share->requests) > kcrypto_max_requests() / 2)
		return false;
	return atomic_long_read(&share->bytes) <= kcrypto_max_bytes() / 2;
}

static void kcrypto_share_forget(const char *name)
{
	struct kcrypto_queue *queue;

	mutex_lock(&kcrypto_shares_lock);
	list_for_each_entry(queue, &kcrypto_queues, node)
		if (strcmp(queue->name, name) == 0)
			kcrypto_queue_forget(queue);
	mutex_unlock(&kcrypto_shares_lock);
}

static int kcrypto_share_notice_module(struct notifier_block *unused, unsigned long what,
				       void *data)
{
	struct module *module = data;

	if (what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	kcrypto_share_forget(module_name(module));
	return NOTIFY_OK;
}

/*
 * A driver registers again when a device is bound to it. Kernels without self-tests do not notify.
 */
static int kcrypto_share_notice_driver(struct notifier_block *unused, unsigned long what,
				       void *data)
{
	const struct crypto_alg *driver = data;

	/* Any user may have a template instantiated. */
	if (what == CRYPTO_MSG_ALG_REGISTER && !(driver->cra_flags & CRYPTO_ALG_INSTANCE))
		kcrypto_share_forget(kcrypto_driver_queue(driver));
	return NOTIFY_DONE;
}

static struct notifier_block kcrypto_module_notifier = {
	.notifier_call = kcrypto_share_notice_module,
};

/* Before the notifier that has the driver tested, which ends the chain. */
static struct notifier_block kcrypto_driver_notifier = {
	.notifier_call = kcrypto_share_notice_driver,
	.priority = 1,
};

int kcrypto_share_init(void)
{
	int err = register_module_notifier(&kcrypto_module_notifier);

	if (err)
		return err;
	err = crypto_register_notifier(&kcrypto_driver_notifier);
	if (err)
		unregister_module_notifier(&kcrypto_module_notifier);
	return err;
}

/* The module is being unloaded, so there are no sessions. */
void kcrypto_share_exit(void)
{
	struct kcrypto_queue *queue, *next;

	crypto_unregister_notifier(&kcrypto_driver_notifier);
	unregister_module_notifier(&kcrypto_module_notifier);
	list_for_each_entry_safe(queue, next, &kcrypto_queues, node)
		kcrypto_queue_free(queue);
}
