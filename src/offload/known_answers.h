/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers: requests that both the base and a session do, compared and timed. Knows no
 * algorithm: the base defines the right answer.
 */
#ifndef KC_OFFLOAD_KNOWN_ANSWERS_H
#define KC_OFFLOAD_KNOWN_ANSWERS_H

#include "core/base.h"
#include "policy/policy.h"

/* Size of each buffer in bytes, for requests of up to @len at any offset. */
#define KC_ANSWERS_EACH(len) ((len) + 64)

/* Enough for kc_answers_check(). */
#define KC_ANSWERS_LEN 4128

struct kc_answers {
	const struct kc_base *base;
	void *base_ctx;
	struct kc_session *session;
	struct kc_key key;
	uint8_t key_bytes[KC_MAX_MAC_KEY], iv[KC_MAX_IV], aad[KC_MAX_AAD];
	uint8_t want_tag[KC_MAX_OUT], got_tag[KC_MAX_OUT];
	uint8_t *in, *want, *got;    /* each of the size given to kc_answers_init() */
	uint8_t *room;		     /* KC_MAX_REQUEST bytes, for the backend's run() */
	uint64_t soft_ns, kernel_ns; /* of the last request, by the clock of the candidate */
	int err;		     /* the last request's, 0 or -errno */
	const struct kc_candidate *candidate;
};

/* Times from kc_answers_check() for one direction, in ns: the lowest of several requests. */
struct kc_prices {
	uint64_t kernel_short;		 /* for one or a few blocks */
	uint64_t kernel_long, soft_long; /* for @len bytes */
	size_t len;
};

/*
 * Makes a key and an IV and fills the input. @room: KC_MAX_REQUEST bytes. @mem: 3 * @each bytes;
 * @each: see KC_ANSWERS_EACH. Both on pages of their own. The caller fills in session, and base_ctx
 * with a context of @base.
 */
void kc_answers_init(struct kc_answers *answers, const struct kc_candidate *candidate,
		     const struct kc_base *base, uint8_t *room, uint8_t *mem, size_t each);

/* Does the session, opened with the key, give the right answer to the shortest request? */
enum kc_reason kc_answers_short(struct kc_answers *answers);

/* Does it give the right answer in every shape? @prices: two, by direction. */
enum kc_reason kc_answers_check(struct kc_answers *answers, struct kc_prices *prices);

/*
 * Does one request on both sides, to @got, and compares. The IV, the AAD and the key are those of
 * @answers; the caller fills in the rest of @req, with @in and @got in the buffers.
 */
enum kc_reason kc_answers_same(struct kc_answers *answers, struct kc_req req, uint8_t *got);

/* Does one request of @len bytes on both sides; sets the times. */
enum kc_reason kc_answers_one(struct kc_answers *answers, enum kc_dir dir, size_t len);

/* The first direction of this kind; the last one is always KC_ENCRYPT. */
enum kc_dir kc_answers_first_dir(const struct kc_alg *alg);

#endif
