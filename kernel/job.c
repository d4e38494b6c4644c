// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request: its memory, its way to the driver, and the answer. The memory belongs to the owner
 * (the waiting caller, or the session's list) and to the driver, so that neither has to wait for
 * the other. If the driver's reference is the last one, a work queue frees the memory, because a
 * completion must not.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "kcrypto.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static_assert(offsetof(struct kcrypto_job, inner) % __alignof__(struct skcipher_request) == 0);
static_assert(offsetof(struct kcrypto_job, inner) % __alignof__(struct aead_request) == 0);
static_assert(offsetof(struct kcrypto_job, inner) % __alignof__(struct ahash_request) == 0);
static_assert(offsetof(struct kcrypto_job, iv) % ARCH_DMA_MINALIGN == 0);
static_assert(offsetof(struct kcrypto_job, iv) % L1_CACHE_BYTES == 0);
static_assert(offsetof(struct kcrypto_job, inner) - offsetof(struct kcrypto_job, iv) >=
	      L1_CACHE_BYTES);

/*
 * What a block mode or an AEAD has encrypted is no secret. A stream mode may decrypt in either
 * direction, and a request without an answer may hold its input.
 */
static bool kcrypto_job_is_secret(const struct kcrypto_job *job)
{
	const struct kcrypto_alg *alg = job->session->alg;

	if (job->err || job->req.flags & KCRYPTO_DECRYPT)
		return true;
	if (alg->kind == KCRYPTO_AEAD)
		return false;
	return alg->unit == 1 || alg->out_len;
}

/* Returns what the user pays for a job whose buffer has @room bytes. */
static size_t kcrypto_job_price(const struct kcrypto_session *session, size_t room)
{
	return sizeof(struct kcrypto_job) + session->reqsize + room;
}

/* Drops the reference to a share that is not the session's. */
static void kcrypto_job_leave(const struct kcrypto_session *session, struct kcrypto_share *share)
{
	if (share != session->share)
		kcrypto_share_put(share);
}

/* @job: one that has ended, or NULL. */
void kcrypto_job_free(struct kcrypto_job *job)
{
	struct kcrypto_session *session;
	struct kcrypto_share *share;

	if (!job)
		return;
	session = job->session;
	share = job->share;
	kcrypto_share_uncharge(share, kcrypto_job_price(session, job->room));
	kvfree(job->buf);
	kfree(job);
	kcrypto_job_leave(session, share);
}

/* Only the session's own user pays for what is left to its next request. */
static bool kcrypto_job_may_stay(const struct kcrypto_job *job)
{
	if (job->share != job->session->share || is_vmalloc_addr(job->buf))
		return false;
	return kcrypto_share_may_keep(job->share);
}

/*
 * Leaves the memory to the session's next request: allocating it, which on many kernels includes
 * zeroing it, costs as much as all the rest. Wipes what a driver may have written to.
 */
static void kcrypto_job_end(struct kcrypto_job *job)
{
	struct kcrypto_session *session = job->session;

	if (kcrypto_job_is_secret(job))
		memzero_explicit(job->buf, job->size);
	memzero_explicit(job->iv, sizeof(*job) - offsetof(struct kcrypto_job, iv) +
					  session->reqsize);
	put_pid(job->pid);
	if (job->sg != job->few)
		kfree(job->sg);
	if (!kcrypto_job_may_stay(job) || cmpxchg(&session->spare, NULL, job))
		kcrypto_job_free(job);
	kcrypto_session_unuse(session);
}

static void kcrypto_job_end_later(struct work_struct *work)
{
	kcrypto_job_end(container_of(work, struct kcrypto_job, free));
}

/* Drops the owner's reference. */
void kcrypto_job_put(struct kcrypto_job *job)
{
	if (refcount_dec_and_test(&job->refs))
		kcrypto_job_end(job);
}

/* Drops the driver's reference to a job that was started but will not reach the driver. */
void kcrypto_job_unstart(struct kcrypto_job *job)
{
	trace_kcrypto_end(job->session->id, job->req.len, -ECANCELED);
	kcrypto_count(KCRYPTO_N_IN_FLIGHT, -1);
	kcrypto_job_put(job);
}

/* Drops the reference of an owner who does not want an answer. */
void kcrypto_job_abandon(struct kcrypto_job *job)
{
	if (kcrypto_queue_cancel(job))
		kcrypto_job_unstart(job);
	kcrypto_job_put(job);
}

/* Tells the owner; the caller has a reference. A session waits only for submitted jobs. */
void kcrypto_job_wake(struct kcrypto_job *job)
{
	bool is_submitted = job->is_submitted;

	complete_all(&job->done);
	if (is_submitted)
		kcrypto_session_wake(job->session);
}

/* Runs in the driver's context, whatever it is, or in the caller's. */
static void kcrypto_job_answered(struct kcrypto_job *job, int err)
{
	/* The request has left the driver's backlog and is under way. */
	if (err == -EINPROGRESS)
		return;
	/* No number of a driver may be mistaken for a system call's internal one. */
	err = err <= 0 && err > -512 ? err : -EIO;
	trace_kcrypto_end(job->session->id, job->req.len, err);
	kcrypto_count(KCRYPTO_N_IN_FLIGHT, -1);
	kcrypto_count(err ? KCRYPTO_N_FAILED : KCRYPTO_N_DONE, 1);
	if (!err)
		kcrypto_count(KCRYPTO_N_BYTES, job->req.len);
	/* A job that did not enter the queue stays IDLE. */
	if (READ_ONCE(job->stage) == KCRYPTO_IDLE || kcrypto_queue_leave(job, err)) {
		job->err = err;
		kcrypto_job_wake(job);
	}
	if (refcount_dec_and_test(&job->refs))
		queue_work(kcrypto_wq, &job->free);
}

static void kcrypto_job_completion(kcrypto_completion_arg *arg, int err)
{
	kcrypto_job_answered(kcrypto_completion_data(arg), err);
}

/* Checks everything that depends only on what is constant in the session. */
static int kcrypto_job_check(const struct kcrypto_session *session,
			     const struct kcrypto_request *req)
{
	const struct kcrypto_alg *alg = session->alg;

	if (req->flags & ~KCRYPTO_DECRYPT || req->reserved)
		return -EINVAL;
	if (req->len > session->max_len || req->aad_len > KCRYPTO_MAX_AAD)
		return -EMSGSIZE;
	if (req->len < alg->min_len || req->len % alg->unit)
		return -EINVAL;
	if (req->iv_len != alg->iv_len || req->tag_len != session->tag_len)
		return -EINVAL;
	if (req->aad_len && alg->kind != KCRYPTO_AEAD)
		return -EINVAL;
	if (alg->out_len && (req->out || req->flags))
		return -EINVAL;
	/* Only 32-bit machines have numbers that are no address. */
	if (BITS_PER_LONG == 32 &&
	    upper_32_bits(req->in | req->out | req->iv | req->aad | req->tag))
		return -EFAULT;
	return 0;
}

/*
 * Allocates @size bytes within the limits of the user who pays, in one piece if possible. The job
 * gets the caller's reference to @share.
 */
static struct kcrypto_job *kcrypto_job_alloc(struct kcrypto_session *session,
					     struct kcrypto_share *share, size_t size)
{
	size_t price = kcrypto_job_price(session, size);
	struct kcrypto_job *job;

	if (!kcrypto_share_charge(share, price)) {
		kcrypto_job_leave(session, share);
		return ERR_PTR(-EAGAIN);
	}
	job = kzalloc(sizeof(*job) + session->reqsize, GFP_KERNEL_ACCOUNT);
	if (!job) {
		kcrypto_share_uncharge(share, price);
		kcrypto_job_leave(session, share);
		return ERR_PTR(-ENOMEM);
	}
	job->session = session;
	job->share = share;
	job->room = size;
	job->buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (job->buf)
		return job;
	kcrypto_job_free(job);
	return ERR_PTR(-ENOMEM);
}

/*
 * Another user who was given the descriptor pays for his requests himself, and they wait in his
 * line: he takes neither memory nor turns from the user who opened the session.
 */
static struct kcrypto_job *kcrypto_job_get_foreign(struct kcrypto_session *session, size_t size)
{
	struct kcrypto_share *share =
		kcrypto_share_get(session->share->queue->name, kcrypto_user_self());

	if (!share)
		return ERR_PTR(-ENOMEM);
	return kcrypto_job_alloc(session, share, size);
}

/*
 * Memory that the last request left stays charged, so that this request writes to nothing that all
 * of the user's sessions share.
 */
static struct kcrypto_job *kcrypto_job_get_own(struct kcrypto_session *session, size_t size)
{
	struct kcrypto_job *spare = xchg(&session->spare, NULL);

	if (spare && spare->room >= size)
		return spare;
	kcrypto_job_free(spare);
	return kcrypto_job_alloc(session, session->share, size);
}

static struct kcrypto_job *kcrypto_job_get(struct kcrypto_session *session, size_t size)
{
	/*
	 * At least 1 KiB, so that the next request fits, too; and a device may write whole cache
	 * lines.
	 */
	size = ALIGN(max_t(size_t, size, SZ_1K), KCRYPTO_ALIGN);
	if (kcrypto_user_is_self(session->user))
		return kcrypto_job_get_own(session, size);
	return kcrypto_job_get_foreign(session, size);
}

static unsigned int kcrypto_pages(size_t at, size_t len)
{
	return DIV_ROUND_UP(offset_in_page(at) + len, PAGE_SIZE);
}

static struct scatterlist *kcrypto_list_pages(struct scatterlist *sg, const u8 *at, size_t len)
{
	while (len) {
		size_t part = min_t(size_t, len, PAGE_SIZE - offset_in_page(at));

		sg_set_page(sg++, vmalloc_to_page(at), part, offset_in_page(at));
		at += part;
		len -= part;
	}
	return sg;
}

/*
 * Lists the AAD, if it does not end where the text begins, and the text. Devices need physical
 * pages.
 */
static int kcrypto_job_list(struct kcrypto_job *job)
{
	size_t aad_len = job->text_at == job->req.aad_len ? 0 : job->req.aad_len;
	size_t at = aad_len ? job->text_at : 0, len = job->size - at;
	struct scatterlist *sg = job->few;
	unsigned int n;

	job->sg = sg;
	if (!is_vmalloc_addr(job->buf)) {
		sg_init_table(sg, aad_len ? 2 : 1);
		if (aad_len)
			sg_set_buf(sg++, job->buf, aad_len);
		sg_set_buf(sg, job->buf + at, len);
		return 0;
	}
	n = kcrypto_pages(0, aad_len) + kcrypto_pages(at, len);
	sg = kmalloc_array(n, sizeof(*sg), GFP_KERNEL_ACCOUNT);
	if (!sg)
		return -ENOMEM;
	job->sg = sg;
	sg_init_table(sg, n);
	sg = kcrypto_list_pages(sg, job->buf, aad_len);
	kcrypto_list_pages(sg, job->buf + at, len);
	return 0;
}

/*
 * CCM's IV, the only one of an AEAD that is a whole block, begins with the length of its counter
 * less one, which must suffice for the text. The counter must begin at zero: drivers treat other
 * values differently.
 */
static int kcrypto_job_fix_iv(struct kcrypto_job *job)
{
	const struct kcrypto_alg *alg = job->session->alg;
	unsigned int counter_len = job->iv[0] + 1;

	if (alg->kind != KCRYPTO_AEAD || alg->iv_len != KCRYPTO_MAX_IV)
		return 0;
	if (counter_len < 2 || counter_len > 8)
		return -EINVAL;
	if (counter_len < sizeof(job->req.len) && job->req.len >> (8 * counter_len))
		return -EINVAL;
	memset(job->iv + KCRYPTO_MAX_IV - counter_len, 0, counter_len);
	return 0;
}

/*
 * Copy a nonce, the AAD of a TLS 1.2 record, an IV or a tag. CONFIG_HARDENED_USERCOPY looks up the
 * memory of a copy only if its length is not a constant; that takes longer than such a copy.
 */
static unsigned long kcrypto_copy_in_short(u8 *to, u64 from, size_t len)
{
	switch (len) {
	case 12:
		return copy_from_user(to, u64_to_user_ptr(from), 12);
	case 13:
		return copy_from_user(to, u64_to_user_ptr(from), 13);
	case 16:
		return copy_from_user(to, u64_to_user_ptr(from), 16);
	default:
		return copy_from_user(to, u64_to_user_ptr(from), len);
	}
}

static unsigned long kcrypto_copy_out_short(u64 to, const u8 *from, size_t len)
{
	if (len == 16)
		return copy_to_user(u64_to_user_ptr(to), from, 16);
	return copy_to_user(u64_to_user_ptr(to), from, len);
}

/* After this, nothing that user space does changes the request. */
static int kcrypto_job_copy_in(struct kcrypto_job *job)
{
	const struct kcrypto_request *req = &job->req;
	u8 *text = job->buf + job->text_at, *tag = text + req->len;

	/* @result holds the longest IV, which is a midstate. */
	if (kcrypto_copy_in_short(job->result, req->iv, req->iv_len) ||
	    kcrypto_copy_in_short(job->buf, req->aad, req->aad_len) ||
	    copy_from_user(text, u64_to_user_ptr(req->in), req->len))
		return -EFAULT;
	if (job->session->alg->kind != KCRYPTO_AEAD)
		return 0;
	if (!(req->flags & KCRYPTO_DECRYPT))
		/* No kernel memory reaches the caller, even if a driver writes nothing. */
		memset(tag, 0, req->tag_len);
	else if (kcrypto_copy_in_short(tag, req->tag, req->tag_len))
		return -EFAULT;
	return kcrypto_job_fix_iv(job);
}

static int kcrypto_job_fill(struct kcrypto_job *job)
{
	int err = kcrypto_job_list(job);

	if (err)
		return err;
	return kcrypto_job_copy_in(job);
}

/**
 * kcrypto_job_new() - checks a request and copies its input
 * @session: the file's
 * @req: as user space gave it
 *
 * Return: the job, or an error.
 */
struct kcrypto_job *kcrypto_job_new(struct kcrypto_session *session,
				    const struct kcrypto_request *req)
{
	int err = kcrypto_session_check(session, req->session) ?: kcrypto_job_check(session, req);
	size_t size, text_at;
	struct kcrypto_job *job;

	if (err)
		return ERR_PTR(err);
	/*
	 * Aligns the text whatever the AAD's length, because many devices would copy it otherwise.
	 */
	text_at = ALIGN(req->aad_len, KCRYPTO_ALIGN);
	size = text_at + req->len;
	if (session->alg->kind == KCRYPTO_AEAD)
		size += req->tag_len;
	/* At least one byte, because the crypto API needs an address. */
	size = max_t(size_t, size, 1);
	job = kcrypto_job_get(session, size);
	if (IS_ERR(job))
		return job;
	refcount_set(&job->refs, 1);
	refcount_inc(&session->users);
	job->size = size;
	job->text_at = text_at;
	job->pid = NULL;
	job->req = *req;
	INIT_WORK(&job->free, kcrypto_job_end_later);
	init_completion(&job->done);
	job->stage = KCRYPTO_IDLE;
	job->is_submitted = false;
	job->err = -EINPROGRESS; /* until the driver answers */
	err = kcrypto_job_fill(job);
	if (err) {
		kcrypto_job_put(job);
		return ERR_PTR(err);
	}
	return job;
}

/* Only this program of this process will reap it. */
void kcrypto_job_submit(struct kcrypto_job *job)
{
	job->is_submitted = true;
	job->pid = get_pid(task_tgid(current));
	job->exec = current->self_exec_id;
}

static int kcrypto_start_cipher(struct kcrypto_job *job)
{
	struct skcipher_request *req = (void *)job->inner;

	skcipher_request_set_tfm(req, job->session->tfm.skcipher);
	skcipher_request_set_callback(req, KCRYPTO_MAY, kcrypto_job_completion, job);
	skcipher_request_set_crypt(req, job->sg, job->sg, job->req.len, job->iv);
	if (job->req.flags & KCRYPTO_DECRYPT)
		return crypto_skcipher_decrypt(req);
	return crypto_skcipher_encrypt(req);
}

static int kcrypto_start_aead(struct kcrypto_job *job)
{
	struct aead_request *req = (void *)job->inner;
	bool is_decryption = job->req.flags & KCRYPTO_DECRYPT;

	aead_request_set_tfm(req, job->session->tfm.aead);
	aead_request_set_callback(req, KCRYPTO_MAY, kcrypto_job_completion, job);
	aead_request_set_ad(req, job->req.aad_len);
	aead_request_set_crypt(req, job->sg, job->sg,
			       job->req.len + (is_decryption ? job->req.tag_len : 0), job->iv);
	if (is_decryption)
		return crypto_aead_decrypt(req);
	return crypto_aead_encrypt(req);
}

static int kcrypto_start_hash(struct kcrypto_job *job)
{
	struct ahash_request *req = (void *)job->inner;

	ahash_request_set_tfm(req, job->session->tfm.ahash);
	ahash_request_set_callback(req, KCRYPTO_MAY, kcrypto_job_completion, job);
	ahash_request_set_crypt(req, job->sg, job->result, job->req.len);
	return crypto_ahash_digest(req);
}

static int kcrypto_start_blocks(struct kcrypto_job *job)
{
	struct ahash_request *req = (void *)job->inner;
	int err;

	ahash_request_set_tfm(req, job->session->tfm.ahash);
	ahash_request_set_callback(req, KCRYPTO_MAY, kcrypto_job_completion, job);
	ahash_request_set_crypt(req, job->sg, NULL, job->req.len);
	err = kcrypto_midstate_import(job);
	if (err)
		return err;
	return crypto_ahash_update(req);
}

/* Gives the job to the driver, whose answer drops a reference. Only in process context. */
void kcrypto_job_give(struct kcrypto_job *job)
{
	static int (*const starters[])(struct kcrypto_job *) = {
		[KCRYPTO_CIPHER] = kcrypto_start_cipher, [KCRYPTO_AEAD] = kcrypto_start_aead,
		[KCRYPTO_DIGEST] = kcrypto_start_hash, [KCRYPTO_MAC] = kcrypto_start_hash,
		[KCRYPTO_BLOCKS] = kcrypto_start_blocks,
	};
	bool is_async = job->session->is_async;
	int err = starters[job->session->alg->kind](job);

	/*
	 * -EBUSY: the driver has put it into its backlog, unless it has none because it answers at
	 * once. In both cases it may have answered already.
	 */
	if (err != -EINPROGRESS && (err != -EBUSY || !is_async))
		kcrypto_job_answered(job, err);
}

/* Has the job given to the driver, now or when its turn comes. */
void kcrypto_job_start(struct kcrypto_job *job)
{
	if (is_vmalloc_addr(job->buf))
		flush_kernel_vmap_range(job->buf, job->size);
	refcount_inc(&job->refs);
	trace_kcrypto_begin(job->session->id, job->req.len, job->req.flags);
	kcrypto_count(KCRYPTO_N_IN_FLIGHT, 1);
	/* A driver that works in its caller's context has no queue. */
	if (!job->session->is_async) {
		kcrypto_job_give(job);
	} else if (kcrypto_queue_enter(job)) {
		kcrypto_job_give(job);
		kcrypto_queue_given(job->session->share->queue);
	}
}

/**
 * kcrypto_job_result() - writes the output of a finished job to user space
 * @job: of the caller's process; the driver has answered
 *
 * Return: 0 or an error, after which no output has been written; after -EFAULT, a part of it.
 */
int kcrypto_job_result(struct kcrypto_job *job)
{
	const struct kcrypto_request *req = &job->req;
	const struct kcrypto_alg *alg = job->session->alg;
	const u8 *text = job->buf + job->text_at, *tag = text + req->len;
	bool has_tag = alg->kind == KCRYPTO_AEAD && !(req->flags & KCRYPTO_DECRYPT);

	if (!job->err && alg->kind == KCRYPTO_BLOCKS)
		job->err = kcrypto_midstate_export(job);
	if (job->err)
		return job->err;
	if (is_vmalloc_addr(job->buf))
		invalidate_kernel_vmap_range(job->buf, job->size);
	if (alg->out_len)
		tag = job->result;
	else if (copy_to_user(u64_to_user_ptr(req->out), text, req->len))
		return -EFAULT;
	if ((alg->out_len || has_tag) && kcrypto_copy_out_short(req->tag, tag, req->tag_len))
		return -EFAULT;
	return 0;
}
