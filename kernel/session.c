// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: its setup, its life and its end. Making and freeing a transform may wait for a device,
 * so these are tasks of the device's queue: a caller that waits for them can be killed.
 */
#include <linux/module.h>
#include <linux/random.h>

#include "kcrypto.h"

void kcrypto_session_put(struct kcrypto_session *session)
{
	if (!refcount_dec_and_test(&session->refs))
		return;
	kcrypto_count(KCRYPTO_N_SESSIONS, -1);
	kfree(session);
	module_put(THIS_MODULE);
}

/* Leaves the driver's queue, as before the setup. */
static void kcrypto_session_leave(struct kcrypto_session *session)
{
	struct kcrypto_share *share = session->share;

	if (!share)
		return;
	session->share = NULL;
	kcrypto_slot_give(share);
	kcrypto_share_put(share);
}

static void kcrypto_session_drop_transform(struct kcrypto_session *session)
{
	if (!session->tfm.base)
		return;
	kcrypto_transform_free(&session->tfm);
	kcrypto_slot_given(session->share, -1);
}

/* The session's user pays for it until its transform is freed. */
static void kcrypto_session_release(struct kcrypto_task *task)
{
	struct kcrypto_session *session = container_of(task, struct kcrypto_session, release);

	kcrypto_session_drop_transform(session);
	kcrypto_job_free(session->spare);
	kfree(session->midstate);
	kcrypto_session_leave(session);
	kcrypto_user_put(session->user);
	complete(&session->released);
	kcrypto_session_put(session);
}

/* Without a transform there is nothing to wait for. */
static void kcrypto_session_end(struct kcrypto_session *session)
{
	if (session->tfm.base)
		kcrypto_task_add(&session->release, session->share);
	else
		kcrypto_session_release(&session->release);
}

/* Not for completions; anybody else who drops the last request may call it. */
void kcrypto_session_unuse(struct kcrypto_session *session)
{
	if (refcount_dec_and_test(&session->users))
		kcrypto_session_end(session);
}

/**
 * kcrypto_session_check() - tells whether the session can take a request
 * @session: the file's
 * @cookie: the session's number according to the caller
 *
 * The number is compared first: a program that has closed the descriptor, and got the same one
 * again for another session, gets -ESTALE whatever that session's state is.
 *
 * Return: 0, -ESTALE, -EBADFD (not set up) or -ESHUTDOWN (a driver did not answer in time).
 */
int kcrypto_session_check(const struct kcrypto_session *session, u64 cookie)
{
	int state;

	if (cookie != session->cookie)
		return -ESTALE;
	/* Acquires the session's other fields, too, see kcrypto_session_open(). */
	state = smp_load_acquire(&session->state);
	if (state == KCRYPTO_DEAD)
		return -ESHUTDOWN;
	if (state != KCRYPTO_READY)
		return -EBADFD;
	return 0;
}

void kcrypto_session_kill(struct kcrypto_session *session)
{
	WRITE_ONCE(session->state, KCRYPTO_DEAD);
	kcrypto_session_wake_for(session, EPOLLERR);
}

static int kcrypto_session_transform(struct kcrypto_session *session)
{
	struct kcrypto_queue *queue = session->share->queue;
	int err;

	/* The caller has gone. */
	if (READ_ONCE(session->state) == KCRYPTO_DEAD)
		return -EINTR;
	kcrypto_task_pause(&session->make);
	down_read(&queue->making);
	kcrypto_task_resume(&session->make);
	err = kcrypto_transform_make(&session->tfm, session, session->setup);
	if (!err)
		kcrypto_slot_given(session->share, 1);
	up_read(&queue->making);
	if (!err)
		err = kcrypto_slot_prove(session);
	if (!err)
		err = kcrypto_midstate_learn(session);
	return err;
}

static void kcrypto_session_made(struct kcrypto_session *session, int err)
{
	kfree_sensitive(session->setup);
	session->setup = NULL;
	session->err = err;
	complete(&session->made);
	kcrypto_session_unuse(session);
}

/* May outlive the call, the file and the process. */
static void kcrypto_session_make(struct kcrypto_task *task)
{
	struct kcrypto_session *session = container_of(task, struct kcrypto_session, make);
	int err = kcrypto_session_transform(session);

	if (err) {
		kcrypto_session_drop_transform(session);
	} else {
		session->reqsize = kcrypto_transform_reqsize(&session->tfm, session->alg);
		session->is_async = session->tfm.base->__crt_alg->cra_flags & CRYPTO_ALG_ASYNC;
	}
	kcrypto_session_made(session, err);
}

/* Joins the driver's queue, if the user may have one more session there. */
static int kcrypto_session_join(struct kcrypto_session *session, const char *queue)
{
	struct kcrypto_share *share = kcrypto_share_get(queue, session->user->uid);
	int err;

	if (!share)
		return -ENOMEM;
	err = kcrypto_slot_take(share);
	if (err)
		kcrypto_share_put(share);
	else
		session->share = share;
	return err;
}

static struct kcrypto_setup *kcrypto_session_setup(const struct kcrypto_open *open,
						   const struct kcrypto_alg *alg)
{
	struct kcrypto_setup *setup = kzalloc(sizeof(*setup), GFP_KERNEL_ACCOUNT);
	int err;

	if (!setup)
		return ERR_PTR(-ENOMEM);
	strscpy(setup->driver, open->driver, sizeof(setup->driver));
	err = kcrypto_key_get(setup, open);
	if (!err && setup->key_len && (alg->kind == KCRYPTO_DIGEST || alg->kind == KCRYPTO_BLOCKS))
		err = -EINVAL;
	if (!err)
		return setup;
	kfree_sensitive(setup);
	return ERR_PTR(err);
}

/* Does everything that does not wait for a device; @open gets the driver's name. */
static int kcrypto_session_prepare(struct kcrypto_session *session, struct kcrypto_open *open)
{
	bool has_tag = open->tag_len >= KCRYPTO_MIN_TAG && open->tag_len <= KCRYPTO_MAX_TAG;
	const struct kcrypto_alg *alg = kcrypto_alg_find(open->algorithm);
	struct kcrypto_choice choice;
	struct kcrypto_setup *setup;
	int err;

	if (!alg)
		return -EOPNOTSUPP;
	if (alg->kind == KCRYPTO_AEAD ? !has_tag : open->tag_len)
		return -EINVAL;
	strscpy_pad(choice.driver, open->driver, sizeof(choice.driver));
	err = kcrypto_driver_choose(alg, &choice);
	if (err)
		return err;
	strscpy_pad(open->driver, choice.driver, sizeof(open->driver));
	setup = kcrypto_session_setup(open, alg);
	if (IS_ERR(setup))
		return PTR_ERR(setup);
	err = kcrypto_session_join(session, choice.queue);
	if (err) {
		kfree_sensitive(setup);
		return err;
	}
	session->setup = setup;
	session->alg = alg;
	session->max_len = choice.max_len;
	session->tag_len = open->tag_len ?: alg->out_len;
	open->max_len = choice.max_len;
	return 0;
}

/* Has the transform made. After -ETIMEDOUT or -EINTR of the wait itself, the session is dead. */
static int kcrypto_session_wait(struct kcrypto_session *session, bool *is_dead)
{
	int err;

	refcount_inc(&session->users);
	reinit_completion(&session->made);
	kcrypto_task_add(&session->make, session->share);
	err = kcrypto_task_wait(&session->make, &session->made);
	if (!err)
		return session->err;
	*is_dead = true;
	kcrypto_session_kill(session);
	if (err == -ETIMEDOUT)
		kcrypto_count(KCRYPTO_N_TIMEOUTS, 1);
	if (kcrypto_task_cancel(&session->make))
		kcrypto_session_made(session, err);
	return err;
}

/**
 * kcrypto_session_open() - chooses algorithm, driver and key
 * @session: new; the caller that makes it BUSY owns the fields that are constant later
 * @open: as user space gave it; gets the session's number, the driver's name and its longest text
 *
 * Return: 0 or an error; after -ETIMEDOUT and -EINTR of the wait itself the session is dead.
 */
int kcrypto_session_open(struct kcrypto_session *session, struct kcrypto_open *open)
{
	bool is_dead = false;
	int err;

	if (open->flags & ~KCRYPTO_KEY_SERIAL || open->max_len || open->session ||
	    strnlen(open->driver, sizeof(open->driver)) == sizeof(open->driver))
		return -EINVAL;
	if (cmpxchg(&session->state, KCRYPTO_NEW, KCRYPTO_BUSY) != KCRYPTO_NEW)
		return -EBUSY;
	err = kcrypto_session_prepare(session, open);
	if (!err)
		err = kcrypto_session_wait(session, &is_dead);
	if (is_dead)
		return err;
	if (err)
		kcrypto_session_leave(session);
	open->session = session->cookie;
	/* Releases the other fields together with the new state. */
	smp_store_release(&session->state, err ? KCRYPTO_NEW : KCRYPTO_READY);
	return err;
}

struct kcrypto_session *kcrypto_session_new(void)
{
	static atomic_t last_id;
	struct kcrypto_session *session;
	struct kcrypto_user *user = kcrypto_user_get();

	if (IS_ERR(user))
		return ERR_CAST(user);
	session = kzalloc(sizeof(*session), GFP_KERNEL); /* see kcrypto_user_get() */
	if (!session) {
		kcrypto_user_put(user);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&session->refs, 2);
	refcount_set(&session->users, 1);
	session->user = user;
	session->id = atomic_inc_return(&last_id);
	session->cookie = get_random_u64();
	spin_lock_init(&session->lock);
	INIT_LIST_HEAD(&session->jobs);
	init_waitqueue_head(&session->wait);
	INIT_LIST_HEAD(&session->crowd);
	kcrypto_task_init(&session->make, kcrypto_session_make);
	init_completion(&session->made);
	kcrypto_task_init(&session->release, kcrypto_session_release);
	init_completion(&session->released);
	__module_get(THIS_MODULE);
	kcrypto_count(KCRYPTO_N_SESSIONS, 1);
	return session;
}

/*
 * A user who closes his own file may want the key's place in the device for another session. But
 * the file may have been sent to somebody else, or a thread of the kernel closes it, which does so
 * for everybody.
 */
static bool kcrypto_session_is_waited_for(const struct kcrypto_session *session)
{
	if (!session->tfm.base || current->flags & PF_KTHREAD)
		return false;
	return kcrypto_user_is_self(session->user);
}

/* The file is closed: waits until the device has forgotten the key, but not for ever. */
void kcrypto_session_close(struct kcrypto_session *session)
{
	kcrypto_request_abandon(session);
	if (refcount_dec_and_test(&session->users)) {
		bool is_waited_for = kcrypto_session_is_waited_for(session);

		kcrypto_session_end(session);
		if (is_waited_for && !kcrypto_task_is_hopeless(&session->release))
			kcrypto_task_wait(&session->release, &session->released);
	}
	kcrypto_session_put(session);
}
