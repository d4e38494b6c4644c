/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers: requests that the base and a session both do, compared and timed. Knows no
 * algorithm: the base says what is right, and one published vector says that the base and the row
 * are meant the same way.
 */
#ifndef KC_CORE_ANSWERS_H
#define KC_CORE_ANSWERS_H

#include "core/base.h"
#include "core/policy.h"

#define KC_ANSWERS_MARGIN 64 /* bytes behind each buffer, for requests that begin anywhere */
#define KC_ANSWERS_EACH	  (KC_MAX_REQUEST + KC_ANSWERS_MARGIN)
#define KC_ANSWERS_VECTOR 128 /* bytes of text in a published vector, at most */

struct kc_answers {
	const struct kc_base *base;
	void *base_ctx;
	struct kc_session *session;
	struct kc_key key; /* of the row's vector */
	uint8_t key_bytes[KC_MAX_KEY], iv[KC_MAX_IV], aad[KC_MAX_AAD];
	uint8_t want_tag[KC_MAX_OUT], got_tag[KC_MAX_OUT];
	uint8_t *in, *want, *got;    /* each of the size that kc_answers_init() was told */
	uint8_t *room;		     /* KC_MAX_REQUEST bytes, for the backend's run() */
	uint64_t soft_ns, kernel_ns; /* of the last request */
};

/*
 * Takes the vector's key and IV and fills the input. @room: KC_MAX_REQUEST bytes. @mem: 3 * @each
 * bytes; @each: KC_ANSWERS_EACH, or 2 * KC_ANSWERS_VECTOR where only kc_answers_vector() is asked for.
 * Both in pages of their own. The caller fills session, and base_ctx with a context of @base.
 */
void kc_answers_init(struct kc_answers *answers, const struct kc_base *base, uint8_t *room,
		     uint8_t *mem, size_t each);

/* Has the session, opened with the key, the published answer? The shortest of all questions. */
enum kc_reason kc_answers_vector(struct kc_answers *answers);

/* Has the session, opened with the key, the right answer in every shape that requests come in? */
enum kc_reason kc_answers_check(struct kc_answers *answers);

/* One request of @len bytes in both; sets the times. */
enum kc_reason kc_answers_one(struct kc_answers *answers, enum kc_dir dir, size_t len);

/* The first direction that this kind has; the last one is always KC_ENCRYPT. */
enum kc_dir kc_answers_first_dir(const struct kc_alg *alg);

#endif
