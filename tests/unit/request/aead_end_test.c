/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows a message that the kernel did, where it takes more calls than the differential
 * program makes: many short messages, or tags of a few bytes. Compared with the default provider of
 * any version. usage: aead_end_test CONFIG - CONFIG-WITH-THRESHOLDS
 */
#include "unit/check.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/lives/loaded.h"
#include "integration/lives/message.h"
#include "local.h"
#include "standin/standin.h"

#define LEN 1000

static unsigned char text[LEN];
static const unsigned char key[33] = "0123456789abcdef0123456789abcdef", aad[13] = "not a secret";

static const struct row {
	const char *name;
	bool is_ccm;
} rows[] = {
	{ "AES-128-GCM", false },
	{ "ChaCha20-Poly1305", false },
	{ "AES-192-CCM", true },
};

/* [0] is kcrypto's, [1] the default provider's. */
struct side {
	EVP_CIPHER_CTX *c;
	unsigned char nonce[13], number, out[LEN + 64], tag[16];
	int ok, tag_ok;
};

static bool init(struct side *s, bool with_nonce, int enc)
{
	s->nonce[0]++;
	return EVP_CipherInit_ex(s->c, NULL, NULL, NULL, with_nonce ? s->nonce : NULL, enc);
}

/* Makes no init. */
static bool text_and_final(struct side *s, size_t len)
{
	int n;

	return message_head(s->c, aad, sizeof(aad), len) &&
	       EVP_CipherUpdate(s->c, s->out, &n, text, (int)len) &&
	       EVP_CipherFinal_ex(s->c, s->out + n, &n);
}

static void message(struct side *s)
{
	assert_true(init(s, true, 1) && text_and_final(s, LEN));
}

/* Both sides have encrypted a message. */
static void begin(struct side *side, const struct row *row)
{
	for (size_t i = 0; i < 2; i++) {
		struct side *s = &side[i];
		LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(
			lib, row->name, i ? "provider=default" : "provider=kcrypto");

		*s = (struct side){ .c = EVP_CIPHER_CTX_new() };
		assert_true(EVP_CipherInit_ex(s->c, cipher, NULL, NULL, NULL, 1));
		assert_true(message_start(s->c, 1, key, NULL, NULL));
		message(s);
	}
}

static void end(const struct side *side)
{
	EVP_CIPHER_CTX_free(side[0].c);
	EVP_CIPHER_CTX_free(side[1].c);
	ERR_clear_error();
}

static void compare(const struct side *side)
{
	assert_int_equal(side[0].ok, side[1].ok);
	assert_int_equal(side[0].tag_ok, side[1].tag_ok);
	assert_memory_equal(side[0].tag, side[1].tag, sizeof(side[0].tag));
	assert_memory_equal(side[0].out, side[1].out, sizeof(side[0].out));
}

static void ask(struct side *s)
{
	s->tag_ok = EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag) > 0;
}

/* Events that interrupt a sequence of short messages. */
static const char *const events[] = { "",  "n",	 "nn", "na", "ni", "k", "K",  "Kn",
				      "Q", "Qn", "g",  "d",  "s",  "l", "ls", "u" };

/* A message in one direction with a text of @len; a decryption gets a tag that is never right. */
static void short_or_long(struct side *s, int enc, int len)
{
	int n;

	s->ok = enc || EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 16, s->tag) > 0;
	s->ok &= init(s, true, enc);
	s->ok &= message_head(s->c, aad, sizeof(aad), (size_t)len);
	memset(s->out, 0, sizeof(s->out));
	s->ok = s->ok * 2 + EVP_CipherUpdate(s->c, s->out, &len, text, len);
	s->ok = s->ok * 2 + EVP_CipherFinal_ex(s->c, s->out + len, &n);
	if (enc)
		ask(s);
}

static void interrupt(struct side *s, const char *event, int enc)
{
	int n;

	for (; *event; event++) {
		if (*event == 'n' || *event == 'i')
			init(s, *event == 'n', enc);
		else if (*event == 'a')
			EVP_CipherUpdate(s->c, NULL, &n, aad, sizeof(aad));
		else if (*event == 'k' || *event == 'K')
			EVP_CipherInit_ex(s->c, NULL, NULL, text, *event == 'K' ? s->nonce : NULL,
					  enc);
		else if (*event == 'Q')
			EVP_CipherInit_ex(s->c, NULL, NULL, key, s->nonce, enc);
		else if (*event == 'd')
			init(s, true, !enc);
		else if (*event == 's' || *event == 'l')
			EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_IVLEN, *event == 's' ? 12 : 13,
					    NULL);
		else if (*event == 'u') /* CCM fails, and so do its next messages */
			s->ok = init(s, true, enc) && message_head(s->c, aad, sizeof(aad), 5) &&
				EVP_CipherUpdate(s->c, s->out, &n, text, 4);
		else
			EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag);
	}
}

/*
 * Runs until the driver's trial is over and the session has earned its price; both sides do the
 * same.
 */
static void begin_both(struct side *side, const struct row *row)
{
	unsigned before;

	begin(side, row);
	before = standin.requests - 2;
	for (size_t i = 0; standin.requests != before + 1 && i < 5000; i++) {
		before = standin.requests;
		short_or_long(&side[0], 1, LEN);
		short_or_long(&side[1], 1, LEN);
	}
	assert_int_equal(standin.requests, before + 1);
}

static void live(const struct row *row, const char *event, int enc, size_t shorts)
{
	unsigned before, long_ones = 0;
	struct side side[2];

	begin_both(side, row);
	for (size_t m = 0; m < shorts + 4; m++) {
		int len = m < shorts ? 1 + (int)m % 90 : LEN - (int)m % 7;

		before = standin.requests;
		for (size_t i = 0; i < 2; i++) {
			if (m == shorts / 2 || m == shorts)
				interrupt(&side[i], event, enc);
			short_or_long(&side[i], enc, len);
		}
		ERR_clear_error();
		long_ones += standin.requests - before;
		compare(side);
		if (m < shorts)
			assert_int_equal(standin.requests, before);
	}
	/*
	 * After so many short messages the base does the first long one. In a decryption, no tag is
	 * right.
	 */
	assert_true(long_ones >= (enc && !*event ? 3 : 0));
	end(side);
}

/* Encrypts an empty text, with AAD that depends on @n. @tag: gets the right tag. */
static void seal_nothing(const struct side *s, int n, unsigned char *tag)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_CipherInit_ex(c, EVP_chacha20_poly1305(), NULL, key, s->nonce, 1));
	assert_true(EVP_CipherUpdate(c, NULL, &(int){ 0 }, (unsigned char *)&n, sizeof(n)));
	assert_true(EVP_CipherFinal_ex(c, tag, &(int){ 0 }));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
	EVP_CIPHER_CTX_free(c);
}

/*
 * The rest of the tag is that of the previous message, which the kernel did, until a final replaces
 * it; this includes a final whose tag has the same first bytes.
 */
static void set_a_short_tag(struct side *s, int n)
{
	unsigned char tag[16];
	int len;

	message(s);
	assert_true(init(s, true, 0));
	seal_nothing(s, n, tag);
	assert_true(EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 15, tag) > 0);
	assert_true(EVP_CipherUpdate(s->c, NULL, &len, (unsigned char *)&n, sizeof(n)));
	assert_true(EVP_CipherInit_ex(s->c, NULL, NULL, NULL, NULL, 1));
	if (n % 2 == 0)
		assert_true(EVP_CipherFinal_ex(s->c, s->out, &len));
	ask(s);
}

TEST(a_shorter_tag_leaves_the_rest_of_the_last_one)
{
	struct side s[2];

	begin(s, &rows[1]);
	for (int n = 0; n < 3000; n++) {
		set_a_short_tag(&s[0], n);
		set_a_short_tag(&s[1], n);
		compare(s);
	}
	end(s);
}

/* ChaCha20-Poly1305 compares as many bytes as the last tag that was set had. */
static void set_one_byte(struct side *s)
{
	int n;

	assert_true(init(s, true, 0));
	assert_true(EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 1, s->tag) > 0);
	EVP_CipherFinal_ex(s->c, s->out, &n);
}

static void two_records(struct side *s)
{
	assert_true(records_start(s->c, 1, key, s->nonce));
	for (int i = 0; i < 2; i++)
		assert_true(record_play(s->c, s->number++, s->out, LEN));
}

static bool decrypt_after(struct side *s, bool after_records, bool after_init)
{
	message(s);
	if (after_records)
		two_records(s);
	else if (after_init)
		assert_true(init(s, true, 1));
	s->nonce[1] += s->nonce[0] == 0;
	s->ok = init(s, true, 0) && text_and_final(s, LEN);
	return s->ok;
}

/* With one byte to compare, a tag is sometimes right. */
TEST(without_a_tag_the_byte_compared_is_that_of_the_last_record_or_message)
{
	unsigned right = 0;

	for (int with_records = 0; with_records < 2; with_records++) {
		struct side side[2];

		begin(side, &rows[1]);
		set_one_byte(&side[0]);
		set_one_byte(&side[1]);
		for (int n = 0; n < 1500; n++) {
			decrypt_after(&side[0], with_records, n % 2);
			right += decrypt_after(&side[1], with_records, n % 2);
			compare(side);
		}
		end(side);
	}
	assert_true(right > 0);
}

TEST(long_messages_after_many_short_ones_are_the_kernels_and_right)
{
	static const size_t shorts[] = { 0, 5, 9, 30, 1100 };
	OSSL_LIB_CTX *always = lib;

	lib = library_with(arguments[2]);
	for (size_t i = 0; i < COUNT(rows) * COUNT(events); i++)
		for (size_t j = 0; j < 2 * COUNT(shorts); j++)
			live(&rows[i / COUNT(events)], events[i % COUNT(events)], j % 2 == 0,
			     shorts[j / 2]);
	OSSL_LIB_CTX_free(lib);
	lib = always;
}

/* Changes a message that has begun, by the letter: the text depends on it. */
static void change(struct side *s, char what, unsigned char *iv)
{
	unsigned char other[16] = "another tag";

	if (what == 't')
		EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 16, other);
	else if (what == 'n')
		init(s, true, 0);
	else if (what == 'd')
		init(s, true, 1);
	else if (what == 's')
		EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
	else if (what == 'p' && iv)
		iv[1] ^= 1;
}

static unsigned char *pointer_to_iv(const struct side *s)
{
	unsigned char *iv = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_IV, (void **)&iv, sizeof(s->nonce)),
		OSSL_PARAM_END,
	};

	return EVP_CIPHER_CTX_get_params(s->c, params) > 0 ? iv : NULL;
}

struct made {
	unsigned char text[LEN], nonce, tag[16];
};

static void short_ones(struct side *s, size_t n, unsigned char **iv)
{
	EVP_CipherInit_ex(s->c, NULL, NULL, key, NULL, 0);
	for (size_t m = 1; m <= n; m++) {
		short_or_long(s, 0, (int)m);
		if (m == n && iv)
			*iv = pointer_to_iv(s);
	}
}

static void changed(struct side *s, const struct made *made, char what, unsigned char *iv)
{
	unsigned char tag[16];
	int n, len = 0;

	memcpy(tag, made->tag, sizeof(tag));
	s->nonce[0] = made->nonce - 1;
	EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 16, tag);
	init(s, true, 0);
	change(s, what, iv);
	message_head(s->c, aad, sizeof(aad), LEN);
	memset(s->out, 0, sizeof(s->out));
	s->ok = EVP_CipherUpdate(s->c, s->out, &len, made->text, LEN);
	s->ok = s->ok * 2 + EVP_CipherFinal_ex(s->c, s->out + len, &n);
}

/* Decrypts the last message that was encrypted, after @shorts messages that fail. */
static void change_after(const struct row *row, struct side *side, char what, size_t shorts)
{
	unsigned before = standin.requests;
	unsigned char *iv[2] = { NULL, NULL };
	struct made made = { .nonce = side[1].nonce[0] };

	memcpy(made.text, side[1].out, LEN);
	memcpy(made.tag, side[1].tag, sizeof(made.tag));
	for (size_t i = 0; i < 2; i++)
		short_ones(&side[i], shorts, what == 'p' ? &iv[i] : NULL);
	for (int again = 0; again < 3; again++) {
		for (size_t i = 0; i < 2; i++)
			changed(&side[i], &made, what, iv[i]);
		assert_int_equal(side[0].ok, side[1].ok);
		/* When the kernel decrypts, no output is shown before the tag is right. */
		if (side[1].ok == 3)
			assert_memory_equal(side[0].out, side[1].out, LEN);
	}
	/*
	 * After a failure CCM stays with the base; after many short messages the first long one
	 * does.
	 */
	if (!what && !(row->is_ccm && shorts))
		assert_true(standin.requests >= before + (shorts < 4 ? 3 : 2));
}

TEST(a_change_after_the_init_counts_after_any_number_of_short_messages)
{
	static const char changes[] = { 0, 't', 'n', 'd', 's', 'p' };
	OSSL_LIB_CTX *always = lib;

	lib = library_with(arguments[2]);
	for (size_t i = 0; i < COUNT(rows) * COUNT(changes) * 14; i++) {
		const struct row *row = &rows[i / 14 / COUNT(changes)];
		struct side side[2];

		begin_both(side, row);
		change_after(row, side, changes[i / 14 % COUNT(changes)], i % 14);
		end(side);
	}
	OSSL_LIB_CTX_free(lib);
	lib = always;
}

static void open_lib(void)
{
	memset(text, 't', sizeof(text));
	load();
}

/* The number of requests for the second of two messages with AAD of @aad_len bytes. */
static unsigned requests_of(OSSL_LIB_CTX *of, size_t aad_len)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(of, rows[0].name, "provider=kcrypto");
	struct side s = { .c = EVP_CIPHER_CTX_new() };
	unsigned before = 0;

	assert_true(EVP_CipherInit_ex(s.c, cipher, NULL, NULL, NULL, 1));
	assert_true(message_start(s.c, 1, key, NULL, NULL));
	for (int i = 0, n; i < 2; i++) {
		before = standin.requests;
		assert_true(init(&s, true, 1) && message_head(s.c, aad, aad_len, LEN) &&
			    EVP_CipherUpdate(s.c, s.out, &n, text, LEN) &&
			    EVP_CipherFinal_ex(s.c, s.out + n, &n));
	}
	EVP_CIPHER_CTX_free(s.c);
	return standin.requests - before;
}

TEST(a_message_whose_aad_the_device_does_not_do_is_the_bases)
{
	OSSL_LIB_CTX *of;

	setenv("KC_STANDIN_DRIVER", "gcm-aes-ppc4xx", 1);
	standin.drivers.n = 0;
	of = library_with(arguments[0]);
	assert_int_equal(requests_of(of, 12), 1);
	assert_int_equal(requests_of(of, 13), 0);
	OSSL_LIB_CTX_free(of);
	unsetenv("KC_STANDIN_DRIVER");
	standin.drivers.n = 0;
}

/* Makes one message with a nonce that begins with @number; compares the tag if there is one. */
static bool play(EVP_CIPHER_CTX *c, int enc, unsigned char number, unsigned char at[LEN])
{
	unsigned char nonce[13] = { number };
	int n;

	return EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, enc) &&
	       message_head(c, aad, sizeof(aad), LEN) && EVP_CipherUpdate(c, at, &n, at, LEN) &&
	       EVP_CipherFinal_ex(c, at + n, &n);
}

static EVP_CIPHER_CTX *begin_one(const char *provider, int enc)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, "AES-128-GCM", provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, enc));
	assert_true(message_start(c, enc, key, NULL, NULL));
	return c;
}

/* The base is then told of the last message, and of the tag, which must follow the message. */
TEST(a_tag_for_the_next_message_survives_a_question)
{
	LOCAL(EVP_CIPHER_CTX) *peer = begin_one("provider=default", 1);
	LOCAL(EVP_CIPHER_CTX) *c = begin_one("provider=kcrypto", 0);
	unsigned char at[2][LEN] = { { 1 }, { 2 } }, tag[2][16], iv[12];
	unsigned before = standin.requests;

	for (unsigned char i = 0; i < 2; i++)
		assert_true(play(peer, 1, i, at[i]) && message_tag(peer, tag[i]));
	for (unsigned char i = 0; i < 2; i++) {
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag[i]) > 0);
		assert_int_equal(EVP_CIPHER_CTX_get_updated_iv(c, iv, sizeof(iv)) > 0, i);
		assert_true(play(c, 0, i, at[i]));
		assert_int_equal(at[i][0], i + 1);
	}
	assert_true(standin.requests - before >= 2);
}

const struct suite suite = { .arguments = 3, .set_up = open_lib, .tear_down = unload };
