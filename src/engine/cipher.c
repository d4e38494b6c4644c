/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ciphers of the ENGINE. A context's data are the built-in implementation's own, where its
 * functions expect them, followed by ours.
 */
#include <string.h>

#include "base/method.h"
#include "request/whole_blocks.h"
#include "request/counted.h"
#include "stats/stats.h"
#include "engine/engine.h"

/* Follows the implementation's data; all zero before the first key. */
struct cipher_data {
	/* For requests below the threshold; NULL: these are counted. */
	int (*software)(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in,
			size_t len);
	struct kc_cipher cipher;
	struct kc_method_ctx base;
};

static size_t room_for_theirs; /* bytes, for any implementation */

static struct cipher_data *ours_of(const EVP_CIPHER_CTX *ctx)
{
	char *data = EVP_CIPHER_CTX_get_cipher_data(ctx);

	return data ? (struct cipher_data *)(void *)(data + room_for_theirs) : NULL;
}

static const struct kc_method *method_of(const EVP_CIPHER_CTX *ctx)
{
	return kc_method_find(KC_CIPHER, EVP_CIPHER_CTX_nid(ctx));
}

static int init(EVP_CIPHER_CTX *ctx, const unsigned char *key, const unsigned char *iv, int enc)
{
	const struct kc_method *method = method_of(ctx);
	struct cipher_data *o = ours_of(ctx);
	int ok;

	if (!method || !o)
		return 0;
	ok = method->c.init(ctx, key, iv, enc) > 0;
	o->base = (struct kc_method_ctx){ .method = method, .ctx = ctx };
	kc_blocks_set_key(&o->cipher, &method->cipher, kc_engine_candidates(method->common.alg),
			  enc ? KC_ENCRYPT : KC_DECRYPT, key,
			  (size_t)EVP_CIPHER_CTX_key_length(ctx), ok);
	o->software = o->cipher.base && kc_stats_is_on() ? NULL : method->c.do_cipher;
	return ok;
}

static __attribute__((noinline)) int do_large(struct cipher_data *o, EVP_CIPHER_CTX *ctx,
					      unsigned char *out, const unsigned char *in,
					      size_t len)
{
	enum kc_dir dir = EVP_CIPHER_CTX_encrypting(ctx) ? KC_ENCRYPT : KC_DECRYPT;
	struct kc_counted k;
	bool counts = kc_stats_is_on();
	int ok;

	/* The built-in functions crash without a key. */
	if (!o || !o->base.method)
		return 0;
	o->base.ctx = ctx;
	if (counts)
		kc_counted_begin(&k, &o->cipher.gate, dir, len);
	ok = kc_blocks_run(&o->cipher, &o->base, dir, out, in, len);
	if (counts)
		kc_counted_end(&k, &o->cipher.gate, len);
	return ok;
}

static int do_cipher(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in, size_t len)
{
	struct cipher_data *o = ours_of(ctx);

	/* If it is all zero, no length is below the threshold. */
	if (o && len < o->cipher.threshold && o->software)
		return o->software(ctx, out, in, len);
	return do_large(o, ctx, out, in, len);
}

static int ctrl(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr)
{
	const struct kc_method *method = method_of(ctx);
	struct cipher_data *o = type == EVP_CTRL_COPY ? ours_of(ptr) : NULL;

	if (o)
		kc_blocks_copied(&o->cipher);
	if (type == EVP_CTRL_COPY)
		return 1;
	return method && method->c.ctrl ? method->c.ctrl(ctx, type, arg, ptr) : -1;
}

static int cleanup(EVP_CIPHER_CTX *ctx)
{
	struct cipher_data *o = ours_of(ctx);
	int (*theirs)(EVP_CIPHER_CTX * ctx) =
		o && o->base.method ? o->base.method->c.cleanup : NULL;

	if (o)
		kc_blocks_end(&o->cipher);
	return theirs ? theirs(ctx) : 1;
}

EVP_CIPHER *kc_engine_make_cipher(const struct kc_method *m)
{
	static const struct kc_cipher_functions f = { init, do_cipher, cleanup, ctrl };

	room_for_theirs = kc_method_room(KC_CIPHER);
	return kc_method_copy_cipher(m->their_cipher, m->nid, EVP_CIPH_CUSTOM_COPY,
				     (int)(room_for_theirs + sizeof(struct cipher_data)), &f);
}
