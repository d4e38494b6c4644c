/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's or MAC's context: the base's context, and a buffer. The kernel gets a whole message or
 * nothing: what fits the buffer is kept from the base until the end, and then is the kernel's if it
 * is long enough; all else is the base's. So nothing but a key is in the kernel between two calls.
 */
#ifndef KC_REQUEST_HASH_H
#define KC_REQUEST_HASH_H

#include "offload/gate.h"

enum kc_hash_state {
	KC_HASH_BASE,	  /* the message is the base's, or there is none */
	KC_HASH_FRESH,	  /* it has begun, nothing of it has come */
	KC_HASH_KEPT,	  /* the base has nothing of it, the buffer all */
	KC_HASH_ANSWERED, /* the same, and the kernel has answered */
};

struct kc_hash {
	uint64_t seen, seen_ns; /* of this message, counted.c's: bytes, and time */
	/* Touched by every request. */
	size_t keep_from;	   /* bytes: an update of less makes the message the base's */
	kc_hash_update_fn *update; /* of the base */
	void *base_ctx;
	enum kc_hash_state state;

	const struct kc_hash_base *base;
	struct kc_gate gate;

	size_t first; /* bytes: a message that begins with less is not worth a copy */
	size_t limit; /* bytes: what the kernel takes */
	size_t used;  /* bytes of @buf */
	uint8_t *buf; /* NULL, or a buffer of session/buffers.h */

	/* Of a MAC only. */
	struct kc_candidate *const *rows; /* of all rows, as in struct kc_policy */
	const struct kc_alg *next;	  /* the row that the next key is for; NULL: none */
	bool alone;			  /* something was set that the kernel does not do */
	size_t key_len;
	uint8_t key[KC_MAX_MAC_KEY];
};

/*
 * Takes @base_ctx, a context of @base. @first: of the row, or NULL where no row is known
 * yet. NULL where memory is short or @base_ctx is NULL, which is freed then.
 */
struct kc_hash *kc_hash_new(const struct kc_hash_base *base, struct kc_candidate *first,
			    void *base_ctx);

/* A MAC's row and key from now on. A base of NULL: none that the kernel could do. */
void kc_hash_set_key(struct kc_hash *h, const struct kc_hash_base *base, struct kc_candidate *first,
		     const uint8_t *key, size_t len);

/* After an init of the base: a new message. @possible: may it be the kernel's? */
void kc_hash_started(struct kc_hash *h, bool possible);

/*
 * Before anything that the base answers from its state, or that changes it in mid-stream: the base
 * gets what it has not had, and keeps the message. 1, or 0 where the base fails.
 */
int kc_hash_catch_up(struct kc_hash *h);

/* @copy: the base's copyctx. @to becomes what @from is, of the same row. */
void kc_hash_copy(struct kc_hash *to, const struct kc_hash *from,
		  void (*copy)(void *to, void *from));

/* OpenSSL's provider functions; @ctx is a struct kc_hash. */
void *kc_hash_dup(void *ctx);
void kc_hash_free(void *ctx);
kc_hash_update_fn kc_hash_update;
kc_final_fn kc_hash_final;

#endif
