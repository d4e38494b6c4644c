/* SPDX-License-Identifier: Apache-2.0 */
/* See fixture.h. */
#include "unit/fixture.h"

#include <stdarg.h>

#include "base/base.h"
#include "diff/stats_file.h"
#include "session/buffers.h"
#include "policy/config.h"

struct kc_policy policy;
uint8_t key[32] = "0123456789abcdef0123456789abcde", iv[16] = "fedcba987654321";
uint8_t in[LEN], out[LEN + 16], want[LEN + 16];

void load_policy(const char *first, ...)
{
	struct kc_config config;
	va_list words;

	kc_config_init(&config);
	config.legacy = true;
	config.tune_file[0] = '\0'; /* The machine's own file is no part of the test. */
	va_start(words, first);
	for (const char *name = first; name; name = va_arg(words, const char *))
		kc_config_set(&config, name, va_arg(words, const char *));
	va_end(words);
	kc_policy_free(&policy);
	kc_policy_load(&policy, &config);
}

void configure(const char *ciphers, const char *verify)
{
	standin_reset();
	load_policy("ciphers", ciphers, verify ? "verify" : NULL, verify, NULL);
}

struct kc_cipher *started(enum kc_alg_id id, enum kc_dir dir)
{
	const struct kc_base *base = kc_base_get(&kc_algs[id]);
	struct kc_cipher *c = kc_cipher_new(base, policy.row[id]);

	assert_non_null(c);
	assert_true(base->init(base, c->base_ctx, dir, key, iv));
	kc_cipher_started(c, dir, key, base->alg->key_len, iv, base->alg->iv_len, true);
	return c;
}

void restart(struct kc_cipher *c)
{
	const struct kc_alg *alg = c->base->alg;
	const uint8_t *from = alg->iv_len ? iv : NULL;

	assert_true(c->base->init(c->base, c->base_ctx, c->dir, NULL, from));
	kc_cipher_started(c, c->dir, NULL, 0, from, alg->iv_len, true);
}

struct kc_cipher *configured(const char *ciphers, enum kc_alg_id id)
{
	configure(ciphers, NULL);
	return started(id, KC_ENCRYPT);
}

void software(enum kc_alg_id id, enum kc_dir dir, size_t len)
{
	const struct kc_base *base = kc_base_get(&kc_algs[id]);
	void *ctx = base->newctx(base);
	size_t n;

	assert_true(base->init(base, ctx, dir, key, iv));
	base->set_padding(base, ctx, false);
	assert_true(base->update(ctx, want, &n, sizeof(want), in, len));
	base->freectx(ctx);
}

void feed(struct kc_cipher *c, size_t len)
{
	size_t n = 0;

	assert_true(kc_cipher_update(c, out, &n, sizeof(out), in, len));
}

void open_base(void)
{
	for (size_t i = 0; i < LEN; i++)
		in[i] = (uint8_t)(i * 7 + i / 256);
	assert_true(kc_base_open(true));
	stats_file_make();
	kc_stats_open();
	/* One thread at a time runs this; a test may have several. */
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_base_get(&kc_algs[i]);
}

void close_base(void)
{
	kc_stats_close();
	kc_buffer_free();
}
