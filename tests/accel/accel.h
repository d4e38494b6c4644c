/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the algorithms of the test accelerator (skcipher, aead, hash) share: the request as the
 * device sees it, and the rules for keys, names and flags. All parameters and counters are in
 * control.c.
 */
#ifndef ACCEL_H
#define ACCEL_H

#include <linux/crypto.h>
#include <linux/ktime.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* One request. Stands first in the context of the crypto API's request. */
struct accel_job {
	struct work_struct work;
	int (*run)(struct accel_job *job); /* does the request in software */
	void (*complete)(struct accel_job *job, int err);
	struct scatterlist *src, *dst; /* dst is NULL for a hash */
	u8 *digest;		       /* of a hash: the digest, or the midstate; else NULL */
	unsigned int skip;	       /* bytes in dst that precede the text */
	unsigned int len;	       /* bytes of text */
	bool wraps;		       /* the counter's low 32 bits overflow */
	bool opens;		       /* decrypts an AEAD's message and checks its tag */
	bool encrypts;
	struct accel_session *session;
	const u8 *iv;	     /* after the request: the next one's IV */
	unsigned int iv_len; /* 0: no IV */
	u8 first_iv[16];
	unsigned int tag_len; /* 0: no tag */
	ktime_t begin;	      /* when the request reached the device */
	bool is_rested;	      /* the device was suspended before this request */
};

/* What a device may remember of the last request. */
struct accel_past {
	u64 requests;
	unsigned int len; /* bytes of text */
	bool encrypted;
	u8 began[16], ended[16]; /* IVs */
};

/* What the tfms of all algorithms share. Stands first in their contexts. */
struct accel_session {
	struct accel_past past;
	bool is_keyed;
	bool is_foreign; /* the device cannot take this key's length: its driver's fallback does */
};

/*
 * Fills in the job and submits it. Returns its result, or -EINPROGRESS if complete() is called
 * later.
 */
int accel_submit(struct accel_job *job);

/* Does a job as an engine of the device does it, faults included. */
int accel_do(struct accel_job *job);

/*
 * lies.c: whether the request, number n, is of the kind that the device answers wrong. Asked before
 * the request is done. Each request is reported twice: where it begins, and where it ends, with 0
 * or -errno.
 */
bool accel_is_kind(const struct accel_job *job, u64 n);
void accel_begin(struct accel_job *job);
void accel_remember(const struct accel_job *job, int err);

/*
 * rest.c: the device that the kernel suspends, if the parameter rest asks for one. A request
 * resumes it; accel_wake() returns whether this request is the first one since the device was
 * suspended. After the request it may be suspended again.
 */
int accel_rest_start(void);
void accel_rest_stop(void);
bool accel_wake(void);
void accel_sleep(void);

/* Starts and ends the queue. Without it accel_submit() does each request at once. */
int accel_engines_start(bool has_queue);
void accel_engines_stop(void);
void accel_engines_reset(void);
int accel_in_flight(void);

/* Called at each SET_KEY. @is_aes: the parameter keys applies. Returns 0 or -EINVAL. */
int accel_take_key(struct accel_session *session, unsigned int len, bool is_aes);
void accel_drop_key(struct accel_session *session);

/*
 * Whether the device leaves this text to its driver's fallback, as some drivers do with long texts.
 */
bool accel_is_foreign(const struct accel_job *job);

/* Counts a request that was left to the fallback. */
void accel_count_passed(void);

/* Whether ciphers copy their input instead of encrypting it, as cipher_null does. */
bool accel_is_null(void);

/* How the state that a hash exports differs from the state that the kernel's software exports. */
enum accel_state { ACCEL_PLAIN, ACCEL_SWAPS, ACCEL_HIDES, ACCEL_FLIPS, ACCEL_ELSEWHERE };
unsigned int accel_state(void);

/* Whether the parameter algs holds this word. */
bool accel_wants(const char *word);

/* Sets name, flags, priority and what else all algorithms share. mode is NULL for a hash. */
int accel_fill_base(struct crypto_alg *base, const char *name, const char *mode,
		    const char *cipher);

int accel_skcipher_register(void);
void accel_skcipher_unregister(void);
int accel_aead_register(void);
void accel_aead_unregister(void);
int accel_hash_register(void);
void accel_hash_unregister(void);

#endif
