// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request: its memory, its way to the driver, and the answer. The memory belongs to the owner
 * (a caller that waits, or the session's list) and to the driver, so that neither has to wait for
 * the other: what is left at last is freed by a work queue, as a completion must not.
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
 * What a block mode or an AEAD has encrypted is not secret. A stream mode may decrypt in either
 * direction, and a request that was not answered may hold its input.
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

/* What the user pays for a job whose buffer has @room bytes. */
static size_t kcrypto_job_price(const struct kcrypto_session *session, size_t room)
{
	return sizeof(struct kcrypto_job) + session->reqsize + room;
}

/* @job: one that has ended, or NULL. */
void kcrypto_job_free(struct kcrypto_job *job)
{
	struct kcrypto_session *session;

	if (!job)
		return;
	session = job->session;
	kcrypto_share_uncharge(session->share, kcrypto_job_price(session, job->room));
	kvfree(job->buf);
	kfree(job);
}

/*
 * The session's next request takes its memory: to allocate that, which on many kernels means to
 * fill it with zeros, costs as much as all else. What a driver may have written to is wiped.
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
	if (is_vmalloc_addr(job->buf) || !kcrypto_share_may_keep(session->share) ||
	    cmpxchg(&session->spare, NULL, job))
		kcrypto_job_free(job);
	kcrypto_session_unuse(session);
}

static void kcrypto_job_end_later(struct work_struct *work)
{
	kcrypto_job_end(container_of(work, struct kcrypto_job, free));
}

/* The owner's reference. */
void kcrypto_job_put(struct kcrypto_job *job)
{
	if (refcount_dec_and_test(&job->refs))
		kcrypto_job_end(job);
}

/* The driver's, of a job that was started but will not reach it. */
void kcrypto_job_unstart(struct kcrypto_job *job)
{
	trace_kcrypto_end(job->session->id, job->req.len, -ECANCELED);
	kcrypto_count(KCRYPTO_N_IN_FLIGHT, -1);
	kcrypto_job_put(job);
}

/* The owner's, who does not want an answer. */
void kcrypto_job_abandon(struct kcrypto_job *job)
{
	if (kcrypto_queue_cancel(job))
		kcrypto_job_unstart(job);
	kcrypto_job_put(job);
}

/* Tells the owner; the caller has a reference. Only a submitted job is waited for by a session. */
void kcrypto_job_wake(struct kcrypto_job *job)
{
	bool is_submitted = job->is_submitted;

	complete_all(&job->done);
	if (is_submitted)
		kcrypto_session_wake(job->session);
}

/* In whatever context the driver answers, or in the caller's. */
static void kcrypto_job_answered(struct kcrypto_job *job, int err)
{
	/* It has left the driver's backlog, and is under way now. */
	if (err == -EINPROGRESS)
		return;
	/* No number of a driver's may be taken for a system call's own. */
	err = err <= 0 && err > -512 ? err : -EIO;
	trace_kcrypto_end(job->session->id, job->req.len, err);
	kcrypto_count(KCRYPTO_N_IN_FLIGHT, -1);
	kcrypto_count(err ? KCRYPTO_N_FAILED : KCRYPTO_N_DONE, 1);
	if (!err)
		kcrypto_count(KCRYPTO_N_BYTES, job->req.len);
	/* One that did not enter stays as it is. */
	if (READ_ONCE(job->stage) == KCRYPTO_IDLE || kcrypto_queue_leave(job)) {
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

/* Everything that depends only on what is constant in the session. */
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
	/* Only on machines of 32 bits there are numbers that are no address. */
	if (BITS_PER_LONG == 32 &&
	    upper_32_bits(req->in | req->out | req->iv | req->aad | req->tag))
		return -EFAULT;
	return 0;
}

/* Memory for @size bytes, in one piece where that is to be had, within the user's limits. */
static struct kcrypto_job *kcrypto_job_alloc(struct kcrypto_session *session, size_t size)
{
	size_t price = kcrypto_job_price(session, size);
	struct kcrypto_job *job;

	if (!kcrypto_share_charge(session->share, price))
		return ERR_PTR(-EAGAIN);
	job = kzalloc(sizeof(*job) + session->reqsize, GFP_KERNEL_ACCOUNT);
	if (!job) {
		kcrypto_share_uncharge(session->share, price);
		return ERR_PTR(-ENOMEM);
	}
	job->session = session;
	job->room = size;
	job->buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (job->buf)
		return job;
	kcrypto_job_free(job);
	return ERR_PTR(-ENOMEM);
}

/*
 * The memory that the last request left counts as one, so that this one writes nothing that all of
 * a user's sessions share.
 */
static struct kcrypto_job *kcrypto_job_get(struct kcrypto_session *session, size_t size)
{
	struct kcrypto_job *spare = xchg(&session->spare, NULL);

	if (spare && spare->room >= size)
		return spare;
	kcrypto_job_free(spare);
	/* Short ones cost memory, too; and a device may write to whole cache lines. */
	return kcrypto_job_alloc(session, ALIGN(max_t(size_t, size, SZ_1K), KCRYPTO_ALIGN));
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

/* AAD, if it does not end where the text begins, and text. Devices see physical pages. */
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
 * less one, which must be enough for the text. The counter begins at zero. Drivers differ in what
 * they make of other values.
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

/* After this nothing that user space does changes the request. */
static int kcrypto_job_copy_in(struct kcrypto_job *job)
{
	const struct kcrypto_request *req = &job->req;
	u8 *text = job->buf + job->text_at, *tag = text + req->len;

	/* @result is as long as the longest IV, which is a midstate. */
	if (copy_from_user(job->result, u64_to_user_ptr(req->iv), req->iv_len) ||
	    copy_from_user(job->buf, u64_to_user_ptr(req->aad), req->aad_len) ||
	    copy_from_user(text, u64_to_user_ptr(req->in), req->len))
		return -EFAULT;
	if (job->session->alg->kind != KCRYPTO_AEAD)
		return 0;
	if (!(req->flags & KCRYPTO_DECRYPT))
		/* No kernel memory reaches the caller, even if a driver writes nothing. */
		memset(tag, 0, req->tag_len);
	else if (copy_from_user(tag, u64_to_user_ptr(req->tag), req->tag_len))
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
	/* Text begins aligned, whatever the length of the AAD: else many devices copy it. */
	text_at = ALIGN(req->aad_len, KCRYPTO_ALIGN);
	size = text_at + req->len;
	if (session->alg->kind == KCRYPTO_AEAD)
		size += req->tag_len;
	/* An empty message has an address, too. */
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

/* It will be reaped by this program of this process, and no other. */
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

/* Gives it to the driver, whose answer ends a reference. In process context. */
void kcrypto_job_give(struct kcrypto_job *job)
{
	static int (*const starters[])(struct kcrypto_job *) = {
		[KCRYPTO_CIPHER] = kcrypto_start_cipher, [KCRYPTO_AEAD] = kcrypto_start_aead,
		[KCRYPTO_DIGEST] = kcrypto_start_hash, [KCRYPTO_MAC] = kcrypto_start_hash,
		[KCRYPTO_BLOCKS] = kcrypto_start_blocks,
	};
	int err = starters[job->session->alg->kind](job);

	/* Busy: it waits in the driver's backlog. Later the driver may have answered already. */
	if (err != -EINPROGRESS && err != -EBUSY)
		kcrypto_job_answered(job, err);
}

/* Has it given to the driver, now or when it is its turn. */
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
 * Return: 0 or an error, after which nothing of the driver's has been written, or with -EFAULT a
 * part of it.
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
	if ((alg->out_len || has_tag) && copy_to_user(u64_to_user_ptr(req->tag), tag, req->tag_len))
		return -EFAULT;
	return 0;
}
