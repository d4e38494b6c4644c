/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AEADs' messages and TLS 1.2 records through EVP over the stand-in: output that must never be
 * seen, and work that must never be done twice. usage: aead_test CONFIG CONFIG-WITH-VERIFY
 * CONFIG-WITH-THRESHOLDS
 */
#include "unit/check.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "integration/lives/loaded.h"
#include "integration/lives/message.h"
#include "local.h"
#include "diff/stats_file.h"
#include "stats/table.h"
#include "standin/standin.h"

#define LEN 4000

static OSSL_LIB_CTX *verifying;
static unsigned char text[70000], out[70000], sealed[70000], tag[16];
static const unsigned char key[33] = "0123456789abcdef0123456789abcdef", nonce[13] = "twelve bytes",
			   aad[300] = "what is not secret";

static const struct row {
	const char *name;
	enum kc_alg_id id;
	int mode;
} rows[] = {
	{ "AES-128-GCM", KC_ALG_AES_128_GCM, EVP_CIPH_GCM_MODE },
	{ "AES-192-CCM", KC_ALG_AES_192_CCM, EVP_CIPH_CCM_MODE },
	{ "ChaCha20-Poly1305", KC_ALG_CHACHA20_POLY1305, 0 },
};

/* A test that runs with each row. */
#define TEST_OF_ROW(name)                                                                          \
	static void name(const struct row *row);                                                   \
	TEST(name##_with_each_row)                                                                 \
	{                                                                                          \
		each_row(name);                                                                    \
	}                                                                                          \
	static void name(const struct row *row)

static void each_row(void (*play)(const struct row *));

/* Makes the calls that precede the text; sets a tag where there is one to compare. */
static EVP_CIPHER_CTX *start(OSSL_LIB_CTX *from, const struct row *row, const char *provider,
			     int enc, size_t aad_len, size_t len, const unsigned char *want)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(from, row->name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_non_null(cipher);
	assert_true(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, enc));
	assert_true(message_start(c, enc, key, nonce, want));
	assert_true(message_head(c, aad, aad_len, len));
	return c;
}

/* Encrypts text to sealed with the default provider, and makes the tag. */
static void seal(const struct row *row, size_t aad_len, size_t len)
{
	LOCAL(EVP_CIPHER_CTX) *c = start(lib, row, "provider=default", 1, aad_len, len, NULL);
	int n;

	assert_true(EVP_CipherUpdate(c, sealed, &n, text, (int)len));
	assert_true(EVP_CipherFinal_ex(c, sealed + n, &n));
	assert_true(message_tag(c, tag));
}

static EVP_CIPHER_CTX *ours(const struct row *row, int enc, const unsigned char *want)
{
	return start(lib, row, "provider=kcrypto", enc, 20, LEN, want);
}

/* Processes a text of LEN bytes to out, and final. When encrypting, the tag goes to @made. */
static void do_text(EVP_CIPHER_CTX *c, const unsigned char *in, unsigned char *made)
{
	int n;

	assert_true(EVP_CipherUpdate(c, out, &n, in, LEN));
	assert_true(EVP_CipherFinal_ex(c, out + n, &n));
	assert_true(!made || message_tag(c, made));
}

/* The driver's trial is over, and counting starts here. */
static void fresh(const struct row *row)
{
	EVP_CIPHER_CTX *c;
	int n;

	standin_reset();
	c = ours(row, 1, NULL);
	assert_true(EVP_CipherUpdate(c, out, &n, text, LEN));
	EVP_CIPHER_CTX_free(c);
	seal(row, 20, LEN);
	memset(out, 0x55, sizeof(out));
	standin_reset();
}

TEST_OF_ROW(a_message_is_one_request)
{
	unsigned char made[16];
	EVP_CIPHER_CTX *c = ours(row, 1, NULL);

	do_text(c, text, made);
	assert_memory_equal(out, sealed, LEN);
	assert_memory_equal(made, tag, 16);
	EVP_CIPHER_CTX_free(c);
	c = ours(row, 0, tag);
	do_text(c, sealed, NULL);
	assert_memory_equal(out, text, LEN);
	EVP_CIPHER_CTX_free(c);
	assert_int_equal(standin.requests, 2);
}

static bool seen(const unsigned char *in, size_t len)
{
	for (size_t i = 0; i + 8 <= len; i++)
		if (memcmp(in + i, text + i, 8) == 0)
			return true;
	return false;
}

/* Whether the kernel has written unverified output there. */
static bool went_to_the_application(void)
{
	return standin.last_out >= out && standin.last_out < out + sizeof(out);
}

/*
 * CCM's update is the whole message. With the other modes, the base shows text that final will
 * refuse.
 */
TEST_OF_ROW(a_bad_tag_is_the_bases_answer)
{
	unsigned char bad[16];
	uint64_t before = redone(row->id);
	EVP_CIPHER_CTX *c;
	int n, ok;

	memcpy(bad, tag, 16);
	bad[15] ^= 1;
	for (int in_place = 0; in_place < 2; in_place++) {
		c = ours(row, 0, bad);
		memcpy(out, sealed, LEN);
		ok = EVP_CipherUpdate(c, out, &n, in_place ? out : sealed, LEN);
		assert_int_equal(ok, row->mode != EVP_CIPH_CCM_MODE);
		assert_false(went_to_the_application());
		if (!ok)
			assert_false(seen(out, LEN));
		else
			assert_false(EVP_CipherFinal_ex(c, out + n, &n));
		EVP_CIPHER_CTX_free(c);
	}
	ERR_clear_error();
	assert_int_equal(standin.requests, 2);
	assert_int_equal(standin.opened - standin.closed, 0);
	assert_int_equal(redone(row->id), before);
}

/* A driver that calls a good tag bad has failed, and the program does not notice. */
TEST_OF_ROW(a_fault_that_looks_like_a_bad_tag_is_put_right)
{
	uint64_t before = redone(row->id);
	LOCAL(EVP_CIPHER_CTX) *c = NULL;

	standin.fail_one_in = 1;
	standin.fail_errno = EBADMSG;
	c = ours(row, 0, tag);
	errno = 0;
	do_text(c, sealed, NULL);
	assert_int_equal(errno, 0);
	assert_int_equal(ERR_peek_error(), 0);
	assert_memory_equal(out, text, LEN);
	assert_int_equal(redone(row->id), before + 1);
	assert_int_equal(standin.opened, standin.closed);
}

/* An encryption compares no tag. The base then makes the tag. */
TEST_OF_ROW(a_bad_tag_of_an_encryption_is_a_fault)
{
	uint64_t before = redone(row->id);
	unsigned char made[2][16];

	for (int i = 0; i < 2; i++) {
		LOCAL(EVP_CIPHER_CTX) *c = start(
			lib, row, i ? "provider=kcrypto" : "provider=default", 1, 20, LEN, NULL);
		int n;

		do_text(c, text, made[i]);
		standin.fail_one_in = (unsigned)i;
		standin.fail_errno = EBADMSG;
		assert_true(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1));
		if (row->mode == EVP_CIPH_CCM_MODE)
			assert_true(EVP_CipherUpdate(c, NULL, &n, NULL, LEN));
		assert_true(EVP_CipherUpdate(c, out, &n, text + 1, LEN));
		assert_int_equal(standin.opened, standin.closed);
		assert_true(EVP_CipherFinal_ex(c, out + n, &n));
		assert_true(message_tag(c, made[i]));
	}
	assert_memory_equal(made[0], made[1], 16);
	assert_int_equal(standin.requests, 2);
	assert_int_equal(redone(row->id), before + 1);
}

/* A single update turns out to be the first of two. */
TEST_OF_ROW(a_second_update_goes_on_where_the_first_one_ended)
{
	unsigned char made[16];
	EVP_CIPHER_CTX *c;
	unsigned requests;
	int n, all;

	if (row->mode == EVP_CIPH_CCM_MODE)
		return;
	for (int enc = 0; enc < 2; enc++) {
		const unsigned char *in = enc ? text : sealed;

		c = ours(row, enc, enc ? NULL : tag);
		assert_true(EVP_CipherUpdate(c, out, &all, in, LEN / 2));
		assert_true(EVP_CipherUpdate(c, out + all, &n, in + all, LEN / 2));
		assert_true(EVP_CipherFinal_ex(c, out + LEN, &n));
		assert_memory_equal(out, enc ? sealed : text, LEN);
		if (enc)
			assert_true(message_tag(c, made));
		if (enc)
			assert_memory_equal(made, tag, 16);
		/* Later messages with this key will have more than one update, too. */
		requests = standin.requests;
		assert_true(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1));
		assert_true(EVP_CipherUpdate(c, out, &n, in, LEN));
		assert_int_equal(standin.requests, requests);
		EVP_CIPHER_CTX_free(c);
	}
}

/* In a context that has a session, a large message follows it. */
TEST_OF_ROW(a_small_message_uses_its_nonce_up)
{
	LOCAL(OSSL_LIB_CTX) *some = library_with(arguments[2]);
	uint64_t counted = kc_stats_sum(&stats_file_read()->row[row->id]).requests;
	LOCAL(EVP_CIPHER_CTX) *c = NULL;
	unsigned before;
	int n;

	assert_non_null(some);
	c = start(some, row, "provider=kcrypto", 1, 0, LEN, NULL);
	while (kc_stats_sum(&stats_file_read()->row[row->id]).requests < counted + 2) {
		do_text(c, text, out);
		assert_true(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1));
		if (row->mode == EVP_CIPH_CCM_MODE)
			assert_true(EVP_CipherUpdate(c, NULL, &n, NULL, LEN));
	}
	before = standin.requests;
	if (row->mode == EVP_CIPH_CCM_MODE)
		assert_true(EVP_CipherUpdate(c, NULL, &n, NULL, 100));
	assert_true(EVP_CipherUpdate(c, out, &n, text, 100));
	assert_true(EVP_CipherInit_ex(c, NULL, NULL, NULL, NULL, -1));
	/* The same message continues; CCM's cannot. */
	assert_int_equal(EVP_CipherUpdate(c, out, &n, text, LEN), row->mode != EVP_CIPH_CCM_MODE);
	ERR_clear_error();
	assert_int_equal(standin.requests, before);
}

/* The kernel has only limited room for AAD, tag and text. */
TEST_OF_ROW(what_is_too_much_is_the_bases)
{
	static const struct {
		size_t aad, text;
		unsigned requests;
	} cases[] = {
		{ 256, 65264, 1 }, { 256, 65265, 0 }, { 0, 65265, 0 },
		{ 257, LEN, 0 },   { 0, 1, 1 },	      { 0, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned before = standin.requests;
		LOCAL(EVP_CIPHER_CTX) *c =
			start(lib, row, "provider=kcrypto", 1, cases[i].aad, cases[i].text, NULL);
		int n;

		seal(row, cases[i].aad, cases[i].text);
		assert_true(EVP_CipherUpdate(c, out, &n, text, (int)cases[i].text));
		assert_memory_equal(out, sealed, cases[i].text);
		assert_int_equal(standin.requests - before, cases[i].requests);
	}
}

/* The kernel makes tags of 16 bytes only; CCM's have the length that was set with the key. */
TEST_OF_ROW(a_shortened_tag_is_the_bases)
{
	LOCAL(EVP_CIPHER_CTX) *c = NULL;

	if (row->mode == EVP_CIPH_CCM_MODE)
		return;
	c = ours(row, 0, tag);
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 12, tag) > 0);
	do_text(c, sealed, NULL);
	assert_memory_equal(out, text, LEN);
	assert_int_equal(standin.requests, 0);
}

/* The tag comes after the text, as OpenVPN sets it. CCM needs it before the text. */
TEST_OF_ROW(a_text_before_its_tag_is_the_bases)
{
	LOCAL(EVP_CIPHER_CTX) *c = NULL;
	int n;

	if (row->mode == EVP_CIPH_CCM_MODE)
		return;
	c = ours(row, 0, NULL);
	assert_true(EVP_CipherUpdate(c, out, &n, sealed, LEN));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag) > 0);
	assert_true(EVP_CipherFinal_ex(c, out + n, &n));
	assert_memory_equal(out, text, LEN);
	assert_int_equal(standin.requests, 0);
}

/* OpenSSL's own tests turn the padding off there, whatever the cipher is. */
TEST_OF_ROW(a_setting_without_effect_before_the_text_leaves_it_to_the_kernel)
{
	LOCAL(EVP_CIPHER_CTX) *c = ours(row, 1, NULL);
	int n;

	assert_true(EVP_CIPHER_CTX_set_padding(c, 0));
	assert_true(EVP_CipherUpdate(c, out, &n, text, LEN));
	assert_int_equal(standin.requests, 1);
}

/* The driver lies in the text or in the tag. */
TEST_OF_ROW(a_driver_that_lies_is_refused)
{
	unsigned char made[16];
	EVP_CIPHER_CTX *c;
	unsigned requests;
	int n;

	for (int i = 0; i < 3; i++) {
		int enc = i < 2;

		verifying = library_with(arguments[1]);
		assert_non_null(verifying);
		c = start(verifying, row, "provider=kcrypto", 1, 20, LEN, NULL);
		assert_true(EVP_CipherUpdate(c, out, &n, text, LEN));
		EVP_CIPHER_CTX_free(c);
		standin.lie_at = 2;
		standin.lie_in_tag = i == 1;
		for (int j = 0; j < 3; j++) {
			c = start(verifying, row, "provider=kcrypto", enc, 20, LEN,
				  enc ? NULL : tag);
			do_text(c, enc ? text : sealed, enc ? made : NULL);
			assert_memory_equal(out, enc ? sealed : text, LEN);
			if (enc)
				assert_memory_equal(made, tag, 16);
			/* Every second message is compared: the second one of these. */
			requests = j < 2 ? standin.requests : requests;
			EVP_CIPHER_CTX_free(c);
		}
		assert_int_equal(standin.lie_at, 0);
		assert_int_equal(standin.requests, requests);
		OSSL_LIB_CTX_free(verifying);
	}
}

/* kcrypto's end, and the peer's, which uses the default provider. */
struct ends {
	EVP_CIPHER_CTX *us, *peer;
	size_t carried, tag_len;
};

/* CCM takes the length together with the key. */
static void shorten_tag(EVP_CIPHER_CTX *c, size_t len)
{
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)len, NULL) > 0);
	assert_true(EVP_CipherInit_ex(c, NULL, NULL, key, NULL, -1));
}

static struct ends start_records(const struct row *row, int enc, size_t tag_len)
{
	struct ends e = { start(lib, row, "provider=kcrypto", enc, 0, 0, NULL),
			  start(lib, row, "provider=default", !enc, 0, 0, NULL) };

	assert_true(records_start(e.us, enc, key, nonce) &&
		    records_start(e.peer, !enc, key, nonce));
	e.carried = record_carried(e.us);
	e.tag_len = tag_len;
	if (tag_len < MESSAGE_TAG) {
		shorten_tag(e.us, tag_len);
		shorten_tag(e.peer, tag_len);
	}
	return e;
}

static void end_records(struct ends *e)
{
	EVP_CIPHER_CTX_free(e->us);
	EVP_CIPHER_CTX_free(e->peer);
}

/* The record goes to sealed. */
static void send_record(const struct ends *e, EVP_CIPHER_CTX *from, size_t len)
{
	memcpy(sealed + e->carried, text, len);
	assert_true(record_play(from, 1, sealed, e->carried + len + e->tag_len));
}

/* The text goes to out. */
static bool receive_record(const struct ends *e, EVP_CIPHER_CTX *to, size_t len)
{
	size_t all = e->carried + len + e->tag_len;

	memcpy(out, sealed, all);
	if (!record_play(to, 1, out, all))
		return false;
	assert_memory_equal(out + e->carried, text, len);
	return true;
}

TEST_OF_ROW(a_record_is_one_request_unless_it_is_empty)
{
	static const size_t lengths[] = { 16384, 1, 100, 16383, 0, 5000 };

	for (int how = 0; how < (row->mode == EVP_CIPH_CCM_MODE ? 4 : 2); how++) {
		int enc = how % 2;
		struct ends e = start_records(row, enc, how < 2 ? MESSAGE_TAG : 8);

		for (size_t i = 0; i < COUNT(lengths); i++) {
			unsigned before = standin.requests;

			send_record(&e, enc ? e.us : e.peer, lengths[i]);
			assert_true(receive_record(&e, enc ? e.peer : e.us, lengths[i]));
			assert_int_equal(standin.requests - before, lengths[i] != 0);
		}
		end_records(&e);
	}
}

TEST_OF_ROW(a_forged_record_is_asked_for_once_and_nothing_of_it_is_seen)
{
	struct ends e = start_records(row, 0, MESSAGE_TAG);
	uint64_t before = redone(row->id);

	for (size_t at = 0; at < e.carried + 2000 + MESSAGE_TAG; at += 97) {
		unsigned requests = standin.requests;

		send_record(&e, e.peer, 2000);
		sealed[at] ^= 0x10;
		assert_false(receive_record(&e, e.us, 2000));
		assert_false(seen(out + e.carried, 2000));
		assert_int_equal(standin.requests, requests + 1);
		/* The next record is valid. */
		send_record(&e, e.peer, 2000);
		assert_true(receive_record(&e, e.us, 2000));
	}
	ERR_clear_error();
	assert_int_equal(redone(row->id), before);
	end_records(&e);
}

/* Where records carry no part of the nonce, an IV alone starts a key's records again. */
TEST_OF_ROW(a_new_iv_counts_for_the_next_record)
{
	static const unsigned char other[13] = "another one.";
	struct ends e = start_records(row, 1, MESSAGE_TAG);
	unsigned before = standin.requests;

	if (!e.carried) {
		assert_true(EVP_CipherInit_ex(e.us, NULL, NULL, NULL, other, -1));
		assert_true(EVP_CipherInit_ex(e.peer, NULL, NULL, NULL, other, -1));
		send_record(&e, e.us, LEN);
		assert_int_equal(standin.requests, before + 1);
		assert_true(receive_record(&e, e.peer, LEN));
	}
	end_records(&e);
}

static void each_row(void (*play)(const struct row *))
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("  %s\n", rows[i].name);
		fresh(&rows[i]);
		play(&rows[i]);
		assert_int_equal(standin.opened - standin.closed, 0);
	}
}

static void open_lib(void)
{
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i * 7 + i / 256);
	load();
}

const struct suite suite = { .arguments = 3, .set_up = open_lib, .tear_down = unload };
