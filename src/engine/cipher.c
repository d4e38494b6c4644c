/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ENGINE's ciphers. A context's data are the built-in implementation's own, where its functions
 * expect them, followed by kcrypto's. EVP keeps the stream: the input is whole blocks (in a stream
 * mode, any length), and the IV is the one in the context, which the program may have changed
 * between two calls.
 */
#include <string.h>

#include "base/method.h"
#include "request/counted.h"
#include "request/cipher.h"
#include "stats/stats.h"
#include "engine/engine.h"

/* Follows the implementation's data. All zeros before the first key. */
struct cipher_data {
	struct kc_cipher cipher; /* empty if there is no candidate */
	/* Does requests below the threshold; NULL: they are counted. */
	int (*software)(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in,
			size_t len);
	struct kc_method_ctx base;
};

static struct cipher_data *cipher_data_of(const EVP_CIPHER_CTX *ctx)
{
	char *data = EVP_CIPHER_CTX_get_cipher_data(ctx);

	if (!data)
		return NULL;
	return (struct cipher_data *)(void *)(data + kc_method_room[KC_CIPHER]);
}

static const struct kc_method *method_of(const EVP_CIPHER_CTX *ctx)
{
	return kc_method_find(KC_CIPHER, EVP_CIPHER_CTX_nid(ctx));
}

/* Ends the gate, and wipes the cipher to all zeros. */
static void end_cipher(struct kc_cipher *c)
{
	if (c->base)
		kc_gate_end(&c->gate);
	explicit_bzero(c, sizeof(*c));
}

static void set_cipher_key(struct kc_cipher *c, const struct kc_base *base, enum kc_dir dir,
			   const uint8_t *key, size_t len, bool ok)
{
	struct kc_candidate *first = kc_engine_candidates(base->alg);

	if (!first) {
		end_cipher(c);
		c->threshold = KC_NO_DETOUR;
		return;
	}
	if (!c->base) {
		/* Even if the program gave no IV, the context has one, which is also the base's. */
		*c = (struct kc_cipher){ .base = base, .iv_set = true };
		c->update = base->update;
		kc_gate_init(&c->gate, first);
	}
	kc_cipher_started(c, dir, key, len, NULL, 0, ok);
}

static int cipher_init(EVP_CIPHER_CTX *ctx, const unsigned char *key, const unsigned char *iv,
		       int enc)
{
	const struct kc_method *method = method_of(ctx);
	struct cipher_data *o = cipher_data_of(ctx);
	enum kc_dir dir = enc ? KC_ENCRYPT : KC_DECRYPT;
	int ok;

	if (!method || !o)
		return 0;
	ok = method->c.init(ctx, key, iv, enc) > 0;
	o->base = (struct kc_method_ctx){ .method = method, .ctx = ctx };
	set_cipher_key(&o->cipher, &method->base, dir, key, (size_t)EVP_CIPHER_CTX_key_length(ctx),
		       ok);
	o->software = method->c.do_cipher;
	if (o->cipher.base && kc_stats_is_on())
		o->software = NULL;
	return ok;
}

/* Like the base's update, for requests of any length. */
static int run_cipher(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		      const unsigned char *in, size_t len)
{
	struct cipher_data *o = ctx;
	struct kc_cipher *c = &o->cipher;
	const struct kc_alg *alg = c->base->alg;
	enum kc_dir dir = EVP_CIPHER_CTX_encrypting(o->base.ctx) ? KC_ENCRYPT : KC_DECRYPT;
	struct kc_req req = { .dir = dir, .in = in, .out = out, .len = len };

	/* In a direction without a key of its own, the base's key schedule decides. */
	if (len < c->threshold || dir != c->key_dir)
		return c->update(&o->base, out, outl, outsize, in, len);
	if (kc_gate_stay(&c->gate, len))
		return c->update(&o->base, out, outl, outsize, in, len);
	if (!alg->stream && len % alg->block_len)
		return c->update(&o->base, out, outl, outsize, in, len);
	c->base_ctx = &o->base;
	kc_cipher_displace(c);
	c->fed = 0;
	return kc_detour(c, &req, outl, outsize, c->update);
}

static __attribute__((noinline)) int do_large(struct cipher_data *o, EVP_CIPHER_CTX *ctx,
					      unsigned char *out, const unsigned char *in,
					      size_t len)
{
	size_t n = 0;

	/* The built-in functions crash without a key. */
	if (!o || !o->base.method)
		return 0;
	o->base.ctx = ctx;
	if (!kc_stats_is_on())
		return run_cipher(o, out, &n, len, in, len);
	return kc_counted(run_cipher, o, out, &n, len, in, len);
}

static int do_cipher(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in, size_t len)
{
	struct cipher_data *o = cipher_data_of(ctx);

	/* All zeros: the threshold is 0, so every request goes to do_large(). */
	if (o && len < o->cipher.threshold && o->software)
		return o->software(ctx, out, in, len);
	return do_large(o, ctx, out, in, len);
}

static int cipher_ctrl(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr)
{
	const struct kc_method *method = method_of(ctx);

	if (type == EVP_CTRL_COPY) {
		struct cipher_data *o = cipher_data_of(ptr);

		if (o && o->cipher.base)
			kc_gate_copied(&o->cipher.gate);
		return 1;
	}
	if (!method || !method->c.ctrl)
		return -1;
	return method->c.ctrl(ctx, type, arg, ptr);
}

static int cipher_cleanup(EVP_CIPHER_CTX *ctx)
{
	struct cipher_data *o = cipher_data_of(ctx);

	if (!o || !o->base.method)
		return 1;
	end_cipher(&o->cipher);
	if (!o->base.method->c.cleanup)
		return 1;
	return o->base.method->c.cleanup(ctx);
}

EVP_CIPHER *kc_engine_make_cipher(const struct kc_method *m)
{
	static const struct kc_cipher_functions f = { cipher_init, do_cipher, cipher_cleanup,
						      cipher_ctrl };

	return kc_method_copy_cipher(m->their_cipher, m->nid, EVP_CIPH_CUSTOM_COPY,
				     (int)(kc_method_room[KC_CIPHER] + sizeof(struct cipher_data)),
				     &f);
}
