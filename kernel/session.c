// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: its setup, its life and its end. What may wait for a device, which is making and
 * freeing a transform, is done by the work queue: a caller that waits for it can be killed.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kcrypto.h"

static void free_transform(struct kcrypto_session *session)
{
	if (!session->alg)
		return;
	switch (session->alg->kind) {
	case KCRYPTO_CIPHER:
		crypto_free_skcipher(session->skcipher);
		break;
	case KCRYPTO_AEAD:
		crypto_free_aead(session->aead);
		break;
	default:
		crypto_free_ahash(session->ahash);
	}
}

/* The user of a session pays for it until its transform is gone. */
static void session_put(struct kcrypto_session *session)
{
	if (!refcount_dec_and_test(&session->refs))
		return;
	kcrypto_count_session(-1);
	kfree(session);
	module_put(THIS_MODULE);
}

static void release(struct work_struct *work)
{
	struct kcrypto_session *session = container_of(work, struct kcrypto_session, release);

	free_transform(session);
	kcrypto_user_put(session->user);
	complete(&session->released);
	session_put(session);
}

/* May be called by whoever has the last request, but not by a completion. */
void kcrypto_session_unuse(struct kcrypto_session *session)
{
	if (refcount_dec_and_test(&session->users))
		queue_work(kcrypto_wq, &session->release);
}

struct kcrypto_session *kcrypto_session_new(void)
{
	static atomic_t last_id;
	struct kcrypto_session *session;
	struct kcrypto_user *user = kcrypto_user_get();

	if (IS_ERR(user))
		return ERR_CAST(user);
	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
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
	INIT_WORK(&session->release, release);
	init_completion(&session->released);
	__module_get(THIS_MODULE);
	kcrypto_count_session(1);
	return session;
}

/* The file is closed: waits for the device to forget the key, but not for ever. */
void kcrypto_session_close(struct kcrypto_session *session)
{
	kcrypto_jobs_abandon(session);
	if (refcount_dec_and_test(&session->users)) {
		/* Without a transform there is nothing to wait for. */
		if (!session->alg) {
			release(&session->release);
			session_put(session);
			return;
		}
		queue_work(kcrypto_wq, &session->release);
		wait_for_completion_killable_timeout(&session->released, kcrypto_time_limit());
	}
	session_put(session);
}

/**
 * kcrypto_session_check() - may it be given a request?
 * @session: the file's
 * @cookie: what the caller takes for its number
 *
 * A number of another session is looked at first: who closed a descriptor and has got it again for
 * another file finds out, whatever that is.
 *
 * Return: 0, -ESTALE, -EBADFD (not set up) or -ESHUTDOWN (a driver did not answer in time).
 */
int kcrypto_session_check(const struct kcrypto_session *session, u64 cookie)
{
	if (cookie != session->cookie)
		return -ESTALE;
	/* With it come the session's other fields, see make(). */
	switch (smp_load_acquire(&session->state)) {
	case KCRYPTO_READY:
		return 0;
	case KCRYPTO_DEAD:
		return -ESHUTDOWN;
	default:
		return -EBADFD;
	}
}

void kcrypto_session_kill(struct kcrypto_session *session)
{
	WRITE_ONCE(session->state, KCRYPTO_DEAD);
	kcrypto_count_timeout();
}

/*
 * By the exact name of a driver that was registered and tested a moment ago: with this type and
 * mask the crypto API asks for no module if it has gone since.
 */
#define TYPE CRYPTO_ALG_TESTED
#define MASK (CRYPTO_ALG_TESTED | CRYPTO_NOLOAD)

static int make_cipher(struct kcrypto_session *session, const struct kcrypto_setup *setup)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher(setup->driver, TYPE, MASK);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_skcipher_ivsize(tfm) == setup->alg->iv_len ? 0 : -EINVAL;
	if (!err)
		err = crypto_skcipher_setkey(tfm, setup->key, setup->key_len);
	if (err) {
		crypto_free_skcipher(tfm);
		return err;
	}
	session->skcipher = tfm;
	session->reqsize = sizeof(struct skcipher_request) + crypto_skcipher_reqsize(tfm);
	return 0;
}

static int make_aead(struct kcrypto_session *session, const struct kcrypto_setup *setup)
{
	struct crypto_aead *tfm = crypto_alloc_aead(setup->driver, TYPE, MASK);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_aead_ivsize(tfm) == setup->alg->iv_len ? 0 : -EINVAL;
	if (!err)
		err = crypto_aead_setkey(tfm, setup->key, setup->key_len);
	if (!err)
		err = crypto_aead_setauthsize(tfm, setup->tag_len);
	if (err) {
		crypto_free_aead(tfm);
		return err;
	}
	session->aead = tfm;
	session->reqsize = sizeof(struct aead_request) + crypto_aead_reqsize(tfm);
	return 0;
}

static int make_hash(struct kcrypto_session *session, const struct kcrypto_setup *setup)
{
	struct crypto_ahash *tfm = crypto_alloc_ahash(setup->driver, TYPE, MASK);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_ahash_digestsize(tfm) == setup->alg->out_len ? 0 : -EINVAL;
	if (!err && setup->alg->kind == KCRYPTO_MAC)
		err = crypto_ahash_setkey(tfm, setup->key, setup->key_len);
	if (err) {
		crypto_free_ahash(tfm);
		return err;
	}
	session->ahash = tfm;
	session->reqsize = sizeof(struct ahash_request) + crypto_ahash_reqsize(tfm);
	return 0;
}

static void setup_put(struct kcrypto_setup *setup)
{
	if (refcount_dec_and_test(&setup->refs))
		kfree_sensitive(setup);
}

static void make(struct work_struct *work)
{
	struct kcrypto_setup *setup = container_of(work, struct kcrypto_setup, work);
	struct kcrypto_session *session = setup->session;

	switch (setup->alg->kind) {
	case KCRYPTO_CIPHER:
		setup->err = make_cipher(session, setup);
		break;
	case KCRYPTO_AEAD:
		setup->err = make_aead(session, setup);
		break;
	default:
		setup->err = make_hash(session, setup);
	}
	memzero_explicit(setup->key, sizeof(setup->key));
	if (!setup->err) {
		session->alg = setup->alg;
		session->tag_len = setup->alg->kind == KCRYPTO_AEAD ? setup->tag_len :
								      setup->alg->out_len;
	}
	/* Whoever sees the new state sees the rest; a session that was given up stays so. */
	cmpxchg_release(&session->state, KCRYPTO_BUSY, setup->err ? KCRYPTO_NEW : KCRYPTO_READY);
	complete(&setup->done);
	setup_put(setup);
	kcrypto_session_unuse(session);
}

/* Returns the work, not started, or an error. */
static struct kcrypto_setup *new_setup(const struct kcrypto_open *open)
{
	const struct kcrypto_alg *alg = kcrypto_alg_find(open->algorithm);
	bool has_tag = open->tag_len >= KCRYPTO_MIN_TAG && open->tag_len <= KCRYPTO_MAX_TAG;
	struct kcrypto_setup *setup;
	int err;

	if (!alg)
		return ERR_PTR(-EOPNOTSUPP);
	if (alg->kind == KCRYPTO_AEAD ? !has_tag : open->tag_len)
		return ERR_PTR(-EINVAL);
	setup = kzalloc(sizeof(*setup), GFP_KERNEL_ACCOUNT);
	if (!setup)
		return ERR_PTR(-ENOMEM);
	setup->alg = alg;
	setup->tag_len = open->tag_len;
	memcpy(setup->driver, open->driver, sizeof(setup->driver));
	INIT_WORK(&setup->work, make);
	init_completion(&setup->done);
	refcount_set(&setup->refs, 1);
	err = kcrypto_driver_choose(alg, setup->driver);
	if (!err)
		err = kcrypto_key_get(setup, open);
	if (!err && alg->kind == KCRYPTO_DIGEST && setup->key_len)
		err = -EINVAL;
	if (err) {
		setup_put(setup);
		return ERR_PTR(err);
	}
	return setup;
}

/* The work may outlive the call, the file and the process. */
static int do_setup(struct kcrypto_session *session, struct kcrypto_setup *setup)
{
	long left;

	if (cmpxchg(&session->state, KCRYPTO_NEW, KCRYPTO_BUSY) != KCRYPTO_NEW)
		return -EBUSY;
	refcount_inc(&session->users);
	refcount_inc(&setup->refs);
	setup->session = session;
	queue_work(kcrypto_wq, &setup->work);
	left = wait_for_completion_killable_timeout(&setup->done, kcrypto_time_limit());
	if (left > 0)
		return setup->err;
	kcrypto_session_kill(session);
	return left ? -EINTR : -ETIMEDOUT;
}

long kcrypto_ioctl_open(struct kcrypto_session *session, struct kcrypto_open __user *arg,
			size_t size)
{
	struct kcrypto_setup *setup;
	struct kcrypto_open open;
	int err;

	err = copy_struct_from_user(&open, sizeof(open), arg, size);
	if (err)
		return err;
	if (open.flags & ~KCRYPTO_KEY_SERIAL || open.reserved || open.session ||
	    strnlen(open.driver, sizeof(open.driver)) == sizeof(open.driver))
		return -EINVAL;
	setup = new_setup(&open);
	if (IS_ERR(setup))
		return PTR_ERR(setup);
	err = do_setup(session, setup);
	open.session = session->cookie;
	memset(open.driver, 0, sizeof(open.driver));
	strscpy(open.driver, setup->driver, sizeof(open.driver));
	setup_put(setup);
	if (!err && copy_to_user(arg, &open, sizeof(open)))
		err = -EFAULT;
	return err;
}
