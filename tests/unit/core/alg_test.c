/* SPDX-License-Identifier: Apache-2.0 */
/* The table: names are found, and every row's published vector is what the base computes. */
#include "unit/check.h"
#include "unit/core/kat.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

TEST(names_and_aliases_are_found_in_any_case)
{
	static const struct {
		const char *name;
		int row;
	} cases[] = {
		{ "AES-128-CBC", KC_ALG_AES_128_CBC },
		{ "aes-256-ctr", KC_ALG_AES_256_CTR },
		{ "AES192", KC_ALG_AES_192_CBC },
		{ "des3", KC_ALG_DES_EDE3_CBC },
		{ "AES-128", -1 },
		{ "", -1 },
		{ "AES-128-CBC:AES128", -1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct kc_alg *alg = kc_alg_find(cases[i].name, strlen(cases[i].name));

		assert_int_equal(alg ? alg - kc_algs : -1, cases[i].row);
	}
}

TEST(lists_of_names_share_one_or_none)
{
	assert_true(kc_names_share("AES-128-CBC:AES128", "x:aes128"));
	assert_false(kc_names_share("AES-128-CBC", "AES-128-CBC-CTS:AES-128"));
	assert_false(kc_names_share("", "a"));
}

static size_t from_hex(uint8_t *out, const char *hex)
{
	size_t n = 0;
	unsigned byte;

	for (; hex && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		out[n++] = (uint8_t)byte;
	return n;
}

/* Parameters other than the text stay as in the vector. */
static void run(const struct kc_base *base, enum kc_dir dir, const char *from, const char *to)
{
	const struct kc_kat *kat = &kc_kats[base->alg - kc_algs];
	uint8_t key_bytes[64], iv[16], aad[256], in[256], want[256], out[256], tag[64],
		want_tag[64];
	struct kc_key key = { .bytes = key_bytes, .len = from_hex(key_bytes, kat->key) };
	struct kc_req req = { .dir = dir, .iv = iv, .in = in, .out = out, .aad = aad, .tag = tag };
	void *ctx = base->newctx(base);
	size_t tag_len = from_hex(want_tag, kat->tag);

	req.len = from_hex(in, from);
	req.aad_len = from_hex(aad, kat->aad);
	assert_int_equal(from_hex(iv, kat->iv), base->alg->iv_len);
	key.tag_len = (unsigned)tag_len;
	if (dir == KC_DECRYPT)
		memcpy(tag, want_tag, tag_len);
	assert_true(base->whole(base, ctx, &key, &req));
	assert_memory_equal(out, want, from_hex(want, to));
	assert_memory_equal(tag, want_tag, tag_len);
	base->freectx(ctx);
}

TEST(every_vector_is_what_the_base_computes)
{
	assert_true(kc_base_open(true));
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_base *base = kc_base_get(&kc_algs[i]);

		assert_non_null(base);
		if (!kc_kats[i].plain) {
			print_message("%s: no vector\n", kc_algs[i].names);
			continue;
		}
		run(base, KC_ENCRYPT, kc_kats[i].plain, kc_kats[i].cipher);
		if (kc_algs[i].kind <= KC_AEAD)
			run(base, KC_DECRYPT, kc_kats[i].cipher, kc_kats[i].plain);
	}
}
