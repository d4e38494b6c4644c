/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context: the base's context, and beside it only what a detour through the kernel
 * needs. A request below the threshold is one comparison and one call into the base.
 */
#ifndef KC_CORE_CIPHER_H
#define KC_CORE_CIPHER_H

#include <string.h>

#include "core/route.h"

struct kc_cipher {
	/* Touched by every request. */
	size_t threshold;     /* bytes; KC_NO_DETOUR until an init makes one possible */
	kc_update_fn *update; /* of the base */
	void *base_ctx;
	uint64_t fed; /* bytes since the last init: says what the base holds back */

	/* By every init, with a part of the route. */
	const struct kc_cipher_base *base;
	enum kc_dir dir, key_dir;
	bool key_set; /* our copy is the base's key */
	bool iv_set;
	bool tls;	       /* an update is a TLS record */
	bool other_key_len;    /* one was set: the base knows which */
	bool no_padding;       /* was said last, and nothing since */
	bool placed;	       /* ->place is right; else the base has to be asked */
	struct kc_place place; /* ->num: as it was when nothing was fed */
	struct kc_route route;
	uint8_t iv[KC_MAX_IV]; /* as given to the last init that came with one */
	uint8_t key[KC_MAX_KEY];
};

/* NULL where memory is short. */
struct kc_cipher *kc_cipher_new(const struct kc_cipher_base *base, struct kc_choice *first);
struct kc_cipher *kc_cipher_dup(const struct kc_cipher *from);
void kc_cipher_free(struct kc_cipher *c);

/*
 * After the base's init: @ok as it answered. @key and @iv as the application gave them, lengths in
 * bytes; NULL: unchanged.
 */
void kc_cipher_started(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key, size_t key_len,
		       const uint8_t *iv, size_t iv_len, bool ok);

static inline void kc_cipher_take_key(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key)
{
	size_t len = c->base->common.alg->key_len;

	kc_session_close(&c->route.session);
	/* Of most keys without a call. */
	if (len == 16)
		memcpy(c->key, key, 16);
	else
		memcpy(c->key, key, len);
	c->key_set = true;
	c->key_dir = dir;
	c->route.waited = 0;
}

/*
 * The usual init: an IV for the next message, and a key or, NULL, the one that is there, both of
 * the usual lengths. True where it is one and all is noted; if the base's init fails, the key is
 * lost. False: see above.
 */
static inline bool kc_cipher_restarts(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key,
				      size_t key_len, const uint8_t *iv, size_t iv_len)
{
	const struct kc_alg *alg = c->base->common.alg;

	if (!iv || iv_len != sizeof(c->iv) || iv_len != alg->iv_len ||
	    (key && key_len != alg->key_len))
		return false;
	if (key)
		kc_cipher_take_key(c, dir, key);
	memcpy(c->iv, iv, sizeof(c->iv));
	c->iv_set = true;
	c->place.num = 0;
	c->fed = 0;
	c->dir = dir;
	kc_route_renew(&c->route, dir);
	c->threshold = c->key_set && dir == c->key_dir ? c->route.entry : KC_NO_DETOUR;
	return true;
}

/* Parameters are about to be set: in mid-stream they change what the base holds back. */
void kc_cipher_params_set(struct kc_cipher *c);

/*
 * The base may have got another key, or another length for one, or a part of what an init that
 * failed brought: until the next key it is alone.
 */
void kc_cipher_key_lost(struct kc_cipher *c);

/* From now on an update is a TLS record, or no longer. */
void kc_cipher_tls_set(struct kc_cipher *c, bool on);

/* OpenSSL's provider functions; @ctx is a struct kc_cipher. */
kc_update_fn kc_cipher_update, kc_cipher_oneshot;
kc_final_fn kc_cipher_final;

#endif
