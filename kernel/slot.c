// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many sessions of a device one user may have. Some devices hold keys in a table. No driver
 * tells how long it is, and all of its users in the kernel share it. So before a user gets more
 * than half, the module counts what the device gives: it makes transforms that it does not use, up
 * to the number in question, or until one is refused.
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>

#include "kcrypto.h"

#define KCRYPTO_FIRST_LOOK	8
#define KCRYPTO_PLENTY		2048 /* a device that gives so many has no table */

static unsigned int kcrypto_recount_s = 600;
module_param_named(recount_s, kcrypto_recount_s, uint, 0644);
MODULE_PARM_DESC(recount_s, "seconds for which a count of a device's sessions is valid (600)");

static unsigned int kcrypto_reserve = 25;
module_param_named(reserve, kcrypto_reserve, uint, 0644);
MODULE_PARM_DESC(reserve,
		 "percent of a device's sessions reserved for users in the kernel (25)");

static unsigned int kcrypto_slot_percent(void)
{
	return 100 - min(READ_ONCE(kcrypto_reserve), 95U);
}

/* Returns how many the device must have for the user's wish: as many again are left to others. */
static unsigned int kcrypto_slot_need(const struct kcrypto_share *share)
{
	unsigned int others = share->queue->held - share->sessions;

	return DIV_ROUND_UP((2 * share->sessions + others) * 100, kcrypto_slot_percent());
}

static bool kcrypto_slot_is_proven(const struct kcrypto_share *share)
{
	return share->queue->seen >= min_t(unsigned int, kcrypto_slot_need(share), KCRYPTO_PLENTY);
}

/* Forgets old results: the device may be another one, or may have been shared with others then. */
static void kcrypto_slot_forget(struct kcrypto_queue *queue)
{
	unsigned long valid = clamp(READ_ONCE(kcrypto_recount_s), 1U, 86400U) * HZ;

	if (time_before(jiffies, queue->learned + valid))
		return;
	queue->seen = queue->given;
	queue->is_full = false;
	queue->learned = jiffies;
}

/**
 * kcrypto_slot_take() - counts one more session
 * @share: the user's
 *
 * Return: 0; -EDQUOT: the device is known to have no more for this user.
 */
int kcrypto_slot_take(struct kcrypto_share *share)
{
	struct kcrypto_queue *queue = share->queue;
	bool is_refused;

	spin_lock_irq(&queue->lock);
	kcrypto_slot_forget(queue);
	share->sessions++;
	queue->held++;
	is_refused = queue->is_full && !kcrypto_slot_is_proven(share);
	spin_unlock_irq(&queue->lock);
	if (!is_refused)
		return 0;
	kcrypto_slot_give(share);
	return -EDQUOT;
}

void kcrypto_slot_give(struct kcrypto_share *share)
{
	spin_lock_irq(&share->queue->lock);
	share->sessions--;
	share->queue->held--;
	spin_unlock_irq(&share->queue->lock);
}

/* The driver has given a transform, or got one back. */
void kcrypto_slot_given(struct kcrypto_share *share, int change)
{
	spin_lock_irq(&share->queue->lock);
	share->queue->given += change;
	spin_unlock_irq(&share->queue->lock);
}

/* Returns 0 if the user may have the session; else how many the device must be seen to give. */
static unsigned int kcrypto_slot_target(const struct kcrypto_share *share)
{
	struct kcrypto_queue *queue = share->queue;
	unsigned int target = 0;

	spin_lock_irq(&queue->lock);
	if (!kcrypto_slot_is_proven(share)) {
		/* Not many more than needed: a driver may log each refusal. */
		target = max3(kcrypto_slot_need(share), queue->seen + queue->seen / 2,
			      KCRYPTO_FIRST_LOOK + 0U);
		target = min_t(unsigned int, target, KCRYPTO_PLENTY);
	}
	spin_unlock_irq(&queue->lock);
	return target;
}

/* Records a count. No transform can be made now, but some may be freed. */
static void kcrypto_slot_note(struct kcrypto_queue *queue, unsigned int more, int err)
{
	spin_lock_irq(&queue->lock);
	queue->seen = max(queue->seen, queue->given + more);
	queue->learned = jiffies;
	if (err && err != -ENOMEM && err != -EINTR)
		queue->is_full = true;
	spin_unlock_irq(&queue->lock);
}

/* Makes transforms with the session's own key, because the device has just accepted that. */
static int kcrypto_slot_count(struct kcrypto_session *session, unsigned int target)
{
	struct kcrypto_queue *queue = session->share->queue;
	unsigned int given = READ_ONCE(queue->given), room = target > given ? target - given : 0;
	struct kcrypto_transform *more;
	unsigned int n;
	int err = 0;

	more = kvcalloc(room, sizeof(*more), GFP_KERNEL_ACCOUNT);
	if (room && !more)
		return -ENOMEM;
	for (n = 0; n < room && !err; n++) {
		err = kcrypto_transform_make(&more[n], session, session->setup);
		kcrypto_task_progress(&session->make);
		/* The caller has gone. */
		if (READ_ONCE(session->state) == KCRYPTO_DEAD)
			err = err ?: -EINTR;
	}
	kcrypto_slot_note(queue, err ? n - 1 : n, err);
	while (n-- > 0) {
		kcrypto_transform_free(&more[n]);
		kcrypto_task_progress(&session->make);
	}
	kvfree(more);
	/* A refusal by the driver is a result, not an error. */
	if (err != -ENOMEM && err != -EINTR)
		return 0;
	return err;
}

/**
 * kcrypto_slot_prove() - finds out whether the device has enough sessions for this one to stay
 * @session: has its transform, and still its setup; the caller does not hold @making
 *
 * Return: 0; -EDQUOT: too few; -ENOMEM, -EINTR: could not find out.
 */
int kcrypto_slot_prove(struct kcrypto_session *session)
{
	struct kcrypto_queue *queue = session->share->queue;
	unsigned int target = kcrypto_slot_target(session->share);
	int err = 0;

	if (!target)
		return 0;
	kcrypto_task_pause(&session->make);
	down_write(&queue->making);
	kcrypto_task_resume(&session->make);
	/* Another session may have found out. */
	target = kcrypto_slot_target(session->share);
	if (target && !READ_ONCE(queue->is_full))
		err = kcrypto_slot_count(session, target);
	up_write(&queue->making);
	if (!err && kcrypto_slot_target(session->share))
		err = -EDQUOT;
	return err;
}
