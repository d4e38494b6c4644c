// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request: its memory, its way to the driver, and the answer. The memory belongs to the owner
 * (a caller that waits, or the session's list) and to the driver, so that neither has to wait for
 * the other: what is left at last is freed by the work queue, as a completion must not.
 */
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
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
	bool hides = alg->kind == KCRYPTO_AEAD || (alg->kind == KCRYPTO_CIPHER && alg->unit > 1);

	return !hides || job->err || job->req.flags & KCRYPTO_DECRYPT;
}

static void job_free(struct kcrypto_job *job)
{
	struct kcrypto_session *session = job->session;

	if (job->sg != &job->one)
		kfree(job->sg);
	if (job->buf && is_secret(job))
		memzero_explicit(job->buf, job->size);
	kvfree(job->buf);
	mmdrop(job->mm);
	kcrypto_user_uncharge(session->user, job->size);
	kfree_sensitive(job);
	kcrypto_session_unuse(session);
}

static void free_later(struct work_struct *work)
{
	job_free(container_of(work, struct kcrypto_job, free));
}

/* The owner's reference. */
void kcrypto_job_put(struct kcrypto_job *job)
{
	if (refcount_dec_and_test(&job->refs))
		job_free(job);
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
	kcrypto_count_end(job->req.len, job->err);
	complete(&job->done);
	if (wq_has_sleeper(&session->wait))
		wake_up_all(&session->wait);
	if (refcount_dec_and_test(&job->refs))
		queue_work(kcrypto_wq, &job->free);
}

KCRYPTO_COMPLETION(answered)

/* Everything that depends only on what is constant in the session. */
static int check(const struct kcrypto_session *session, const struct kcrypto_request *req)
{
	const struct kcrypto_alg *alg = session->alg;
	bool is_hash = alg->kind == KCRYPTO_DIGEST || alg->kind == KCRYPTO_MAC;

	if (req->flags & ~KCRYPTO_DECRYPT || req->reserved)
		return -EINVAL;
	if (req->len > KCRYPTO_MAX_LEN || req->aad_len > KCRYPTO_MAX_AAD)
		return -EMSGSIZE;
	if (req->len < alg->min_len || req->len % alg->unit || req->iv_len != alg->iv_len ||
	    req->tag_len != session->tag_len)
		return -EINVAL;
	if (req->aad_len && alg->kind != KCRYPTO_AEAD)
		return -EINVAL;
	if (is_hash && (req->out || req->flags))
		return -EINVAL;
	return 0;
}

/* In one piece where that is to be had. */
static int get_buffer(struct kcrypto_job *job)
{
	size_t size = job->req.aad_len + job->req.len;

	if (job->session->alg->kind == KCRYPTO_AEAD)
		size += job->session->tag_len;
	/* An empty message has an address, too. */
	size = max_t(size_t, size, 1);
	if (!kcrypto_user_charge(job->session->user, size))
		return -EAGAIN;
	job->size = size;
	/* A device may write to whole cache lines. */
	job->buf = kvmalloc(ALIGN(size, L1_CACHE_BYTES), GFP_KERNEL_ACCOUNT);
	return job->buf ? 0 : -ENOMEM;
}

/* Devices see physical pages. */
static int list_pages(struct kcrypto_job *job)
{
	unsigned int i, n = DIV_ROUND_UP(job->size, PAGE_SIZE);
	size_t left = job->size;

	job->sg = &job->one;
	if (!is_vmalloc_addr(job->buf)) {
		sg_init_one(job->sg, job->buf, job->size);
		return 0;
	}
	job->sg = kmalloc_array(n, sizeof(*job->sg), GFP_KERNEL_ACCOUNT);
	if (!job->sg)
		return -ENOMEM;
	sg_init_table(job->sg, n);
	for (i = 0; i < n; i++) {
		sg_set_page(&job->sg[i], vmalloc_to_page(job->buf + i * PAGE_SIZE),
			    min_t(size_t, left, PAGE_SIZE), 0);
		left -= PAGE_SIZE;
	}
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

#if BITS_PER_LONG == 32
static bool fits(u64 address)
{
	return address <= ULONG_MAX;
}
#else
static bool fits(u64 address)
{
	return true;
}
#endif

static bool addresses_fit(const struct kcrypto_request *req)
{
	return fits(req->in) && fits(req->out) && fits(req->iv) && fits(req->aad) && fits(req->tag);
}

/**
 * kcrypto_job_new() - checks a request and copies its input
 * @session: ready
 * @req: as user space gave it
 *
 * Return: the job, or an error.
 */
struct kcrypto_job *kcrypto_job_new(struct kcrypto_session *session,
				    const struct kcrypto_request *req)
{
	struct kcrypto_job *job;
	int err = check(session, req);

	if (err)
		return ERR_PTR(err);
	if (!addresses_fit(req))
		return ERR_PTR(-EFAULT);
	job = kzalloc(sizeof(*job) + session->reqsize, GFP_KERNEL_ACCOUNT);
	if (!job)
		return ERR_PTR(-ENOMEM);
	refcount_set(&job->refs, 1);
	refcount_inc(&session->users);
	job->session = session;
	job->mm = current->mm;
	mmgrab(job->mm);
	job->req = *req;
	job->sg = &job->one;
	INIT_LIST_HEAD(&job->node);
	INIT_WORK(&job->free, free_later);
	init_completion(&job->done);
	job->err = -EINPROGRESS; /* until the driver answers */
	err = get_buffer(job);
	if (!err)
		err = list_pages(job);
	if (!err)
		err = copy_in(job);
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
	skcipher_request_set_callback(req, MAY, answered_completion, job);
	skcipher_request_set_crypt(req, job->sg, job->sg, job->req.len, job->iv);
	return job->req.flags & KCRYPTO_DECRYPT ? crypto_skcipher_decrypt(req) :
						  crypto_skcipher_encrypt(req);
}

static int start_aead(struct kcrypto_job *job)
{
	struct aead_request *req = (void *)job->inner;
	bool is_decryption = job->req.flags & KCRYPTO_DECRYPT;

	aead_request_set_tfm(req, job->session->aead);
	aead_request_set_callback(req, MAY, answered_completion, job);
	aead_request_set_ad(req, job->req.aad_len);
	aead_request_set_crypt(req, job->sg, job->sg,
			       job->req.len + (is_decryption ? job->req.tag_len : 0), job->iv);
	return is_decryption ? crypto_aead_decrypt(req) : crypto_aead_encrypt(req);
}

static int start_hash(struct kcrypto_job *job)
{
	struct ahash_request *req = (void *)job->inner;

	ahash_request_set_tfm(req, job->session->ahash);
	ahash_request_set_callback(req, MAY, answered_completion, job);
	ahash_request_set_crypt(req, job->sg, job->result, job->req.len);
	return crypto_ahash_digest(req);
}

/* Gives it to the driver, with a reference that its answer ends. */
void kcrypto_job_start(struct kcrypto_job *job)
{
	int err;

	if (is_vmalloc_addr(job->buf))
		flush_kernel_vmap_range(job->buf, job->size);
	refcount_inc(&job->refs);
	job->deadline = jiffies + kcrypto_time_limit();
	trace_kcrypto_begin(job->session->id, job->req.len, job->req.flags);
	kcrypto_count_begin();
	switch (job->session->alg->kind) {
	case KCRYPTO_CIPHER:
		err = start_cipher(job);
		break;
	case KCRYPTO_AEAD:
		err = start_aead(job);
		break;
	default:
		err = start_hash(job);
	}
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
	enum kcrypto_kind kind = job->session->alg->kind;
	u8 *text = job->buf + req->aad_len;
	const u8 *tag = NULL;

	if (job->err)
		return job->err;
	if (is_vmalloc_addr(job->buf))
		invalidate_kernel_vmap_range(job->buf, job->size);
	if (kind == KCRYPTO_DIGEST || kind == KCRYPTO_MAC)
		tag = job->result;
	else if (copy_to_user(u64_to_user_ptr(req->out), text, req->len))
		return -EFAULT;
	if (kind == KCRYPTO_AEAD && !(req->flags & KCRYPTO_DECRYPT))
		tag = text + req->len;
	if (tag && copy_to_user(u64_to_user_ptr(req->tag), tag, req->tag_len))
		return -EFAULT;
	return 0;
}
