/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that both the base and a session do, compared and timed: known answers, and pairs, which
 * are requests of the application. No algorithm is known here: the base defines the right answer.
 */
#ifndef KC_OFFLOAD_ANSWERS_H
#define KC_OFFLOAD_ANSWERS_H

#include <errno.h>

#include "core/base.h"
#include "offload/classes.h"
#include "policy/first_terms.h"
#include "policy/learn.h"
#include "session/request.h"

/* Size of each buffer in bytes, whole pages, for requests of up to @len at offsets of up to 64. */
#define KC_ANSWERS_EACH(len) (((len) + 64 + KC_CLASS_PAGE - 1) / KC_CLASS_PAGE * KC_CLASS_PAGE)

/* Bytes: enough for kc_answers_check(). */
#define KC_ANSWERS_LEN (KC_CLASS_PAGE + KC_MAX_BLOCK)

struct kc_answers {
	const struct kc_candidate *candidate;
	const struct kc_base *base;
	struct kc_session *session;
	struct kc_key key;
	uint8_t key_bytes[KC_MAX_MAC_KEY], iv[KC_MAX_IV], aad[KC_MAX_AAD];
	uint8_t words[KC_MAX_OUT]; /* midstate before blocks of a digest, in place of an IV */
	uint8_t want_tag[KC_MAX_OUT], got_tag[KC_MAX_OUT];
	uint8_t *in, *want, *got;    /* each of the size given to kc_answers_init() */
	uint8_t asked;		     /* number of questions; wraps */
	enum kc_memory memory;	     /* the next request's */
	uint8_t *room;		     /* KC_MAX_REQUEST bytes, for the backend's run() */
	uint64_t soft_ns, kernel_ns; /* of the last request, by the candidate's clock */
	int err;		     /* of the last request, 0 or -errno */
	uint64_t until;		     /* ns: no class begins after this; 0: no limit */
	unsigned left_out;	     /* classes left out for that reason */
};

/*
 * Makes a key and an IV, and fills the input. @room: KC_MAX_REQUEST bytes. @mem: 3 * @each bytes,
 * with KC_ANSWERS_EACH for @each. Nothing else may be on their pages. The caller sets session.
 */
void kc_answers_init(struct kc_answers *answers, const struct kc_candidate *candidate,
		     const struct kc_base *base, uint8_t *room, uint8_t *mem, size_t each);

/*
 * Asks the session, opened with the key, a question of every class. KC_OK if all answers are right,
 * or the reason why not. @prices: gets two, by direction; NULL: asks only the shortest question.
 */
enum kc_reason kc_answers_check(struct kc_answers *answers, struct kc_prices *prices);

/* Asks only the shortest question, in the direction that all kinds have. KC_OK or the reason. */
enum kc_reason kc_answers_ask(struct kc_answers *answers);

/*
 * Takes another key, before a session is opened. @n: 1 or 2, which have different keys. A MAC that
 * takes keys of any length gets one as long as a block, or longer. False: this algorithm has no
 * keys.
 */
bool kc_answers_rekey(struct kc_answers *answers, unsigned n);

/*
 * Does one request on both sides, the session's text to @got, and compares; sets the times. IV, AAD
 * and key are those of @answers. The caller sets the rest of @req, with @in and @got in the
 * buffers. KC_OK or the reason.
 */
enum kc_reason kc_answers_same(struct kc_answers *answers, struct kc_req req, uint8_t *got);

/*
 * Returns a request of @len bytes of the input, with the IV and AAD of @answers, and the buffers
 * for the session's results. The caller sets aad_len, and may change in.
 */
struct kc_req kc_answers_req(struct kc_answers *answers, enum kc_dir dir, size_t len);

/* Returns the first direction of this kind; the last one is always KC_ENCRYPT. */
enum kc_dir kc_answers_first_dir(const struct kc_alg *alg);

/* Returns the bytes of output besides the text: of a tag, digest, MAC or midstate. */
size_t kc_answers_tag_len(const struct kc_alg *alg, const struct kc_key *key);

/*
 * Has a new context of the base do the request. 1, or 0 if it failed; *@ns: its time. -1: memory is
 * short.
 */
int kc_answers_by_base(const struct kc_candidate *candidate, const struct kc_base *base,
		       const struct kc_key *key, const struct kc_req *req, uint64_t *ns);

#endif
