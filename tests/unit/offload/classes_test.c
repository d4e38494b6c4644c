/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that are wrong in one class of requests. If a question of the trial is in that class, the
 * driver is never used; otherwise the first request of the class finds out, and the program gets
 * the right answer.
 */
#include "unit/fixture.h"

#include <stdio.h>
#include <string.h>

#include "offload/gate.h"
#include "offload/trial.h"

#define PAGE 4096

static size_t tag_len; /* of the program's request */

static uintptr_t in_page(const void *at)
{
	return (uintptr_t)at % PAGE;
}

/* Each LIAR: whether the answer to this request is wrong. */
#define LIAR(name, condition)                                                                      \
	static bool name(const struct kc_req *req, size_t key_len)                                 \
	{                                                                                          \
		(void)req, (void)key_len;                                                          \
		return condition;                                                                  \
	}

LIAR(whole_blocks_of_64, req->len % 64 == 0)
LIAR(one_block_of_64, req->len == 64)
LIAR(one_block_of_128, req->len == 128)
LIAR(one_block_of_136, req->len == 136)
LIAR(a_byte_more_than_blocks, req->len % 64 == 1)
LIAR(a_byte_less_than_blocks, req->len % 64 == 63)
LIAR(a_byte_less_than_blocks_of_16, req->len % 16 == 15)
LIAR(no_room_for_the_length, req->len % 64 == 56)
LIAR(just_room_for_the_length, req->len % 64 == 55)
LIAR(no_room_for_a_longer_length, req->len % 128 == 112)
LIAR(whole_pages, req->len % PAGE == 0)
LIAR(a_byte_more_than_pages, req->len % PAGE == 1 && req->len > PAGE)
LIAR(a_byte_less_than_pages, req->len % PAGE == PAGE - 1)
LIAR(a_block_more_than_pages, req->len % PAGE == 16 && req->len > PAGE)
LIAR(a_block_less_than_pages, req->len % PAGE == PAGE - 16)
LIAR(one_block, req->len <= 16)
LIAR(input_at_1, in_page(req->in) == 1)
LIAR(input_at_4, in_page(req->in) == 4)
LIAR(input_at_16, in_page(req->in) == 16)
LIAR(output_at_1, in_page(req->out) == 1)
LIAR(output_at_4, in_page(req->out) == 4)
LIAR(output_at_16, in_page(req->out) == 16)
LIAR(both_at_pages, in_page(req->in) == 0 && in_page(req->out) == 0)
LIAR(decryption, req->dir == KC_DECRYPT)
LIAR(encryption, req->dir == KC_ENCRYPT)
LIAR(no_aad, req->aad_len == 0)
LIAR(aad_of_13, req->aad_len == 13)
LIAR(aad_of_16, req->aad_len == 16)
LIAR(aad_of_20, req->aad_len == 20)
LIAR(aad_of_256, req->aad_len == 256)
LIAR(pages_with_aad, (req->len + req->aad_len) % PAGE == 0 && req->aad_len)
LIAR(a_key_of_a_block, key_len == 64)
LIAR(a_key_longer_than_a_block, key_len > 64)
LIAR(a_key_shorter_than_a_block, key_len < 64)
LIAR(a_sectors_number, memcmp(req->iv + 8, (uint8_t[8]){ 0 }, 8) == 0)
LIAR(a_longer_tweak, memcmp(req->iv + 8, (uint8_t[8]){ 0 }, 8) != 0)
LIAR(above_32_kib, req->len > 32768)
LIAR(another_nonce, req->iv[0] != 2)
LIAR(a_tag_of_8, tag_len == 8)
LIAR(the_largest, req->len == 65536)

static struct kc_candidate *candidate(enum kc_alg_id id, const char *threshold)
{
	static const char *const keys[] = { "ciphers", "ciphers", "digests", "macs" };
	const struct kc_alg *alg = &kc_algs[id];
	char value[64];

	snprintf(value, sizeof(value), "%s%s", kc_alg_name(alg), threshold);
	standin_reset();
	load_policy(keys[alg->kind], value, NULL);
	return policy.row[id];
}

TEST(a_driver_that_is_wrong_in_one_class_fails_its_trial)
{
	static const struct {
		enum kc_alg_id id;
		bool (*lies_to)(const struct kc_req *req, size_t key_len);
	} cases[] = {
		{ KC_ALG_HMAC_SHA256, whole_blocks_of_64 },
		{ KC_ALG_HMAC_SHA256, one_block_of_64 },
		{ KC_ALG_HMAC_SHA256, a_byte_more_than_blocks },
		{ KC_ALG_HMAC_SHA256, a_byte_less_than_blocks },
		{ KC_ALG_HMAC_SHA256, a_key_of_a_block },
		{ KC_ALG_HMAC_SHA256, a_key_longer_than_a_block },
		{ KC_ALG_HMAC_SHA256, a_key_shorter_than_a_block },
		{ KC_ALG_SHA1, whole_blocks_of_64 },
		{ KC_ALG_SHA1, no_room_for_the_length },
		{ KC_ALG_SHA1, just_room_for_the_length },
		{ KC_ALG_SHA1, whole_pages },
		{ KC_ALG_SHA1, a_byte_more_than_pages },
		{ KC_ALG_SHA1, a_byte_less_than_pages },
		{ KC_ALG_SHA512, one_block_of_128 },
		{ KC_ALG_SHA512, no_room_for_a_longer_length },
		{ KC_ALG_SHA3_256, one_block_of_136 },
		{ KC_ALG_CMAC_AES_128, whole_blocks_of_64 },
		{ KC_ALG_CMAC_AES_128, one_block },
		{ KC_ALG_AES_128_CBC, one_block },
		{ KC_ALG_AES_128_CBC, whole_pages },
		{ KC_ALG_AES_128_CBC, a_block_more_than_pages },
		{ KC_ALG_AES_128_CBC, a_block_less_than_pages },
		{ KC_ALG_AES_128_CBC, input_at_1 },
		{ KC_ALG_AES_128_CBC, input_at_4 },
		{ KC_ALG_AES_128_CBC, input_at_16 },
		{ KC_ALG_AES_128_CBC, output_at_1 },
		{ KC_ALG_AES_128_CBC, output_at_4 },
		{ KC_ALG_AES_128_CBC, output_at_16 },
		{ KC_ALG_AES_128_CBC, both_at_pages },
		{ KC_ALG_AES_128_CBC, decryption },
		{ KC_ALG_AES_128_CBC, encryption },
		{ KC_ALG_AES_256_XTS, whole_pages },
		{ KC_ALG_AES_256_XTS, a_sectors_number },
		{ KC_ALG_AES_256_XTS, a_longer_tweak },
		{ KC_ALG_AES_128_CTR, whole_pages },
		{ KC_ALG_DES_EDE3_CBC, input_at_1 },
		{ KC_ALG_CHACHA20, whole_pages },
		{ KC_ALG_AES_128_GCM, no_aad },
		{ KC_ALG_AES_128_GCM, aad_of_13 },
		{ KC_ALG_AES_128_GCM, aad_of_16 },
		{ KC_ALG_AES_128_GCM, aad_of_20 },
		{ KC_ALG_AES_128_GCM, aad_of_256 },
		{ KC_ALG_AES_128_GCM, pages_with_aad },
		{ KC_ALG_AES_128_GCM, whole_pages },
		{ KC_ALG_AES_128_GCM, a_byte_more_than_pages },
		{ KC_ALG_AES_256_CCM, a_byte_less_than_blocks_of_16 },
		{ KC_ALG_AES_256_CCM, aad_of_13 },
		{ KC_ALG_AES_256_CCM, one_block_of_64 },
		{ KC_ALG_CHACHA20_POLY1305, aad_of_16 },
		{ KC_ALG_CHACHA20_POLY1305, one_block_of_64 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kc_candidate *c = candidate(cases[i].id, "");

		assert_int_equal(kc_trial_run(c, kc_base_get(c->alg)), KC_OK);
		standin.lies_to = cases[i].lies_to;
		print_message("  case %zu: %s\n", i, kc_alg_name(c->alg));
		assert_int_equal(kc_trial_run(c, kc_base_get(c->alg)), KC_WRONG_ANSWER);
	}
}

/* A program's request, done by the kernel or by software; its result must be right. */
static void request(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *with,
		    struct kc_req req)
{
	uint8_t tag[KC_MAX_OUT] = { 0 }, right[KC_MAX_OUT] = { 0 };
	struct kc_req same = req;
	void *ctx = base->newctx(base);

	same.out = want;
	same.tag = right;
	req.tag = tag;
	assert_int_equal(base->whole(base, ctx, with, &same), 1);
	kc_gate_renew(gate, KC_ENCRYPT);
	if (!kc_gate_open(gate, base, KC_ENCRYPT, with, req.len) ||
	    kc_gate_run(gate, base, with, &req) != 0)
		assert_int_equal(base->whole(base, ctx, with, &req), 1);
	assert_memory_equal(tag, right, sizeof(tag));
	if (req.out)
		assert_memory_equal(req.out, want, req.len);
	base->freectx(ctx);
}

/* Lengths in bytes, offsets from a page. */
struct stream {
	enum kc_alg_id id;
	bool (*lies_to)(const struct kc_req *req, size_t key_len);
	size_t usual, len; /* of many requests, and of one that is answered wrong */
	size_t aad_len, key_len, in_offset, out_offset; /* of that one; 0: as usual */
	bool is_number;					/* its tweak is a sector number */
	size_t tag_len;
	const uint8_t *nonce;
};

/* Nonces of 13 and of 7 bytes, whose length the first byte gives. */
static const uint8_t longest_ccm_nonce[KC_MAX_IV] = { 1 }, shortest_ccm_nonce[KC_MAX_IV] = { 7 };

/* In the same context as before, except for another key. */
static void play(const struct stream *s, struct kc_gate *gate, size_t n, bool is_odd)
{
	struct kc_candidate *c = policy.row[s->id];
	const struct kc_base *base = kc_base_get(c->alg);
	size_t in_offset = is_odd ? s->in_offset : 0, out_offset = is_odd ? s->out_offset : 0;
	static const uint8_t bytes[KC_MAX_MAC_KEY] = "any key";
	static const uint8_t ccm_nonce[KC_MAX_IV] = { 2 }, number[KC_MAX_IV] = { 7 };
	struct kc_key with = { .bytes = bytes,
			       .len = c->alg->key_len,
			       .tag_len = c->alg->kind == KC_AEAD ? 16 : 0 };
	struct kc_req req = { .dir = KC_ENCRYPT,
			      .iv = c->alg->family == KC_CCM ? ccm_nonce : iv,
			      .in = in + (PAGE - in_page(in)) % PAGE + in_offset,
			      .out = out + (PAGE - in_page(out)) % PAGE + out_offset,
			      .len = is_odd ? s->len : s->usual,
			      .aad = key,
			      .aad_len = is_odd ? s->aad_len : 0 };

	if (is_odd && s->is_number)
		req.iv = number;
	if (is_odd && s->nonce)
		req.iv = s->nonce;
	if (is_odd && s->tag_len)
		with.tag_len = (unsigned)s->tag_len;
	tag_len = with.tag_len;
	if (kc_alg_is_hash(c->alg))
		req.out = NULL;
	if (c->alg->kind == KC_MAC && !with.len)
		with.len = is_odd && s->key_len ? s->key_len : 32;
	if (is_odd && s->key_len)
		kc_gate_close(gate);
	while (n--)
		request(gate, base, &with, req);
}

TEST(the_first_request_of_a_class_finds_a_driver_that_is_wrong_there)
{
	static const struct stream streams[] = {
		{ KC_ALG_HMAC_SHA256, above_32_kib, 30001, 40000, 0, 0, 0, 0, false },
		{ KC_ALG_HMAC_SHA256, whole_pages, 50001, 49152, 0, 0, 0, 0, false },
		{ KC_ALG_HMAC_SHA256, a_key_of_a_block, 50001, 50001, 0, 64, 0, 0, false },
		{ KC_ALG_HMAC_SHA256, a_key_longer_than_a_block, 50001, 50001, 0, 65, 0, 0, false },
		{ KC_ALG_HMAC_SHA256, whole_blocks_of_64, 40001, 40000, 0, 0, 0, 0, false },
		{ KC_ALG_SHA256, whole_blocks_of_64, 40001, 40000, 0, 0, 0, 0, false },
		{ KC_ALG_SHA256, a_byte_more_than_blocks, 40003, 40001, 0, 0, 0, 0, false },
		{ KC_ALG_SHA256, a_byte_less_than_blocks, 40001, 39999, 0, 0, 0, 0, false },
		{ KC_ALG_SHA256, no_room_for_the_length, 40001, 40056, 0, 0, 0, 0, false },
		{ KC_ALG_SHA256, a_byte_more_than_pages, 40003, 40961, 0, 0, 0, 0, false },
		{ KC_ALG_SHA256, the_largest, 65503, 65536, 0, 0, 0, 0, false },
		{ KC_ALG_AES_128_CBC, whole_pages, 40000, 40960, 0, 0, 0, 0, false },
		{ KC_ALG_AES_128_CBC, a_block_more_than_pages, 40000, 40976, 0, 0, 0, 0, false },
		{ KC_ALG_AES_128_CBC, a_block_less_than_pages, 40000, 40944, 0, 0, 0, 0, false },
		{ KC_ALG_AES_128_CBC, the_largest, 61440, 65536, 0, 0, 0, 0, false },
		{ KC_ALG_AES_128_CBC, input_at_1, 40000, 40000, 0, 0, 1, 0, false },
		{ KC_ALG_AES_128_CBC, output_at_1, 40000, 40000, 0, 0, 0, 1, false },
		{ KC_ALG_AES_128_CBC, output_at_4, 40000, 40000, 0, 0, 0, 4, false },
		{ KC_ALG_AES_128_CBC, output_at_16, 40000, 40000, 0, 0, 0, 16, false },
		{ KC_ALG_AES_128_GCM, aad_of_13, 40000, 40000, 13, 0, 0, 0, false },
		{ KC_ALG_AES_128_GCM, aad_of_16, 40001, 40001, 16, 0, 0, 0, false },
		{ KC_ALG_AES_128_GCM, pages_with_aad, 40947, 40947, 13, 0, 0, 0, false },
		{ KC_ALG_AES_128_CCM, whole_blocks_of_64, 40001, 40000, 0, 0, 0, 0, false },
		{ KC_ALG_AES_128_CCM, another_nonce, 40001, 40001, 0, 0, 0, 0, false, 0,
		  longest_ccm_nonce },
		{ KC_ALG_AES_128_CCM, another_nonce, 40001, 40001, 0, 0, 0, 0, false, 0,
		  shortest_ccm_nonce },
		{ KC_ALG_AES_128_CCM, a_tag_of_8, 40001, 40001, 0, 0, 0, 0, false, 8 },
		{ KC_ALG_AES_256_XTS, a_sectors_number, 40000, 40000, 0, 0, 0, 0, true },
	};

	for (size_t i = 0; i < COUNT(streams); i++) {
		const struct stream *s = &streams[i];
		struct kc_candidate *c = candidate(s->id, ":0");
		struct kc_gate gate;

		print_message("  stream %zu: %s\n", i, kc_alg_name(c->alg));
		kc_gate_init(&gate, c);
		play(s, &gate, 9, false);
		assert_int_equal(c->trust, KC_TRUSTED);
		standin.lies_to = s->lies_to;
		play(s, &gate, 1, true);
		kc_gate_end(&gate);
		assert_int_equal(c->trust, KC_REFUSED);
	}
}

/* After messages whose AAD has a length of another kind. */
TEST(aad_of_whole_words_is_a_kind_of_its_own)
{
	static const struct stream bytes = { KC_ALG_AES_128_GCM, NULL, 40001, 40001, 13 };
	static const struct stream words = { KC_ALG_AES_128_GCM, aad_of_20, 40001, 40001, 20 };
	struct kc_candidate *c = candidate(bytes.id, ":0");
	struct kc_gate gate;

	kc_gate_init(&gate, c);
	play(&bytes, &gate, 9, false);
	play(&bytes, &gate, 9, true);
	standin.lies_to = words.lies_to;
	play(&words, &gate, 1, true);
	kc_gate_end(&gate);
	assert_int_equal(c->trust, KC_REFUSED);
}

/* A program with requests that are all alike has only the first few compared. */
TEST(requests_that_are_alike_are_compared_only_at_first)
{
	static const struct stream s = { KC_ALG_AES_128_CBC, NULL, 40000, 0, 0, 0, 0, 0, false };
	struct kc_candidate *c = candidate(s.id, ":0");
	struct kc_gate gate;
	unsigned pairs;

	kc_gate_init(&gate, c);
	play(&s, &gate, 20, false);
	pairs = c->terms.costs[KC_ENCRYPT].pairs[KC_SIZE_CLASSES - 3];
	play(&s, &gate, 20, false);
	kc_gate_end(&gate);
	assert_int_equal(c->terms.costs[KC_ENCRYPT].pairs[KC_SIZE_CLASSES - 3], pairs);
	assert_int_equal(standin.largest, 40000);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
