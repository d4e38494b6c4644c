// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: its setup, its life and its end. What may wait for a device, which is making and
 * freeing a transform, is done by the work queue: a caller that waits for it can be killed.
 */
#include <linux/module.h>
#include <linux/random.h>

#include "kcrypto.h"

static void session_put(struct kcrypto_session *session)
{
	if (!refcount_dec_and_test(&session->refs))
		return;
	kcrypto_count(SESSIONS, -1);
	kfree(session);
	module_put(THIS_MODULE);
}

static void free_transform(struct kcrypto_session *session)
{
	/* What crypto_free_skcipher(), _aead() and _ahash() do. */
	if (session->base)
		crypto_destroy_tfm(session->skcipher, session->base);
	session->base = NULL;
}

/* The user of a session pays for it until its transform is gone. */
static void release(struct work_struct *work)
{
	struct kcrypto_session *session = container_of(work, struct kcrypto_session, release);

	free_transform(session);
	kcrypto_job_free(session->spare);
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
	int state;

	if (cookie != session->cookie)
		return -ESTALE;
	/* With it come the session's other fields, see kcrypto_session_open(). */
	state = smp_load_acquire(&session->state);
	if (state == KCRYPTO_DEAD)
		return -ESHUTDOWN;
	return state == KCRYPTO_READY ? 0 : -EBADFD;
}

void kcrypto_session_kill(struct kcrypto_session *session)
{
	WRITE_ONCE(session->state, KCRYPTO_DEAD);
	kcrypto_count(TIMEOUTS, 1);
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

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	session->skcipher = tfm;
	session->base = crypto_skcipher_tfm(tfm);
	session->reqsize = sizeof(struct skcipher_request) + crypto_skcipher_reqsize(tfm);
	if (crypto_skcipher_ivsize(tfm) != session->alg->iv_len)
		return -EINVAL;
	return crypto_skcipher_setkey(tfm, setup->key, setup->key_len);
}

static int make_aead(struct kcrypto_session *session, const struct kcrypto_setup *setup)
{
	struct crypto_aead *tfm = crypto_alloc_aead(setup->driver, TYPE, MASK);

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	session->aead = tfm;
	session->base = crypto_aead_tfm(tfm);
	session->reqsize = sizeof(struct aead_request) + crypto_aead_reqsize(tfm);
	if (crypto_aead_ivsize(tfm) != session->alg->iv_len)
		return -EINVAL;
	return crypto_aead_setkey(tfm, setup->key, setup->key_len) ?:
	       crypto_aead_setauthsize(tfm, session->tag_len);
}

static int make_hash(struct kcrypto_session *session, const struct kcrypto_setup *setup)
{
	struct crypto_ahash *tfm = crypto_alloc_ahash(setup->driver, TYPE, MASK);

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	session->ahash = tfm;
	session->base = crypto_ahash_tfm(tfm);
	session->reqsize = sizeof(struct ahash_request) + crypto_ahash_reqsize(tfm);
	if (crypto_ahash_digestsize(tfm) != session->alg->out_len)
		return -EINVAL;
	if (session->alg->kind == KCRYPTO_DIGEST)
		return 0;
	return crypto_ahash_setkey(tfm, setup->key, setup->key_len);
}

/* May outlive the call, the file and the process. */
static void make(struct work_struct *work)
{
	static int (*const makers[])(struct kcrypto_session *, const struct kcrypto_setup *) = {
		[KCRYPTO_CIPHER] = make_cipher, [KCRYPTO_AEAD] = make_aead,
		[KCRYPTO_DIGEST] = make_hash, [KCRYPTO_MAC] = make_hash,
	};
	struct kcrypto_session *session = container_of(work, struct kcrypto_session, make);

	session->err = makers[session->alg->kind](session, session->setup);
	kfree_sensitive(session->setup);
	if (session->err)
		free_transform(session);
	complete(&session->made);
	kcrypto_session_unuse(session);
}

/* Everything that does not wait for a device; @open gets the driver's name. */
static int prepare(struct kcrypto_session *session, struct kcrypto_open *open)
{
	bool has_tag = open->tag_len >= KCRYPTO_MIN_TAG && open->tag_len <= KCRYPTO_MAX_TAG;
	const struct kcrypto_alg *alg = kcrypto_alg_find(open->algorithm);
	struct kcrypto_setup *setup;
	int err;

	if (!alg)
		return -EOPNOTSUPP;
	if (alg->kind == KCRYPTO_AEAD ? !has_tag : open->tag_len)
		return -EINVAL;
	err = kcrypto_driver_choose(alg, open->driver);
	if (err)
		return err;
	setup = kzalloc(sizeof(*setup), GFP_KERNEL_ACCOUNT);
	if (!setup)
		return -ENOMEM;
	strscpy(setup->driver, open->driver, sizeof(setup->driver));
	err = kcrypto_key_get(setup, open);
	if (!err && alg->kind == KCRYPTO_DIGEST && setup->key_len)
		err = -EINVAL;
	if (err) {
		kfree_sensitive(setup);
		return err;
	}
	session->setup = setup;
	session->alg = alg;
	session->tag_len = open->tag_len ?: alg->out_len;
	return 0;
}

/**
 * kcrypto_session_open() - chooses algorithm, driver and key
 * @session: new; who makes it busy owns what is constant later
 * @open: as user space gave it; gets the session's number and the driver's name
 *
 * Return: 0 or an error, after -ETIMEDOUT and -EINTR of a caller's own the session is dead.
 */
int kcrypto_session_open(struct kcrypto_session *session, struct kcrypto_open *open)
{
	long left;
	int err;

	if (open->flags & ~KCRYPTO_KEY_SERIAL || open->reserved || open->session ||
	    strnlen(open->driver, sizeof(open->driver)) == sizeof(open->driver))
		return -EINVAL;
	if (cmpxchg(&session->state, KCRYPTO_NEW, KCRYPTO_BUSY) != KCRYPTO_NEW)
		return -EBUSY;
	err = prepare(session, open);
	if (!err) {
		refcount_inc(&session->users);
		reinit_completion(&session->made);
		queue_work(kcrypto_wq, &session->make);
		left = wait_for_completion_killable_timeout(&session->made, kcrypto_time_limit());
		if (left <= 0) {
			kcrypto_session_kill(session);
			return left ? -EINTR : -ETIMEDOUT;
		}
		err = session->err;
	}
	open->session = session->cookie;
	/* Whoever sees the new state sees the rest. */
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
	INIT_DELAYED_WORK(&session->clock, kcrypto_request_clock);
	INIT_WORK(&session->make, make);
	init_completion(&session->made);
	INIT_WORK(&session->release, release);
	init_completion(&session->released);
	__module_get(THIS_MODULE);
	kcrypto_count(SESSIONS, 1);
	return session;
}

/* The file is closed: waits for the device to forget the key, but not for ever. */
void kcrypto_session_close(struct kcrypto_session *session)
{
	kcrypto_request_abandon(session);
	if (refcount_dec_and_test(&session->users)) {
		/* Without a transform there is nothing to wait for. */
		if (session->base)
			queue_work(kcrypto_wq, &session->release);
		else
			release(&session->release);
		wait_for_completion_killable_timeout(&session->released, kcrypto_time_limit());
	}
	session_put(session);
}
