/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's answer is kept apart until the base has given the same: a request may be in place.
 */
#include "offload/pair.h"

#include <string.h>

#include "session/buffers.h"

struct answers {
	uint8_t *kernels, *bases; /* the texts; a digest or MAC has none */
	uint8_t tag[KC_MAX_OUT];  /* the base's */
};

/* Bytes of a tag, digest or MAC that the request produces. */
static size_t made_tag(const struct kc_alg *alg, const struct kc_key *key, enum kc_dir dir)
{
	if (alg->kind == KC_AEAD)
		return dir == KC_ENCRYPT ? key->tag_len : 0;
	return alg->out_len;
}

/* 1 or 0 from base->whole(); -1 if memory is short. */
static int by_base(const struct kc_candidate *candidate, const struct kc_base *base,
		   const struct kc_key *key, const struct kc_req *req, uint64_t *ns)
{
	void *ctx = base->newctx(base);
	uint64_t start;
	int ok;

	if (!ctx)
		return -1;
	start = kc_learn_clock(candidate);
	ok = base->whole(base, ctx, key, req);
	*ns = kc_learn_clock(candidate) - start;
	base->freectx(ctx);
	return ok;
}

static bool is_same(const struct answers *a, const uint8_t *tag, size_t tag_len, size_t text_len)
{
	return (!tag_len || memcmp(tag, a->tag, tag_len) == 0) &&
	       (!text_len || memcmp(a->kernels, a->bases, text_len) == 0);
}

static int run(struct kc_session *session, struct kc_candidate *candidate,
	       const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
	       struct kc_pair *pair, struct answers *a)
{
	size_t tag_len = made_tag(candidate->alg, key, req->dir);
	size_t text_len = a->kernels ? req->len : 0;
	struct kc_req apart = *req;
	uint64_t start = kc_learn_clock(candidate);
	int err, ok;

	apart.out = a->kernels;
	err = kc_session_run(session, candidate, &apart);
	if (err)
		return err;
	pair->kernel_ns = kc_learn_clock(candidate) - start;
	apart.out = a->bases;
	if (tag_len)
		apart.tag = a->tag;
	ok = by_base(candidate, base, key, &apart, &pair->soft_ns);
	if (ok == 0 || (ok > 0 && !is_same(a, req->tag, tag_len, text_len)))
		return -KC_LIE;
	if (text_len)
		memcpy(req->out, a->kernels, text_len);
	return 0;
}

int kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair)
{
	struct answers a = { .kernels = req->out ? kc_buffer_take() : NULL,
			     .bases = req->out ? kc_buffer_take() : NULL };
	int err;

	*pair = (struct kc_pair){ .dir = req->dir, .len = req->len };
	if (!req->out == !a.kernels && !req->out == !a.bases)
		err = run(session, candidate, base, key, req, pair, &a);
	else
		err = kc_session_run(session, candidate, req);
	kc_buffer_give(a.kernels, req->len);
	kc_buffer_give(a.bases, req->len);
	explicit_bzero(a.tag, sizeof(a.tag));
	return err;
}
