/* SPDX-License-Identifier: Apache-2.0 */
/* Does a request by the kernel and by the base, and compares the answers. */
#include "offload/pair.h"

#include <string.h>

#include "offload/answers.h"
#include "offload/classes.h"
#include "session/buffers.h"

/* @kernels, @bases: buffers for the texts; NULL for a digest or MAC, which has none. */
static int both(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair, uint8_t *kernels, uint8_t *bases)
{
	bool is_opened = candidate->alg->kind == KC_AEAD && req->dir == KC_DECRYPT;
	size_t made = is_opened ? 0 : kc_answers_tag_len(candidate->alg, key);
	size_t text_len = kernels ? req->len : 0;
	uint64_t start = kc_terms_clock(&candidate->terms);
	struct kc_req apart = *req;
	uint8_t tag[KC_MAX_OUT];
	int err, ok;

	apart.out = kernels;
	err = kc_session_run(session, candidate, &apart);
	if (err)
		return err;
	pair->kernel_ns = kc_terms_clock(&candidate->terms) - start;
	apart.out = bases;
	if (made)
		apart.tag = tag;
	ok = kc_answers_by_base(candidate, base, key, &apart, &pair->soft_ns);
	if (ok > 0 && made)
		ok = memcmp(req->tag, tag, made) == 0;
	if (ok > 0 && text_len)
		ok = memcmp(kernels, bases, text_len) == 0;
	if (ok && text_len && kernels != req->out)
		memcpy(req->out, kernels, text_len);
	explicit_bzero(tag, sizeof(tag));
	if (!ok)
		return -KC_LIE;
	return 0;
}

/*
 * True if the driver may write to the request's own output, so that it meets the same addresses as
 * without a comparison. An answer in place must wait until the base's is the same, and so must an
 * AEAD's.
 */
static bool may_be_written(const struct kc_session *session, const struct kc_req *req)
{
	if (session->alg->kind != KC_CIPHER || req->in == req->out)
		return false;
	return kc_session_is_direct(session, req);
}

int kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair)
{
	uint8_t *room = NULL, *kernels = NULL, *bases = NULL;
	int err;

	if (req->out && may_be_written(session, req)) {
		kernels = req->out;
	} else if (req->out) {
		room = kc_buffer_take();
		kernels = room;
	}
	if (req->out)
		bases = kc_buffer_take();
	*pair = (struct kc_pair){ .dir = req->dir,
				  .len = req->len,
				  .traits = kc_traits(session, req, key->len) };
	if (!req->out || (kernels && bases))
		err = both(session, candidate, base, key, req, pair, kernels, bases);
	else
		err = kc_session_run(session, candidate, req);
	kc_buffer_give(room, req->len);
	kc_buffer_give(bases, req->len);
	return err;
}
