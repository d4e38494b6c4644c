// SPDX-License-Identifier: GPL-2.0-only
/*
 * Those who wait for a session's requests. A driver's completion wakes them, where the driver may
 * hold its locks. A user may have tens of thousands of waiters, also behind another file that waits
 * for the session, for example of an epoll instance. So a completion wakes only a few waiters, and
 * a thread wakes those that take long.
 */
#include <linux/jiffies.h>
#include <linux/sched/clock.h>

#include "kcrypto.h"

#define KCRYPTO_CROWD	 16 /* a completion wakes at most so many waiters itself */
#define KCRYPTO_QUICK	 (100 * NSEC_PER_USEC) /* if that takes longer, a thread does it */
#define KCRYPTO_REMEMBER (30 * HZ) /* for so long */
#define KCRYPTO_FINISHED (EPOLLIN | EPOLLRDNORM | EPOLLERR)

/* Wakes those who wait for one of these events; the others stay asleep. */
void kcrypto_session_wake_for(struct kcrypto_session *session, __poll_t events)
{
	/*
	 * The barrier in it pairs with that of a waiter, which first begins to wait and then looks.
	 */
	if (wq_has_sleeper(&session->wait))
		__wake_up(&session->wait, TASK_NORMAL, 0, poll_to_key(events));
}

/* Returns a session that a completion has left to the thread, with its reference; or NULL. */
static struct kcrypto_session *kcrypto_wake_next(struct kcrypto_user *user)
{
	struct kcrypto_session *session;

	spin_lock_irq(&user->lock);
	session = list_first_entry_or_null(&user->crowds, struct kcrypto_session, crowd);
	if (session)
		list_del_init(&session->crowd);
	spin_unlock_irq(&user->lock);
	return session;
}

/* One thread for each user, because the kernel charges its time to nobody. */
static void kcrypto_wake_crowds(struct work_struct *work)
{
	struct kcrypto_user *user = container_of(work, struct kcrypto_user, waker);
	struct kcrypto_session *session;

	while ((session = kcrypto_wake_next(user))) {
		kcrypto_session_wake_for(session, KCRYPTO_FINISHED);
		kcrypto_session_put(session);
		cond_resched();
	}
	kcrypto_user_drop(user);
}

void kcrypto_wake_init(struct kcrypto_user *user)
{
	spin_lock_init(&user->lock);
	INIT_LIST_HEAD(&user->crowds);
	INIT_WORK(&user->waker, kcrypto_wake_crowds);
	user->slow_until = jiffies;
}

/* The thread gets a reference to the session, and one to the user. */
static void kcrypto_wake_later(struct kcrypto_session *session)
{
	struct kcrypto_user *user = session->user;
	unsigned long flags;

	spin_lock_irqsave(&user->lock, flags);
	if (list_empty(&session->crowd)) {
		refcount_inc(&session->refs);
		list_add_tail(&session->crowd, &user->crowds);
	}
	spin_unlock_irqrestore(&user->lock, flags);
	refcount_inc(&user->refs);
	if (!queue_work(kcrypto_wq, &user->waker))
		refcount_dec(&user->refs);
}

bool kcrypto_wake_is_slow(const struct kcrypto_user *user)
{
	return time_before(jiffies, READ_ONCE(user->slow_until));
}

static bool kcrypto_session_is_crowded(struct kcrypto_session *session)
{
	struct list_head *waiter;
	unsigned long flags;
	int n = 0;

	if (kcrypto_wake_is_slow(session->user))
		return true;
	spin_lock_irqsave(&session->wait.lock, flags);
	list_for_each(waiter, &session->wait.head)
		if (++n > KCRYPTO_CROWD)
			break;
	spin_unlock_irqrestore(&session->wait.lock, flags);
	return n > KCRYPTO_CROWD;
}

/* One of the session's jobs has finished; it keeps the session alive, and the session its user. */
void kcrypto_session_wake(struct kcrypto_session *session)
{
	u64 begun;

	if (!wq_has_sleeper(&session->wait))
		return;
	if (kcrypto_session_is_crowded(session)) {
		kcrypto_wake_later(session);
		return;
	}
	begun = local_clock();
	kcrypto_session_wake_for(session, KCRYPTO_FINISHED);
	if (local_clock() - begun > KCRYPTO_QUICK)
		WRITE_ONCE(session->user->slow_until, jiffies + KCRYPTO_REMEMBER);
}
