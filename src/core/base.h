/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the core and the base, which is the software implementation under every
 * kcrypto context. There is one struct kc_base per row; src/base fills it at the first fetch.
 */
#ifndef KC_CORE_BASE_H
#define KC_CORE_BASE_H

#include "core/request.h"

/* Like OpenSSL's provider functions of these names: return 1 or 0; sizes are in bytes. */
typedef int kc_update_fn(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			 const unsigned char *in, size_t inl);
typedef int kc_final_fn(void *ctx, unsigned char *out, size_t *outl, size_t outsize);

typedef int kc_hash_update_fn(void *ctx, const unsigned char *in, size_t len);

/*
 * A cipher context's position in its stream. The IV lies in the context itself and stays there as
 * long as the context lives: we read it there, and write it to move the context to another block.
 * NULL: the cipher has no IV, or does not reveal it.
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

#define KC_RECORD_NONCE 12 /* bytes */
#define KC_RECORD_AAD	13

/*
 * A function that a row's kind lacks is NULL. Digests and MACs start their messages differently, so
 * OpenSSL's edge starts them, not the base.
 */
struct kc_base {
	const struct kc_alg *alg;

	/*
	 * Called on every request: the implementation's own functions. Digests and MACs have no
	 * oneshot; an engine's cipher (base/method.h) has only update.
	 */
	union {
		kc_update_fn *update;
		kc_hash_update_fn *hash_update; /* a digest's or MAC's */
	};
	kc_update_fn *oneshot; /* no padding, nothing held back; like EVP_Cipher() */
	kc_final_fn *final;

	void *(*newctx)(const struct kc_base *base);
	void (*freectx)(void *ctx);
	void *(*dupctx)(void *ctx); /* an AEAD's may be NULL */

	/*
	 * Does the work of a backend's open() and run() in one call, on any context of this base,
	 * which it restarts. No padding. Returns 1, or 0, also for a bad tag. If a cipher's or
	 * AEAD's key->bytes is NULL, the key, direction and lengths of the last call apply, which
	 * must have succeeded.
	 */
	int (*whole)(const struct kc_base *base, void *ctx, const struct kc_key *key,
		     const struct kc_req *req);

	/* A cipher's. NULL for @key or @iv leaves it unchanged; the row gives their lengths. */
	int (*init)(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *key,
		    const uint8_t *iv);
	int (*place)(const struct kc_base *base, void *ctx, struct kc_place *place);
	int (*set_padding)(const struct kc_base *base, void *ctx, bool on);

	/*
	 * A digest's. start: starts a message in a context that no application uses. state: returns
	 * the public libcrypto struct in a context, MD5_CTX to SHA512_CTX; NULL if there is none.
	 */
	int (*start)(const struct kc_base *base, void *ctx);
	void *(*state)(const struct kc_base *base, void *ctx);

	/*
	 * A digest's; NULL if the base can't move between midstates. midstate: gets the
	 * alg->state_len bytes of state after the last whole block, in the machine's byte order,
	 * and in @part how many bytes have followed. advance: at a block's end, puts in the state
	 * that is @bytes further on, in whole blocks. Both return 1, or 0 if that is impossible,
	 * and then change nothing.
	 */
	int (*midstate)(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part);
	int (*advance)(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes);

	/* An AEAD's, like all that follow. */
	int (*lengths)(const struct kc_base *base, void *ctx, struct kc_lengths *lengths);

	/*
	 * set: sets the tag to compare with, or a record's AAD. get_tag: gets the tag that was
	 * made.
	 */
	int (*set)(const struct kc_base *base, void *ctx, enum kc_aead_param what,
		   const uint8_t *bytes, size_t len);
	int (*get_tag)(const struct kc_base *base, void *ctx, uint8_t *tag, size_t len);

	/* CCM's: true if get_tag would succeed now. */
	bool (*has_tag)(const struct kc_base *base, void *ctx);

	/*
	 * Makes the KC_MAX_TAG bytes of @tag the last tag that @ctx made, as if it had encrypted a
	 * message, and leaves @ctx in direction @dir. @is_set: a tag was set after that, and has
	 * replaced its first bytes. Returns 1, or 0 if it can't; the tag is then unchanged. NULL:
	 * it never can.
	 */
	int (*leave_tag)(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *tag,
			 bool is_set);

	/*
	 * Gets the nonce that @ctx would use for a TLS 1.2 record, without changing @ctx. @aad: as
	 * the application set it: sequence number, type, version, length. @carried: the
	 * alg->record_iv_len bytes in a record to decrypt; NULL to encrypt. @nonce: in, the fixed
	 * part, or, if @follows, the nonce of the last record, which was not @ctx's; out, the whole
	 * nonce, whose end the record carries.
	 */
	int (*record_nonce)(const struct kc_base *base, void *ctx, const uint8_t *aad,
			    const uint8_t *carried, bool follows, uint8_t nonce[KC_RECORD_NONCE]);

	/*
	 * Makes @nonce that of the next record which @ctx encrypts. The others follow it. Returns 1
	 * or 0. NULL: it counts none.
	 */
	int (*set_record_nonce)(const struct kc_base *base, void *ctx,
				const uint8_t nonce[KC_RECORD_NONCE]);

	/*
	 * Brings @ctx into the state in which the record of @aad would have left it, without that
	 * record, if any call but the next record's AAD follows. If it counts nonces, it has that
	 * record's. @carried: as above, of a record that was decrypted successfully. Returns 1 or
	 * 0. NULL: the base needs the record itself.
	 */
	int (*pass_record)(const struct kc_base *base, void *ctx, const uint8_t *aad,
			   const uint8_t *carried);
};

/*
 * src/base implements the following functions: from OpenSSL 3.0 on by those of the default
 * provider, before 3.0 by those of the built-in ciphers and digests.
 */

/*
 * Opens the private library context, which stays open until the process ends; does nothing if it is
 * open. Returns 1 or 0, and leaves the error queue unchanged. If @with_legacy finds no legacy
 * provider, the rows of that provider are missing. One thread at a time may call it: where there
 * are several, under kc_process_lock().
 */
int kc_base_open(bool with_legacy);

/*
 * Returns the base of a row; NULL if OpenSSL lacks the algorithm or a function of it that we need.
 * Rows of the legacy provider need an earlier kc_base_open(true).
 */
const struct kc_base *kc_base_get(const struct kc_alg *alg);

/*
 * Asynchronous jobs, also implemented by src/base. A job is an application's call that may be left
 * while a request is in flight, and resumed later. OpenSSL's ASYNC_JOB is one; the core knows no
 * more of it than this.
 *
 * While a job pauses, its thread runs other jobs and any other code of the application. Hold
 * nothing across a pause: no lock, no buffer that the context does not own, no state of the thread.
 * The application may never resume a job; then the context's end is the next call.
 */

/* True if this thread runs a job that can pause. */
bool kc_job_can_pause(void);

/*
 * Pauses the job until the application resumes it: normally when @fd is readable, but perhaps
 * earlier. False: it could not pause, so the caller has to wait.
 */
bool kc_job_pause(int fd);

#endif
