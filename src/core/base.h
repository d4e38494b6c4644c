/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the core and the base, the software implementation under every context of
 * ours. One struct per row, filled by src/base at the first fetch.
 */
#ifndef KC_CORE_BASE_H
#define KC_CORE_BASE_H

#include "core/request.h"

/* Like OpenSSL's provider functions of these names: 1 or 0; sizes in bytes. */
typedef int kc_update_fn(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			 const unsigned char *in, size_t inl);
typedef int kc_final_fn(void *ctx, unsigned char *out, size_t *outl, size_t outsize);

typedef int kc_hash_update_fn(void *ctx, const unsigned char *in, size_t len);

/*
 * The position of a cipher's context in its stream. The IV lies in the context itself, for as long
 * as the context lives: we read it there, and write it to move the context to another block. NULL:
 * the cipher has none, or does not reveal it.
 */
struct kc_place {
	uint8_t *iv;  /* of the next block, alg->iv_len bytes */
	unsigned num; /* stream modes: bytes used of the current block, 0 if none */
	bool padding;
};

/* The lengths that an AEAD's context expects now, in bytes. */
struct kc_lengths {
	size_t nonce, tag;
};

enum kc_aead_param { KC_TAG, KC_RECORD };

#define KC_RECORD_NONCE 12 /* bytes, like the next */
#define KC_RECORD_AAD	13

/*
 * What a row's kind lacks is NULL. OpenSSL's edge starts the messages of digests and MACs, which
 * differ in that.
 */
struct kc_base {
	const struct kc_alg *alg;

	/*
	 * Called on every request: the implementation's own functions. A digest or MAC has no
	 * one-shot; an engine's cipher (base/method.h) has only update.
	 */
	union {
		kc_update_fn *update;
		kc_hash_update_fn *hash_update; /* a digest's or MAC's */
	};
	kc_update_fn *oneshot; /* nothing held back, no padding; like EVP_Cipher() */
	kc_final_fn *final;

	void *(*newctx)(const struct kc_base *base);
	void (*freectx)(void *ctx);
	void *(*dupctx)(void *ctx); /* an AEAD's may be NULL */

	/*
	 * Does the work of a backend's open and run in one call, on any context of this base, which
	 * it restarts. No padding. 1 or 0; 0 also for a bad tag. A cipher or AEAD with ->bytes of
	 * NULL: with the key, direction and lengths of the call before, which succeeded.
	 */
	int (*whole)(const struct kc_base *base, void *ctx, const struct kc_key *key,
		     const struct kc_req *req);

	/* A cipher's. @key and @iv may be NULL: unchanged. The row gives their lengths. */
	int (*init)(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *key,
		    const uint8_t *iv);
	int (*place)(const struct kc_base *base, void *ctx, struct kc_place *place);
	int (*set_padding)(const struct kc_base *base, void *ctx, bool on);

	/*
	 * A digest's. start: starts a message, in a context that no application has. state: the
	 * public struct of libcrypto's that a context has, MD5_CTX to SHA512_CTX; NULL: none.
	 */
	int (*start)(const struct kc_base *base, void *ctx);
	void *(*state)(const struct kc_base *base, void *ctx);

	/*
	 * A digest's; NULL: midstates have no place there. midstate: gets the alg->state_len bytes
	 * of words in the machine's byte order that stand after the last whole block, and how many
	 * bytes have followed. advance: puts words in that stand @bytes further on, in whole
	 * blocks, where a block ends. 1 or 0, which changes nothing: it can't be done.
	 */
	int (*midstate)(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part);
	int (*advance)(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes);

	/* An AEAD's, like all from here on. */
	int (*lengths)(const struct kc_base *base, void *ctx, struct kc_lengths *lengths);

	/* Sets the tag to compare with, or a record's AAD; gets the tag that was made. */
	int (*set)(const struct kc_base *base, void *ctx, enum kc_aead_param what,
		   const uint8_t *bytes, size_t len);
	int (*get_tag)(const struct kc_base *base, void *ctx, uint8_t *tag, size_t len);

	/*
	 * Leaves KC_MAX_TAG bytes in @ctx as the last tag that it made, as if it had encrypted a
	 * message, and leaves it in direction @dir. @is_set: a tag was set after that, which takes
	 * the place of the first bytes. 1, or 0: it can't, and has the tag from before. NULL:
	 * likewise.
	 */
	int (*leave_tag)(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *tag,
			 bool is_set);

	/*
	 * Gets the nonce that @ctx would use for a TLS 1.2 record, without changing @ctx. @aad: as
	 * set by the application: sequence number, type, version, length. @carried: when
	 * decrypting, the alg->record_iv_len bytes in the record; otherwise NULL. @nonce: in, the
	 * fixed part; out, all of it, of which the record carries the end.
	 */
	int (*record_nonce)(const struct kc_base *base, void *ctx, const uint8_t *aad,
			    const uint8_t *carried, uint8_t nonce[KC_RECORD_NONCE]);

	/* Has @ctx use up the nonce of a record that it will not encrypt. NULL: it counts none. */
	int (*skip_record)(const struct kc_base *base, void *ctx);

	/*
	 * Brings @ctx where the record of @aad would have brought it, without that record: another
	 * call than the next one's AAD follows. @carried: as above, of a record that was decrypted
	 * well. 1 or 0. NULL: it needs the record itself.
	 */
	int (*pass_record)(const struct kc_base *base, void *ctx, const uint8_t *aad,
			   const uint8_t *carried);
};

/*
 * src/base implements the following: from OpenSSL 3.0 on by the default provider's functions,
 * before by those of the built-in ciphers and digests.
 */

/*
 * Opens the private context, unless it is open: it stays so until the process ends. 1 or 0; leaves
 * the error queue as it was. If the legacy provider is requested but missing, its rows are missing.
 * Called by one thread at a time: under kc_process_lock() if there are several.
 */
int kc_base_open(bool with_legacy);

/*
 * NULL if OpenSSL lacks this algorithm, or a function of it that we need. Rows of the legacy
 * provider are available only to users that requested it.
 */
const struct kc_base *kc_base_get(const struct kc_alg *alg);

/*
 * It also implements asynchronous jobs. A job is a call of the application's that may be left while
 * a request is in flight, and is taken up again later. OpenSSL's ASYNC_JOB is one; this is all that
 * the core knows of it.
 *
 * While a job pauses, its thread runs other jobs and anything else of the application. So nothing
 * is held across a pause: no lock, no buffer that the context does not own, no state of the thread.
 * A job may never be resumed: nothing but the context's end follows then.
 */

/* Does this thread run a job that can pause? */
bool kc_job_can_pause(void);

/*
 * Pauses it until the application resumes it, which should be when @fd is readable, and may be
 * earlier. False: it could not pause, and has to wait here.
 */
bool kc_job_pause(int fd);

#endif
