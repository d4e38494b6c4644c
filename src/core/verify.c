/* SPDX-License-Identifier: Apache-2.0 */
/* The base answers first: a request in place leaves no input to answer later. */
#include "core/verify.h"

#include <string.h>

#include "core/scratch.h"
#include "core/session.h"
#include "core/stats.h"

static bool is_due(struct kc_choice *choice)
{
	if (!choice->verify)
		return false;
	return atomic_fetch_add_explicit(&choice->to_verify, 1, memory_order_relaxed) %
		       choice->verify ==
	       0;
}

/* By the one-shot, which holds nothing back and knows no padding. */
static bool base_answers(struct kc_cipher *c, const struct kc_req *req, uint8_t *out)
{
	size_t n = 0;

	if (c->base->alg->iv_len && !c->base->init(c->base, c->base_ctx, c->dir, NULL, req->iv))
		return false;
	return c->base->oneshot(c->base_ctx, out, &n, req->len, req->in, req->len);
}

static void refuse(struct kc_cipher *c)
{
	atomic_store(&c->choice->trust, KC_REFUSED);
	kc_stats_wrong(c->base->alg);
	kc_session_close(&c->session);
}

static void compare(struct kc_cipher *c, const struct kc_req *req, const uint8_t *want)
{
	if (kc_session_run(&c->session, c->choice, req) != 0)
		atomic_fetch_add(&c->choice->failures, 1);
	else if (memcmp(req->out, want, req->len) != 0)
		refuse(c);
	else
		return;
	memcpy(req->out, want, req->len);
}

int kc_verify_run(struct kc_cipher *c, const struct kc_req *req)
{
	uint8_t *want = is_due(c->choice) ? kc_scratch_take() : NULL;

	if (!want)
		return kc_session_run(&c->session, c->choice, req);
	if (!base_answers(c, req, want)) {
		kc_scratch_give(want, req->len);
		return kc_session_run(&c->session, c->choice, req);
	}
	compare(c, req, want);
	kc_scratch_give(want, req->len);
	return 0;
}
