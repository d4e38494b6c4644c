/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request to the kernel, for a text or a record. It works from a copy of the input if the base
 * may have to do the same later.
 */
#include <string.h>

#include "core/driver.h"
#include "request/aead/aead.h"

/* True if the device does this length; some drivers leave others to the kernel's software. */
static bool is_devices(const struct kc_candidate *c, const struct kc_req *req)
{
	return !c->traits || kc_traits_fit_message(c->traits, req->len, req->aad_len);
}

int kc_aead_ask_kernel(struct kc_aead *c, struct kc_req *req, const uint8_t *nonce,
		       const uint8_t *in, size_t inl)
{
	const struct kc_alg *alg = c->base->alg;
	const struct kc_key key = { .bytes = c->key,
				    .len = alg->key_len,
				    .tag_len = (unsigned)c->lengths.tag };
	uint8_t iv[KC_MAX_IV] = { 0 }, *at = iv;
	int err;

	if (req->len > KC_MAX_REQUEST - KC_MAX_AAD - KC_MAX_TAG ||
	    req->len > kc_gate_open(&c->gate, c->base, c->dir, &key, req->len) ||
	    !is_devices(c->gate.candidate, req) || (in && !kc_aead_take_copy(c, in, inl)))
		return 1;
	if (in)
		req->in = c->copy + (req->in - in);
	/* RFC 3610's format, for nonces of any length. */
	if (!alg->nonce_len)
		*at++ = (uint8_t)(alg->iv_len - 2 - c->lengths.nonce);
	memcpy(at, nonce, c->lengths.nonce);
	req->iv = iv;
	err = kc_gate_run(&c->gate, c->base, &key, req);
	explicit_bzero(iv, sizeof(iv));
	if (err)
		kc_aead_drop_copy(c);
	return err;
}
