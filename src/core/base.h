/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the core and the implementation that every context of ours stands on.
 * One struct per row, filled at the first fetch by src/base.
 */
#ifndef KC_CORE_BASE_H
#define KC_CORE_BASE_H

#include "core/request.h"

/* What every kind has; the first member of its own struct. */
struct kc_base {
	const struct kc_alg *alg;

	void *(*newctx)(const struct kc_base *base);
	void (*freectx)(void *ctx);
	void *(*dupctx)(void *ctx);

	/*
	 * What a backend's open and run do, in one: any context of this base is fit for it, and
	 * starts anew. No padding. 1 or 0; 0 also for a bad tag.
	 */
	int (*whole)(const struct kc_base *base, void *ctx, const struct kc_key *key,
		     const struct kc_req *req);
};

/* As OpenSSL's provider functions of these names: 1 or 0; sizes in bytes. */
typedef int kc_update_fn(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			 const unsigned char *in, size_t inl);
typedef int kc_final_fn(void *ctx, unsigned char *out, size_t *outl, size_t outsize);

/*
 * Where a cipher's context stands in its stream. The IV is in the context itself, for as long as
 * that lives: it is read there, and written to bring the context to another block. NULL: there is
 * none, or none that can be had.
 */
struct kc_place {
	uint8_t *iv;  /* of the next block, alg->iv_len bytes */
	unsigned num; /* stream modes: bytes used of the current block, 0 if none */
	bool padding;
};

struct kc_cipher_base {
	struct kc_base common;

	/* Called on every request: the implementation's own functions. */
	kc_update_fn *update;
	kc_update_fn *oneshot; /* no holding back, no padding; as EVP_Cipher() */
	kc_final_fn *final;

	/* @key and @iv may be NULL: unchanged. Lengths are the row's. */
	int (*init)(const struct kc_cipher_base *base, void *ctx, enum kc_dir dir,
		    const uint8_t *key, const uint8_t *iv);
	int (*place)(const struct kc_cipher_base *base, void *ctx, struct kc_place *place);
	int (*set_padding)(const struct kc_cipher_base *base, void *ctx, bool on);
};

typedef int kc_hash_update_fn(void *ctx, const unsigned char *in, size_t len);

/* A digest or a MAC. What starts a message is the edge's affair: it is different for the two. */
struct kc_hash_base {
	struct kc_base common;

	/* The implementation's own functions. */
	kc_hash_update_fn *update;
	kc_final_fn *final;
};

/* What an AEAD's context takes now, bytes. */
struct kc_lengths {
	size_t nonce, tag;
};

#define KC_RECORD_NONCE 12 /* bytes, this and the next */
#define KC_RECORD_AAD	13

/* A TLS 1.2 record that the kernel does. */
struct kc_record {
	enum kc_dir dir;
	const uint8_t *aad; /* as the application set it: sequence number, type, version, length */
	const uint8_t *iv;  /* decryption: what the record carries, alg->record_iv_len bytes */
	/* In: the fixed part. Out of record_nonce(): whole; its end is what the record carries. */
	uint8_t nonce[KC_RECORD_NONCE];
	unsigned tag_len; /* bytes */
};

struct kc_aead_base {
	struct kc_base common; /* dupctx may be NULL */

	/* Called on every request: the implementation's own functions. */
	kc_update_fn *update;
	kc_update_fn *oneshot;
	kc_final_fn *final;

	int (*lengths)(const struct kc_aead_base *base, void *ctx, struct kc_lengths *lengths);

	/*
	 * The kernel did the text of the message that @ctx is at, and this is its tag: brings @ctx
	 * to where its own work would have brought it. But CCM, encrypting: to where it can be
	 * asked for a tag, once, which is wrong.
	 */
	int (*close)(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *tag, size_t tag_len);

	/*
	 * NULL, or: close() and record_done(), encrypting, leave a mark in the tag's place, which
	 * is the tag of nothing that an application sends, and has to be hidden: it was made with
	 * the nonce of the message. The KC_MAX_TAG bytes that @ctx would say now.
	 */
	int (*said_tag)(const struct kc_aead_base *base, void *ctx, uint8_t *tag);

	/* The nonce that @ctx would take for this record; @ctx stays as it is. */
	int (*record_nonce)(const struct kc_aead_base *base, void *ctx, struct kc_record *record);

	/* As close(), for the record that was asked for. */
	int (*record_done)(const struct kc_aead_base *base, void *ctx,
			   const struct kc_record *record);
};

#endif
