/* SPDX-License-Identifier: Apache-2.0 */
/* One AEAD request to the kernel. */
#include "request/aead.h"

#include <string.h>

#include "session/session.h"

static struct kc_key key_of(const struct kc_aead *c, unsigned tag_len)
{
	return (struct kc_key){ .bytes = c->key,
				.len = c->base->common.alg->key_len,
				.tag_len = tag_len };
}

bool kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len)
{
	const struct kc_key key = key_of(c, tag_len);
	struct kc_session *session = &c->gate.session;

	if (len > KC_MAX_REQUEST - KC_MAX_AAD - KC_MAX_TAG)
		return false;
	if (session->fd >= 0 && session->tag_len != tag_len)
		kc_session_close(session);
	return len >= c->gate.entry &&
	       kc_gate_open(&c->gate, &c->base->common, c->dir, &key, len) && len <= session->limit;
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

int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len, const uint8_t *nonce,
		size_t nonce_len)
{
	const struct kc_key key = key_of(c, tag_len);
	uint8_t iv[KC_MAX_IV];
	int err;

	fill_iv(c->base->common.alg, iv, nonce, nonce_len);
	req->iv = iv;
	err = kc_gate_run(&c->gate, &c->base->common, &key, req);
	explicit_bzero(iv, sizeof(iv));
	return err;
}
