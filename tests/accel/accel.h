/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the algorithms of the test accelerator (skcipher, aead, hash): the request as the
 * device sees it, the rule for keys, names and flags. All parameters and counters are in control.c.
 */
#ifndef ACCEL_H
#define ACCEL_H

#include <linux/crypto.h>
#include <linux/ktime.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* One request, first in the context of the crypto API's request. */
struct accel_job {
	struct work_struct work;
	int (*run)(struct accel_job *job); /* does it in software */
	void (*complete)(struct accel_job *job, int err);
	struct scatterlist *src, *dst; /* dst NULL: a hash */
	u8 *digest;		       /* or the midstate, of a hash; else NULL */
	unsigned int skip;	       /* bytes before the text in dst */
	unsigned int len;	       /* bytes of text */
	bool wraps;		       /* a counter of 32 bits carries */
	bool opens;		       /* an AEAD's message, with a tag that is compared */
	bool encrypts;
	struct accel_session *session;
	const u8 *iv;	     /* after the request, the next one's */
	unsigned int iv_len; /* 0: it has none */
	u8 first_iv[16];
	unsigned int tag_len; /* 0: it has none */
	ktime_t begin;	      /* when it came to the device */
	bool is_rested;	      /* the device was suspended before */
};

/* What a device may keep of the last request. */
struct accel_past {
	u64 requests;
	unsigned int len; /* of its text */
	bool encrypted;
	u8 began[16], ended[16]; /* IVs */
};

/* Common to the tfms of all algorithms, first in their contexts. */
struct accel_session {
	struct accel_past past;
	bool is_keyed;
	bool is_foreign; /* the device does not do this key's length: software inside does */
};

/* Fills and submits; -EINPROGRESS where the completion is called later. */
int accel_submit(struct accel_job *job);

/* The work of an engine, with the faults. */
int accel_do(struct accel_job *job);

/*
 * lies.c: is this request of the kind that is answered wrong; before it is done. Then it begins,
 * and ends with 0 or -errno.
 */
bool accel_is_kind(const struct accel_job *job, u64 n);
void accel_begin(struct accel_job *job);
void accel_remember(const struct accel_job *job, int err);

/*
 * rest.c: the device that rests, if there is one. It wakes up for a request, the first one since it
 * rested or not, and may rest after it.
 */
int accel_rest_start(void);
void accel_rest_stop(void);
bool accel_wake(void);
void accel_sleep(void);

/* The queue; without it accel_submit() does each request at once. */
int accel_engines_start(bool has_queue);
void accel_engines_stop(void);
void accel_engines_reset(void);
int accel_in_flight(void);

/* To be asked at each SET_KEY; @is_aes: the parameter keys holds. 0 or -EINVAL. */
int accel_take_key(struct accel_session *session, unsigned int len, bool is_aes);
void accel_drop_key(struct accel_session *session);

/* Does the device leave this text to software inside, as some drivers do with long ones? */
bool accel_is_foreign(const struct accel_job *job);

/* A request that was for software inside. */
void accel_count_passed(void);

/* Ciphers are to copy, as cipher_null does. */
bool accel_is_null(void);

/* What a hash exports that is not what the kernel's software does. */
enum accel_state { ACCEL_PLAIN, ACCEL_SWAPS, ACCEL_HIDES, ACCEL_FLIPS, ACCEL_ELSEWHERE };
unsigned int accel_state(void);

/* Is this word in the parameter algs? */
bool accel_wants(const char *word);

/* Name, flags, priority and the rest that is the same in all; NULL mode: a hash. */
int accel_fill_base(struct crypto_alg *base, const char *name, const char *mode,
		    const char *cipher);

int accel_skcipher_register(void);
void accel_skcipher_unregister(void);
int accel_aead_register(void);
void accel_aead_unregister(void);
int accel_hash_register(void);
void accel_hash_unregister(void);

#endif
