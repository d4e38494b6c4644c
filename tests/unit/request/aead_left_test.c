/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a message or record that the kernel did leaves behind, which a program can see if it asks
 * or compares out of turn: the same as with the default provider. usage: aead_left_test CONFIG
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/loaded.h"
#include "integration/message.h"
#include "standin/standin.h"

#define LEN 1000

static unsigned char text[LEN];
static const unsigned char key[33] = "0123456789abcdef0123456789abcdef", aad[13] = "not a secret";
static const char *const stream[] = { "AES-128-GCM", "ChaCha20-Poly1305" };

/* [0] ours, [1] the default provider's. */
struct side {
	EVP_CIPHER_CTX *c;
	unsigned char nonce[13], number, out[LEN + 64], tag[16];
	unsigned char made[16]; /* the default provider's, of the last message */
	bool is_ours, sealed;	/* an encryption came to its end, and nothing has begun since */
	int ok;
};

static void begin(struct side *side, const char *name, int enc)
{
	for (size_t i = 0; i < 2; i++) {
		EVP_CIPHER *cipher =
			EVP_CIPHER_fetch(lib, name, i ? "provider=default" : "provider=kcrypto");

		side[i] = (struct side){ .c = EVP_CIPHER_CTX_new(), .is_ours = i == 0 };
		assert_true(EVP_CipherInit_ex(side[i].c, cipher, NULL, NULL, NULL, enc));
		assert_true(message_start(side[i].c, enc, key, side[i].nonce, NULL));
		EVP_CIPHER_free(cipher);
	}
}

static void end(struct side *side)
{
	EVP_CIPHER_CTX_free(side[0].c);
	EVP_CIPHER_CTX_free(side[1].c);
	ERR_clear_error();
}

static bool init(struct side *s, int enc)
{
	s->nonce[0]++;
	s->sealed = false;
	return EVP_CipherInit_ex(s->c, NULL, NULL, NULL, s->nonce, enc);
}

/* Without an init. */
static bool text_and_final(struct side *s)
{
	int n;

	return message_head(s->c, aad, sizeof(aad), LEN) &&
	       EVP_CipherUpdate(s->c, s->out, &n, text, LEN) &&
	       EVP_CipherFinal_ex(s->c, s->out + n, &n);
}

static void message(struct side *s)
{
	assert_true(init(s, 1) && text_and_final(s));
	s->sealed = true;
	if (!s->is_ours)
		assert_true(EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->made) > 0);
}

/* Notes the answer only if the manual promises one. */
static void ask(struct side *s)
{
	unsigned char tag[16];
	int ok = EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0;

	if (!s->sealed)
		return;
	s->ok = s->ok * 2 + ok;
	memcpy(s->tag, tag, sizeof(tag));
}

static void compare(const struct side *side)
{
	assert_int_equal(side[0].ok, side[1].ok);
	assert_memory_equal(side[0].tag, side[1].tag, sizeof(side[0].tag));
	assert_memory_equal(side[0].out, side[1].out, sizeof(side[0].out));
}

/* Versions differ in which of the two counts, or whether any does. */
static void set_two_tags(struct side *s, unsigned char *first, unsigned char *last)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, first, 16),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, last, 16),
		OSSL_PARAM_END,
	};

	s->ok = EVP_CIPHER_CTX_set_params(s->c, params);
}

TEST(of_two_tags_in_one_call_the_one_that_counts_is_openssls)
{
	unsigned char right[16], wrong[16] = "wrong";
	struct side side[2];

	for (size_t row = 0; row < COUNT(stream); row++)
		for (int first = 0; first < 2; first++) {
			begin(side, stream[row], 1);
			for (size_t i = 0; i < 2; i++) {
				unsigned char sealed[LEN];
				int n;

				message(&side[i]);
				ask(&side[i]);
				memcpy(right, side[i].tag, 16);
				memcpy(sealed, side[i].out, LEN);
				side[i].nonce[0]--;
				assert_true(init(&side[i], 0));
				set_two_tags(&side[i], first ? right : wrong,
					     first ? wrong : right);
				EVP_CipherUpdate(side[i].c, NULL, &n, aad, sizeof(aad));
				EVP_CipherUpdate(side[i].c, side[i].out, &n, sealed, LEN);
				side[i].ok = side[i].ok * 2 +
					     EVP_CipherFinal_ex(side[i].c, side[i].out + n, &n);
				assert_true(
					EVP_CipherInit_ex(side[i].c, NULL, NULL, NULL, NULL, 1));
				ask(&side[i]);
			}
			compare(side);
			end(side);
		}
}

/* OpenSSL takes the tag, and then refuses the record's AAD, which is too short. */
static void fail_init(struct side *s, int with_nonce, size_t tag_len)
{
	unsigned char tag[16] = "a tag", head[12] = { 0 };
	const OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, tag_len),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, sizeof(head)),
		OSSL_PARAM_END,
	};

	s->nonce[0]++;
	assert_false(EVP_DecryptInit_ex2(s->c, NULL, NULL, with_nonce ? s->nonce : NULL, params));
}

/* A tag that the program knows: nobody promises which one, before a final. */
static bool is_known(const struct side *side, const unsigned char *tag)
{
	static const unsigned char set[16] = "a tag";

	return memcmp(tag, side[1].made, 16) == 0 || memcmp(tag, side[1].tag, 16) == 0 ||
	       memcmp(tag, set, 16) == 0;
}

TEST(an_init_that_fails_with_a_tag_shows_no_other_tag)
{
	struct side side[2];

	for (size_t n = 0; n < COUNT(stream) * 64; n++) {
		begin(side, stream[n / 64], 1);
		for (size_t i = 0; i < 2; i++) {
			message(&side[i]);
			if (n & 16)
				assert_true(init(&side[i], 1));
			fail_init(&side[i], n & 1, n & 2 ? 12 : 16);
			if (n & 4)
				fail_init(&side[i], n & 1, 4);
			if (n & 32)
				message(&side[i]);
			assert_true(EVP_CipherInit_ex(side[i].c, NULL, NULL, NULL,
						      n & 8 ? side[i].nonce : NULL, 1));
			side[i].ok = EVP_CIPHER_CTX_ctrl(side[i].c, EVP_CTRL_AEAD_GET_TAG, 16,
							 side[i].tag);
		}
		assert_true(side[0].ok <= 0 || is_known(side, side[0].tag));
		end(side);
	}
}

/* ChaCha20-Poly1305 compares as many bytes as the last tag that was set had. */
static void set_short_tag(struct side *s)
{
	int n;

	assert_true(init(s, 0));
	assert_true(EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 1, s->tag) > 0);
	EVP_CipherFinal_ex(s->c, s->out, &n);
}

static void records(struct side *s)
{
	assert_true(records_start(s->c, 1, key, s->nonce));
	for (int i = 0; i < 2; i++)
		assert_true(record_play(s->c, s->number++, s->out, LEN));
}

/* With one byte to compare, a tag is right now and then. */
TEST(without_a_tag_the_byte_compared_is_that_of_the_last_record_or_message)
{
	struct side side[2];
	unsigned right = 0;

	for (int with_records = 0; with_records < 2; with_records++) {
		begin(side, "ChaCha20-Poly1305", 1);
		for (size_t i = 0; i < 2; i++)
			set_short_tag(&side[i]);
		for (int n = 0; n < 1500; n++) {
			for (size_t i = 0; i < 2; i++) {
				message(&side[i]);
				if (with_records)
					records(&side[i]);
				else if (n % 2)
					assert_true(init(&side[i], 1));
				side[i].nonce[1] += side[i].nonce[0] == 0;
				side[i].ok = init(&side[i], 0) && text_and_final(&side[i]);
			}
			compare(side);
			right += (unsigned)side[1].ok;
		}
		end(side);
	}
	assert_true(right > 0);
}

/* The record has no text; what follows it fails. */
TEST(records_of_the_bases_follow_messages)
{
	for (size_t n = 0; n < COUNT(stream) * 2; n++) {
		struct side side[2];

		begin(side, stream[n / 2], 1);
		for (size_t i = 0; i < 2; i++) {
			size_t carried = record_carried(side[i].c);

			message(&side[i]);
			assert_true(init(&side[i], 1));
			if (n % 2)
				assert_true(init(&side[i], 1) && init(&side[i], 1));
			assert_true(records_start(side[i].c, 1, key, side[i].nonce));
			assert_true(record_play(side[i].c, 0, side[i].out, carried + 16));
			ask(&side[i]);
			record_play(side[i].c, 1, side[i].out, 5);
			ask(&side[i]);
		}
		compare(side);
		end(side);
	}
	ERR_clear_error();
}

TEST(a_tag_that_is_refused_changes_nothing)
{
	for (size_t n = 0; n < COUNT(stream) * 2; n++) {
		struct side side[2];

		begin(side, stream[n / 2], 1);
		for (size_t i = 0; i < 2; i++) {
			message(&side[i]);
			assert_true(init(&side[i], 1) && init(&side[i], 0));
			assert_false(EVP_CIPHER_CTX_ctrl(side[i].c, EVP_CTRL_AEAD_SET_TAG,
							 n % 2 ? 0 : 17, side[i].tag) > 0);
			side[i].ok = EVP_CIPHER_CTX_get_tag_length(side[i].c);
			side[i].ok += 100 * text_and_final(&side[i]);
		}
		compare(side);
		end(side);
	}
}

/* In each state: a message whose tag nobody asked for, one that is abandoned, one that was read. */
TEST(a_copy_and_the_original_go_on_alike)
{
	for (size_t n = 0; n < COUNT(stream) * 8; n++) {
		struct side side[2];

		begin(side, stream[n / 8], 1);
		for (size_t i = 0; i < 2; i++) {
			EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
			int len;

			message(&side[i]);
			if (n & 1)
				assert_true(init(&side[i], 1));
			if (n & 2)
				EVP_CipherUpdate(side[i].c, side[i].out, &len, text, LEN);
			assert_true(EVP_CIPHER_CTX_copy(copy, side[i].c));
			if (n & 4) {
				EVP_CIPHER_CTX_free(side[i].c);
				side[i].c = copy;
			} else {
				EVP_CIPHER_CTX_free(copy);
			}
			ask(&side[i]);
			side[i].ok = side[i].ok * 2 +
				     EVP_CipherUpdate(side[i].c, side[i].out, &len, text, 5);
			side[i].ok = side[i].ok * 2 +
				     EVP_CipherFinal_ex(side[i].c, side[i].out + 5, &len);
			ask(&side[i]);
		}
		compare(side);
		end(side);
	}
}

/* OpenSSL's own tests turn the padding off there, whatever the cipher. */
TEST(a_setting_without_effect_before_the_text_leaves_it_to_the_kernel)
{
	static const char *const names[] = { "AES-128-CCM", "AES-128-GCM", "ChaCha20-Poly1305" };

	for (size_t n = 0; n < COUNT(names); n++) {
		struct side side[2];
		unsigned before;
		int len;

		begin(side, names[n], 1);
		message(&side[0]); /* the first, with which a driver is tried */
		before = standin.requests;
		assert_true(init(&side[0], 1));
		assert_true(message_head(side[0].c, aad, sizeof(aad), LEN));
		assert_true(EVP_CIPHER_CTX_set_padding(side[0].c, 0));
		assert_true(EVP_CipherUpdate(side[0].c, side[0].out, &len, text, LEN));
		assert_int_equal(standin.requests, before + 1);
		end(side);
	}
}

static void open_lib(void)
{
	memset(text, 't', sizeof(text));
	load();
}

const struct suite suite = { .arguments = 1, .set_up = open_lib, .tear_down = unload };
