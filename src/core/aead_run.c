/* SPDX-License-Identifier: Apache-2.0 */
/* One AEAD request to the kernel, and, where that is configured, to the base as well. */
#include "core/aead.h"

#include <errno.h>
#include <string.h>

#include "core/scratch.h"
#include "core/session.h"

static struct kc_key key_of(const struct kc_aead *c, unsigned tag_len)
{
	return (struct kc_key){ .bytes = c->key,
				.len = c->base->common.alg->key_len,
				.tag_len = tag_len };
}

bool kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len)
{
	const struct kc_key key = key_of(c, tag_len);
	struct kc_session *session = &c->route.session;

	if (len > KC_MAX_REQUEST - KC_MAX_AAD - KC_MAX_TAG)
		return false;
	if (session->fd >= 0 && session->tag_len != tag_len)
		kc_session_close(session);
	return len >= c->route.smallest &&
	       kc_route_open(&c->route, &c->base->common, c->dir, &key, len) &&
	       len >= c->route.smallest && len <= session->limit;
}

/* As RFC 3610 has it, where the nonce may have any length. */
static void fill_iv(const struct kc_alg *alg, uint8_t *iv, const uint8_t *nonce, size_t len)
{
	size_t at = alg->nonce_len ? 0 : 1;

	memset(iv, 0, KC_MAX_IV);
	if (at)
		iv[0] = (uint8_t)(alg->iv_len - 2 - len);
	memcpy(iv + at, nonce, len);
}

/* What the kernel says is right stays apart until the base has said the same. */
static int compare(struct kc_aead *c, const struct kc_req *req, const struct kc_key *key,
		   uint8_t *got, uint8_t *want)
{
	const struct kc_base *base = &c->base->common;
	uint8_t want_tag[KC_MAX_TAG];
	struct kc_req apart = *req;
	int err;

	apart.out = got;
	err = kc_route_run(&c->route, &apart);
	if (err)
		return err;
	apart.out = want;
	if (req->dir == KC_ENCRYPT)
		apart.tag = want_tag;
	if (base->whole(base, c->check_ctx, key, &apart) && memcmp(got, want, req->len) == 0 &&
	    memcmp(req->tag, apart.tag, key->tag_len) == 0) {
		memcpy(req->out, got, req->len);
		return 0;
	}
	kc_route_refuse(&c->route);
	return -EIO;
}

static int run(struct kc_aead *c, const struct kc_req *req, const struct kc_key *key)
{
	uint8_t *got, *want;
	int err;

	if (!c->check_ctx || !kc_route_verifies(&c->route))
		return kc_route_run(&c->route, req);
	got = kc_scratch_take();
	want = kc_scratch_take();
	err = got && want ? compare(c, req, key, got, want) : kc_route_run(&c->route, req);
	kc_scratch_give(got, req->len);
	kc_scratch_give(want, req->len);
	return err;
}

int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len, const uint8_t *nonce,
		size_t nonce_len)
{
	const struct kc_key key = key_of(c, tag_len);
	uint8_t iv[KC_MAX_IV];
	int err;

	fill_iv(c->base->common.alg, iv, nonce, nonce_len);
	req->iv = iv;
	err = run(c, req, &key);
	explicit_bzero(iv, sizeof(iv));
	return err;
}
