/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of kcrypto.ko. */
#ifndef KCRYPTO_H
#define KCRYPTO_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <uapi/linux/kcrypto.h>

#define KCRYPTO_MAX_IV	16
#define KCRYPTO_MAX_OUT	64 /* a digest's bytes */
#define KCRYPTO_MAX_TAG	16
#define KCRYPTO_MIN_TAG	4

enum kcrypto_kind { KCRYPTO_CIPHER, KCRYPTO_AEAD, KCRYPTO_DIGEST, KCRYPTO_MAC };

/**
 * struct kcrypto_alg - a row of the closed table
 * @name: in the crypto API; NULL: no row
 * @kind: the kind of transform
 * @unit: a request's length is a multiple of it
 * @min_len: shortest text of a request in bytes
 * @iv_len: bytes
 * @out_len: bytes of a digest or MAC
 */
struct kcrypto_alg {
	const char *name;
	enum kcrypto_kind kind;
	u8 unit;
	u8 min_len;
	u8 iv_len;
	u8 out_len;
};

/**
 * struct kcrypto_user - what a user has in use
 * @node: in the list of all
 * @uid: the user
 * @sessions: open files; the record lives as long as there are any; under the list's lock
 * @bytes: of requests in flight
 */
struct kcrypto_user {
	struct list_head node;
	kuid_t uid;
	unsigned int sessions;
	atomic_long_t bytes;
};

enum kcrypto_state {
	KCRYPTO_NEW,		/* no algorithm yet */
	KCRYPTO_BUSY,		/* being set up */
	KCRYPTO_READY,		/* everything else in the session is constant now */
	KCRYPTO_DEAD,		/* a driver did not answer in time */
};

/**
 * struct kcrypto_setup - what the work that makes a transform needs
 * @driver: exact name
 * @key_len: bytes
 * @key: wiped with the rest
 */
struct kcrypto_setup {
	char driver[KCRYPTO_NAME_LEN];
	unsigned int key_len;
	u8 key[KCRYPTO_MAX_KEY];
};

/**
 * struct kcrypto_session - an open file
 * @refs: of this memory: the file and the work that is not done
 * @users: of the transform: the file, its setup and the requests in flight
 * @state: enum kcrypto_state
 * @id: for traces
 * @cookie: the number that user space has to repeat
 * @alg: row of the algorithm
 * @skcipher: transform of a cipher
 * @aead: transform of an AEAD
 * @ahash: transform of a digest or MAC
 * @base: the same transform as the crypto API frees it; NULL: there is none
 * @reqsize: bytes that the crypto API's request takes
 * @tag_len: bytes of an AEAD's tag, of a digest or MAC
 * @user: who pays
 * @lock: for @jobs and @count
 * @jobs: submitted and not reaped, in their order
 * @count: of them
 * @wait: for one of them to finish
 * @clock: wakes who waits, as no driver does when a request runs out of time
 * @setup: belongs to @make
 * @err: how @make ended
 * @make: makes the transform
 * @made: it has ended
 * @release: frees the transform
 * @released: it did
 * @spare: memory that the last request left for the next one, or NULL
 */
struct kcrypto_session {
	refcount_t refs;
	refcount_t users;
	int state;
	u32 id;
	u64 cookie;
	const struct kcrypto_alg *alg;
	union {
		struct crypto_skcipher *skcipher;
		struct crypto_aead *aead;
		struct crypto_ahash *ahash;
	};
	struct crypto_tfm *base;
	unsigned int reqsize;
	unsigned int tag_len;
	struct kcrypto_user *user;
	spinlock_t lock;
	struct list_head jobs;
	unsigned int count;
	wait_queue_head_t wait;
	struct delayed_work clock;
	struct kcrypto_setup *setup;
	int err;
	struct work_struct make;
	struct completion made;
	struct work_struct release;
	struct completion released;
	struct kcrypto_job *spare;
};

/**
 * struct kcrypto_job - a request
 * @refs: the owner's (who waits, or the session's list) and the driver's
 * @session: holds one of its users
 * @mm: of whom the addresses in @req are
 * @node: in the session's list, if it was submitted
 * @req: as user space gave it
 * @done: the driver has answered
 * @err: what
 * @deadline: in jiffies
 * @free: for the last reference, if that is the driver's
 * @buf: AAD, text and tag, contiguous at least in virtual addresses
 * @size: of @buf, bytes in use
 * @room: of @buf, bytes, as charged to the user
 * @sg: @buf for the driver
 * @one: @sg, unless @buf is in several pieces
 * @iv: a copy that the driver may overwrite
 * @result: of a digest or MAC
 * @inner: the crypto API's request and what the driver needs behind it
 */
struct kcrypto_job {
	refcount_t refs;
	struct kcrypto_session *session;
	struct mm_struct *mm;
	struct list_head node;
	struct kcrypto_request req;
	struct completion done;
	int err;
	unsigned long deadline;
	struct work_struct free;
	u8 *buf;
	size_t size;
	size_t room;
	struct scatterlist *sg;
	struct scatterlist one;
	/* Devices may write to these two: nothing else is in their cache lines. */
	u8 iv[KCRYPTO_MAX_IV] ____cacheline_aligned;
	u8 result[KCRYPTO_MAX_OUT] ____cacheline_aligned;
	void *inner[] ____cacheline_aligned;
};

/* Counters and what else is common to all, device.c */
enum kcrypto_counter { SESSIONS, IN_FLIGHT, DONE, BYTES, FAILED, TIMEOUTS };
extern struct workqueue_struct *kcrypto_wq;
void kcrypto_count(enum kcrypto_counter counter, long change);

/* The table and the kernel's drivers, drivers.c */
const struct kcrypto_alg *kcrypto_alg_find(u32 number);
int kcrypto_driver_choose(const struct kcrypto_alg *alg, char *driver);
int kcrypto_driver_list(struct kcrypto_list *list);

/* Keys, key.c */
int kcrypto_key_get(struct kcrypto_setup *setup, const struct kcrypto_open *open);

/* Sessions, session.c */
struct kcrypto_session *kcrypto_session_new(void);
int kcrypto_session_open(struct kcrypto_session *session, struct kcrypto_open *open);
int kcrypto_session_check(const struct kcrypto_session *session, u64 cookie);
void kcrypto_session_kill(struct kcrypto_session *session);
void kcrypto_session_unuse(struct kcrypto_session *session);
void kcrypto_session_close(struct kcrypto_session *session);

/* Limits of a user, user.c */
struct kcrypto_user *kcrypto_user_get(void);
void kcrypto_user_put(struct kcrypto_user *user);
bool kcrypto_user_may_keep(const struct kcrypto_user *user);
bool kcrypto_user_charge(struct kcrypto_user *user, size_t bytes);
void kcrypto_user_uncharge(struct kcrypto_user *user, size_t bytes);

/* A request's memory and its way to the driver and back, job.c */
struct kcrypto_job *kcrypto_job_new(struct kcrypto_session *session,
				    const struct kcrypto_request *req);
void kcrypto_job_start(struct kcrypto_job *job);
int kcrypto_job_result(struct kcrypto_job *job);
void kcrypto_job_put(struct kcrypto_job *job);
void kcrypto_job_free(struct kcrypto_job *job);

/* The ioctls of requests, request.c */
unsigned long kcrypto_time_limit(void);
int kcrypto_request_run(struct kcrypto_session *session, const struct kcrypto_request *req);
int kcrypto_request_submit(struct kcrypto_session *session, const struct kcrypto_request *req);
int kcrypto_request_reap(struct kcrypto_session *session, struct kcrypto_result *result,
			 bool nowait);
__poll_t kcrypto_request_poll(struct kcrypto_session *session);
void kcrypto_request_clock(struct work_struct *work);
void kcrypto_request_abandon(struct kcrypto_session *session);

#endif
