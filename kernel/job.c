// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request: its memory, its way to the driver, and the answer. The memory belongs to the owner
 * (a caller that waits, or the session's list) and to the driver, so that neither has to wait for
 * the other: what is left at last is freed by the work queue, as a completion must not.
 */
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "kcrypto.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/*
 * What a block mode or an AEAD has encrypted is not secret. A stream mode may decrypt in either
 * direction, and a request that was not answered may hold its input.
 */
static bool is_secret(const struct kcrypto_job *job)
{
	const struct kcrypto_alg *alg = job->session->alg;

	return job->err || job->req.flags & KCRYPTO_DECRYPT ||
	       (alg->kind != KCRYPTO_AEAD && alg->unit == 1);
}

/* @job: one that has ended, or NULL. */
void kcrypto_job_free(struct kcrypto_job *job)
{
	if (!job)
		return;
	kcrypto_user_uncharge(job->session->user, job->room);
	kvfree(job->buf);
	kfree(job);
}

/*
 * The session's next request takes its memory: to allocate that, which on many kernels means to
 * fill it with zeros, costs as much as all else. What a driver may have written to is wiped.
 */
static void job_end(struct kcrypto_job *job)
{
	struct kcrypto_session *session = job->session;

	if (is_secret(job))
		memzero_explicit(job->buf, job->size);
	memzero_explicit(job->iv, sizeof(*job) - offsetof(struct kcrypto_job, iv) +
					  session->reqsize);
	mmdrop(job->mm);
	if (job->sg != &job->one)
		kfree(job->sg);
	if (is_vmalloc_addr(job->buf) || !kcrypto_user_may_keep(session->user) ||
	    cmpxchg(&session->spare, NULL, job))
		kcrypto_job_free(job);
	kcrypto_session_unuse(session);
}

static void end_later(struct work_struct *work)
{
	job_end(container_of(work, struct kcrypto_job, free));
}

/* The owner's reference. */
void kcrypto_job_put(struct kcrypto_job *job)
{
	if (refcount_dec_and_test(&job->refs))
		job_end(job);
}

/* In whatever context the driver answers, or in the caller's. */
static void answered(struct kcrypto_job *job, int err)
{
	struct kcrypto_session *session = job->session;

	/* It has left the driver's backlog, and is under way now. */
	if (err == -EINPROGRESS)
		return;
	/* No number of a driver's may be taken for a system call's own. */
	job->err = err <= 0 && err > -512 ? err : -EIO;
	trace_kcrypto_end(session->id, job->req.len, job->err);
	kcrypto_count(IN_FLIGHT, -1);
	kcrypto_count(job->err ? FAILED : DONE, 1);
	kcrypto_count(BYTES, job->err ? 0 : job->req.len);
	complete_all(&job->done);
	if (wq_has_sleeper(&session->wait))
		wake_up_all(&session->wait);
	if (refcount_dec_and_test(&job->refs))
		queue_work(kcrypto_wq, &job->free);
}

static void completion(kcrypto_completion_arg *arg, int err)
{
	answered(kcrypto_completion_data(arg), err);
}

/* Everything that depends only on what is constant in the session. */
static int check(const struct kcrypto_session *session, const struct kcrypto_request *req)
{
	const struct kcrypto_alg *alg = session->alg;

	if (req->flags & ~KCRYPTO_DECRYPT || req->reserved)
		return -EINVAL;
	if (req->len > KCRYPTO_MAX_LEN || req->aad_len > KCRYPTO_MAX_AAD)
		return -EMSGSIZE;
	if (req->len < alg->min_len || req->len % alg->unit || req->iv_len != alg->iv_len ||
	    req->tag_len != session->tag_len)
		return -EINVAL;
	if ((req->aad_len && alg->kind != KCRYPTO_AEAD) ||
	    (alg->out_len && (req->out || req->flags)))
		return -EINVAL;
	/* Only on machines of 32 bits there are numbers that are no address. */
	if (BITS_PER_LONG == 32 &&
	    upper_32_bits(req->in | req->out | req->iv | req->aad | req->tag))
		return -EFAULT;
	return 0;
}

/* Memory for @size bytes, in one piece where that is to be had. */
static struct kcrypto_job *job_alloc(struct kcrypto_session *session, size_t size)
{
	struct kcrypto_job *job = xchg(&session->spare, NULL);

	if (job && job->room >= size)
		return job;
	kcrypto_job_free(job);
	if (!kcrypto_user_charge(session->user, size))
		return ERR_PTR(-EAGAIN);
	job = kzalloc(sizeof(*job) + session->reqsize, GFP_KERNEL_ACCOUNT);
	if (!job) {
		kcrypto_user_uncharge(session->user, size);
		return ERR_PTR(-ENOMEM);
	}
	job->session = session;
	job->room = size;
	/* A device may write to whole cache lines. */
	job->buf = kvmalloc(ALIGN(size, L1_CACHE_BYTES), GFP_KERNEL_ACCOUNT);
	if (job->buf)
		return job;
	kcrypto_job_free(job);
	return ERR_PTR(-ENOMEM);
}

/* Devices see physical pages. */
static int list_pages(struct kcrypto_job *job)
{
	unsigned int i, n = DIV_ROUND_UP(job->size, PAGE_SIZE);
	size_t left = job->size;

	job->sg = &job->one;
	if (!is_vmalloc_addr(job->buf)) {
		sg_init_one(job->sg, job->buf, left);
		return 0;
	}
	job->sg = kmalloc_array(n, sizeof(*job->sg), GFP_KERNEL_ACCOUNT);
	if (!job->sg)
		return -ENOMEM;
	sg_init_table(job->sg, n);
	for (i = 0; i < n; i++, left -= PAGE_SIZE)
		sg_set_page(&job->sg[i], vmalloc_to_page(job->buf + i * PAGE_SIZE),
			    min_t(size_t, left, PAGE_SIZE), 0);
	return 0;
}

/* After this nothing that user space does changes the request. */
static int copy_in(struct kcrypto_job *job)
{
	const struct kcrypto_request *req = &job->req;
	u8 *text = job->buf + req->aad_len, *tag = text + req->len;

	if (copy_from_user(job->iv, u64_to_user_ptr(req->iv), req->iv_len) ||
	    copy_from_user(job->buf, u64_to_user_ptr(req->aad), req->aad_len) ||
	    copy_from_user(text, u64_to_user_ptr(req->in), req->len))
		return -EFAULT;
	if (job->session->alg->kind != KCRYPTO_AEAD)
		return 0;
	if (!(req->flags & KCRYPTO_DECRYPT))
		/* Nothing of the kernel's, even if a driver forgets it. */
		memset(tag, 0, req->tag_len);
	else if (copy_from_user(tag, u64_to_user_ptr(req->tag), req->tag_len))
		return -EFAULT;
	return 0;
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
	int err = kcrypto_session_check(session, req->session) ?: check(session, req);
	struct kcrypto_job *job;
	size_t size;

	if (err)
		return ERR_PTR(err);
	size = req->aad_len + req->len + (session->alg->kind == KCRYPTO_AEAD ? req->tag_len : 0);
	/* An empty message has an address, too. */
	size = max_t(size_t, size, 1);
	/* Short ones cost memory, too. */
	job = job_alloc(session, max_t(size_t, size, SZ_1K));
	if (IS_ERR(job))
		return job;
	refcount_set(&job->refs, 1);
	refcount_inc(&session->users);
	job->size = size;
	job->mm = current->mm;
	mmgrab(job->mm);
	job->req = *req;
	INIT_WORK(&job->free, end_later);
	init_completion(&job->done);
	job->err = -EINPROGRESS; /* until the driver answers */
	job->deadline = jiffies + kcrypto_time_limit();
	err = list_pages(job) ?: copy_in(job);
	if (err) {
		kcrypto_job_put(job);
		return ERR_PTR(err);
	}
	return job;
}

#define MAY (CRYPTO_TFM_REQ_MAY_BACKLOG | CRYPTO_TFM_REQ_MAY_SLEEP)

static int start_cipher(struct kcrypto_job *job)
{
	struct skcipher_request *req = (void *)job->inner;

	skcipher_request_set_tfm(req, job->session->skcipher);
	skcipher_request_set_callback(req, MAY, completion, job);
	skcipher_request_set_crypt(req, job->sg, job->sg, job->req.len, job->iv);
	return job->req.flags & KCRYPTO_DECRYPT ? crypto_skcipher_decrypt(req) :
						  crypto_skcipher_encrypt(req);
}

static int start_aead(struct kcrypto_job *job)
{
	struct aead_request *req = (void *)job->inner;
	bool is_decryption = job->req.flags & KCRYPTO_DECRYPT;

	aead_request_set_tfm(req, job->session->aead);
	aead_request_set_callback(req, MAY, completion, job);
	aead_request_set_ad(req, job->req.aad_len);
	aead_request_set_crypt(req, job->sg, job->sg,
			       job->req.len + (is_decryption ? job->req.tag_len : 0), job->iv);
	return is_decryption ? crypto_aead_decrypt(req) : crypto_aead_encrypt(req);
}

static int start_hash(struct kcrypto_job *job)
{
	struct ahash_request *req = (void *)job->inner;

	ahash_request_set_tfm(req, job->session->ahash);
	ahash_request_set_callback(req, MAY, completion, job);
	ahash_request_set_crypt(req, job->sg, job->result, job->req.len);
	return crypto_ahash_digest(req);
}

/* Gives it to the driver, with a reference that its answer ends. */
void kcrypto_job_start(struct kcrypto_job *job)
{
	static int (*const starters[])(struct kcrypto_job *) = {
		[KCRYPTO_CIPHER] = start_cipher, [KCRYPTO_AEAD] = start_aead,
		[KCRYPTO_DIGEST] = start_hash, [KCRYPTO_MAC] = start_hash,
	};
	int err;

	if (is_vmalloc_addr(job->buf))
		flush_kernel_vmap_range(job->buf, job->size);
	refcount_inc(&job->refs);
	trace_kcrypto_begin(job->session->id, job->req.len, job->req.flags);
	kcrypto_count(IN_FLIGHT, 1);
	err = starters[job->session->alg->kind](job);
	/* Busy: it waits in the driver's backlog. Later the driver may have answered already. */
	if (err != -EINPROGRESS && err != -EBUSY)
		answered(job, err);
}

/**
 * kcrypto_job_result() - writes the output of a finished job to user space
 * @job: belongs to the caller's address space
 *
 * Return: 0 or an error, after which nothing of the driver's has been written, or with -EFAULT a
 * part of it.
 */
int kcrypto_job_result(struct kcrypto_job *job)
{
	const struct kcrypto_request *req = &job->req;
	const struct kcrypto_alg *alg = job->session->alg;
	const u8 *text = job->buf + req->aad_len, *tag = text + req->len;
	bool has_tag = alg->kind == KCRYPTO_AEAD && !(req->flags & KCRYPTO_DECRYPT);

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
