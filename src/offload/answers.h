/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that both the base and a session do, compared and timed: known answers, and pairs, which
 * are requests of the application. Knows no algorithm: the base defines the right answer.
 */
#ifndef KC_OFFLOAD_ANSWERS_H
#define KC_OFFLOAD_ANSWERS_H

#include <errno.h>

#include "core/base.h"
#include "offload/classes.h"
#include "policy/learn.h"
#include "session/request.h"

/* Size of each buffer in bytes, whole pages, for requests of up to @len at offsets of up to 64. */
#define KC_ANSWERS_EACH(len) (((len) + 64 + KC_CLASS_PAGE - 1) / KC_CLASS_PAGE * KC_CLASS_PAGE)

/* Enough for kc_answers_check(). */
#define KC_ANSWERS_LEN (KC_CLASS_PAGE + KC_MAX_BLOCK)

struct kc_answers {
	const struct kc_candidate *candidate;
	const struct kc_base *base;
	struct kc_session *session;
	struct kc_key key;
	uint8_t key_bytes[KC_MAX_MAC_KEY], iv[KC_MAX_IV], aad[KC_MAX_AAD];
	uint8_t words[KC_MAX_OUT]; /* in place of an IV: before blocks of a digest */
	uint8_t want_tag[KC_MAX_OUT], got_tag[KC_MAX_OUT];
	uint8_t *in, *want, *got;    /* each of the size given to kc_answers_init() */
	uint8_t asked;		     /* questions, wraps */
	enum kc_memory memory;	     /* of the next request */
	uint8_t *room;		     /* KC_MAX_REQUEST bytes, for the backend's run() */
	uint64_t soft_ns, kernel_ns; /* of the last request, by the clock of the candidate */
	int err;		     /* the last request's, 0 or -errno */
	uint64_t until;		     /* ns: then no class is begun any more; 0: no limit */
	unsigned left_out;	     /* classes, for that reason */
};

/*
 * Makes a key and an IV and fills the input. @room: KC_MAX_REQUEST bytes. @mem: 3 * @each bytes;
 * @each: see KC_ANSWERS_EACH. Both on pages of their own. The caller fills in session.
 */
void kc_answers_init(struct kc_answers *answers, const struct kc_candidate *candidate,
		     const struct kc_base *base, uint8_t *room, uint8_t *mem, size_t each);

/*
 * Does the session, opened with the key, give the right answer in every class? @prices: returns
 * two, by direction; NULL: only the shortest request is made.
 */
enum kc_reason kc_answers_check(struct kc_answers *answers, struct kc_prices *prices);

/* Does it give the right answer to the shortest question, of the direction that all kinds have? */
enum kc_reason kc_answers_ask(struct kc_answers *answers);

/*
 * Takes another key, before a session is opened; @n: 1 or 2, each has its own. A MAC that takes any
 * key gets one as long as a block, or longer. False: there are no keys.
 */
bool kc_answers_rekey(struct kc_answers *answers, unsigned n);

/*
 * Does one request on both sides, to @got, and compares; sets the times. IV, AAD and key are those
 * of @answers; the caller fills in the rest of @req, with @in and @got in the buffers.
 */
enum kc_reason kc_answers_same(struct kc_answers *answers, struct kc_req req, uint8_t *got);

/*
 * A request of @len bytes of the input, with the IV and AAD of @answers, and its other buffers for
 * what the session makes of it. The caller fills in @aad_len, and may change @in.
 */
struct kc_req kc_answers_req(struct kc_answers *answers, enum kc_dir dir, size_t len);

/* The first direction of this kind; the last one is always KC_ENCRYPT. */
enum kc_dir kc_answers_first_dir(const struct kc_alg *alg);

/* Bytes of output besides the text: a tag, a digest, a MAC, a midstate. */
size_t kc_answers_tag_len(const struct kc_alg *alg, const struct kc_key *key);

/* 1 or 0 from base->whole(), which took @ns; -1 if memory is short. */
int kc_answers_by_base(const struct kc_candidate *candidate, const struct kc_base *base,
		       const struct kc_key *key, const struct kc_req *req, uint64_t *ns);

#endif
