/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may follow a TLS 1.2 record that the kernel did, of which no input is kept: each sequence of
 * calls is made on kcrypto and on the default provider, in both directions, through EVP over the
 * stand-in, and has to give the same results.
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/lives/loaded.h"
#include "integration/lives/message.h"
#include "local.h"
#include "standin/standin.h"

#define LEN 4000 /* bytes of a record's text */

static const unsigned char key[33] = "0123456789abcdef0123456789abcdef", nonce[13] = "twelve bytes",
			   other[13] = "another one.";

/* A context's results, one after the other. */
struct said {
	unsigned char bytes[3 * LEN];
	size_t n;
};

/* Records whether a call succeeded, and its output. */
static void say(struct said *said, bool ok, const void *bytes, size_t len)
{
	assert_true(said->n + 1 + len <= sizeof(said->bytes));
	said->bytes[said->n++] = ok;
	if (ok && len)
		memcpy(said->bytes + said->n, bytes, len);
	said->n += ok ? len : 0;
}

static void ask(EVP_CIPHER_CTX *c, const char *name, size_t len, struct said *said)
{
	unsigned char got[64] = { 0 };
	OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string(name, got, len),
				OSSL_PARAM_construct_end() };

	say(said, EVP_CIPHER_CTX_get_params(c, params), got, sizeof(got));
}

static void ask_nonce(EVP_CIPHER_CTX **c, struct said *said)
{
	ask(*c, OSSL_CIPHER_PARAM_IV, sizeof(nonce) - 1, said);
	ask(*c, OSSL_CIPHER_PARAM_UPDATED_IV, sizeof(nonce) - 1, said);
}

static void generate(EVP_CIPHER_CTX **c, struct said *said)
{
	ask(*c, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, 8, said);
}

static void ask_tag(EVP_CIPHER_CTX **c, struct said *said)
{
	ask(*c, OSSL_CIPHER_PARAM_AEAD_TAG, MESSAGE_TAG, said);
}

static void copy(EVP_CIPHER_CTX **c, struct said *said)
{
	EVP_CIPHER_CTX *twin = EVP_CIPHER_CTX_new();

	say(said, EVP_CIPHER_CTX_copy(twin, *c), NULL, 0);
	EVP_CIPHER_CTX_free(*c);
	*c = twin;
}

static void update(EVP_CIPHER_CTX **c, struct said *said, bool in_place, bool has_out)
{
	unsigned char text[100] = "a text, or AAD", out[100] = { 0 };
	unsigned char *to = in_place ? text : out;
	int n = 0;
	bool ok = EVP_CipherUpdate(*c, has_out ? to : NULL, &n, text, sizeof(text));

	say(said, ok, to, sizeof(text));
}

static void text_apart(EVP_CIPHER_CTX **c, struct said *said)
{
	update(c, said, false, true);
}

static void text_in_place(EVP_CIPHER_CTX **c, struct said *said)
{
	update(c, said, true, true);
}

static void aad(EVP_CIPHER_CTX **c, struct said *said)
{
	update(c, said, false, false);
}

static void finish(EVP_CIPHER_CTX **c, struct said *said)
{
	unsigned char out[32] = { 0 };
	int n = 0;

	say(said, EVP_CipherFinal_ex(*c, out, &n), out, sizeof(out));
}

/* GCM gets a whole nonce, since it would generate the rest. */
static void fix(EVP_CIPHER_CTX **c, struct said *said)
{
	int len = EVP_CIPHER_CTX_get_mode(*c) == EVP_CIPH_GCM_MODE ? -1 : 4;
	void *fixed = (void *)(size_t)other;

	say(said, EVP_CIPHER_CTX_ctrl(*c, EVP_CTRL_AEAD_SET_IV_FIXED, len, fixed) > 0, NULL, 0);
}

/* Sets the key again, or only a nonce. */
static void restart(EVP_CIPHER_CTX **c, struct said *said)
{
	say(said, EVP_CipherInit_ex(*c, NULL, NULL, key, NULL, -1), NULL, 0);
}

static void restart_nonce(EVP_CIPHER_CTX **c, struct said *said)
{
	say(said, EVP_CipherInit_ex(*c, NULL, NULL, NULL, other, -1), NULL, 0);
}

static void turn(EVP_CIPHER_CTX **c, struct said *said)
{
	say(said, EVP_CipherInit_ex(*c, NULL, NULL, key, other, !EVP_CIPHER_CTX_is_encrypting(*c)),
	    NULL, 0);
}

static void (*const after[])(EVP_CIPHER_CTX **c, struct said *said) = {
	ask_nonce, generate, ask_tag, copy,    text_apart,    text_in_place,
	aad,	   finish,   fix,     restart, restart_nonce, turn,
};

/* A record that fails if it is to be decrypted. */
static void any_record(EVP_CIPHER_CTX *c, unsigned char number, struct said *said)
{
	unsigned char at[RECORD_ROOM + 100] = { 1, 2, 3 };

	say(said, record_play(c, number, at, sizeof(at)), at, sizeof(at));
}

static EVP_CIPHER_CTX *start_at(const char *name, const char *provider, int enc,
				const unsigned char *iv)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_non_null(cipher);
	assert_true(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, enc));
	assert_true(records_start(c, enc, key, iv));
	return c;
}

static EVP_CIPHER_CTX *start(const char *name, const char *provider, int enc)
{
	return start_at(name, provider, enc, nonce);
}

/* Makes records, two calls after the last one, and then shows the remaining state. */
static void play(const char *name, const char *provider, int enc, size_t first, size_t second,
		 struct said *said)
{
	EVP_CIPHER_CTX *c = start(name, provider, enc), *peer;
	size_t all = LEN + MESSAGE_TAG + record_carried(c);
	unsigned char record[LEN + RECORD_ROOM];

	peer = start(name, "provider=default", !enc);
	for (unsigned char i = 0; i < 2; i++) {
		memset(record, i, sizeof(record));
		assert_true(record_play(enc ? c : peer, i, record, all));
		if (enc)
			say(said, true, record, 64);
		assert_true(record_play(enc ? peer : c, i, record, all));
	}
	after[first](&c, said);
	after[second](&c, said);
	ask_nonce(&c, said);
	any_record(c, 9, said);
	any_record(c, 9, said);
	ERR_clear_error();
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_CTX_free(peer);
}

static void follow_each(const char *name, int enc)
{
	static struct said ours, plain;

	for (size_t i = 0; i < COUNT(after) * COUNT(after); i++) {
		unsigned requests = standin.requests;

		ours.n = plain.n = 0;
		play(name, "provider=kcrypto", enc, i / COUNT(after), i % COUNT(after), &ours);
		assert_true(standin.requests - requests >= 2);
		play(name, "provider=default", enc, i / COUNT(after), i % COUNT(after), &plain);
		if (ours.n != plain.n || memcmp(ours.bytes, plain.bytes, ours.n) != 0)
			fail_msg("%s, %d: %zu, then %zu", name, enc, i / COUNT(after),
				 i % COUNT(after));
	}
}

static const char *const names[] = { "AES-128-GCM", "AES-128-CCM", "ChaCha20-Poly1305" };

static void follow_all(void)
{
	for (size_t i = 0; i < 2 * COUNT(names); i++)
		follow_each(names[i / 2], i % 2);
}

TEST(whatever_follows_a_record_finds_what_a_plain_context_has)
{
	follow_all();
}

/* Makes records until software has done enough for a trial. */
static void warm_up(const char *name)
{
	EVP_CIPHER_CTX *c = start(name, "provider=kcrypto", 1);
	unsigned char record[LEN + RECORD_ROOM] = { 0 };

	for (unsigned char i = 0; i < 60; i++)
		assert_true(record_play(c, i, record, LEN + MESSAGE_TAG + record_carried(c)));
	EVP_CIPHER_CTX_free(c);
}

/* With a threshold, below which the records that follow are. */
static void with_threshold(void (*f)(void))
{
	OSSL_LIB_CTX *was = lib;

	lib = library_with(arguments[2]);
	assert_non_null(lib);
	for (size_t i = 0; i < COUNT(names); i++)
		warm_up(names[i]);
	f();
	OSSL_LIB_CTX_free(lib);
	lib = was;
}

TEST(also_if_short_records_follow)
{
	with_threshold(follow_all);
}

/* A forged one among them does not end the kernel's part. */
static void forge_each(void)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		EVP_CIPHER_CTX *us = start(names[i], "provider=kcrypto", 0);
		EVP_CIPHER_CTX *peer = start(names[i], "provider=default", 1);
		size_t all = LEN + MESSAGE_TAG + record_carried(us);
		unsigned char record[LEN + RECORD_ROOM] = { 0 };
		unsigned requests = standin.requests;

		assert_false(record_play(us, 0, record, 100));
		ERR_clear_error();
		assert_int_equal(standin.requests, requests);
		assert_true(record_play(peer, 1, record, all) && record_play(us, 1, record, all));
		assert_int_equal(standin.requests, requests + 1);
		EVP_CIPHER_CTX_free(us);
		EVP_CIPHER_CTX_free(peer);
	}
}

TEST(after_a_forged_short_record_the_kernel_goes_on)
{
	with_threshold(forge_each);
}

/* Records one after the other: the kernel does all but the empty ones. */
static void number(const char *name, const unsigned char *iv)
{
	static const size_t lengths[] = { LEN, LEN, 0, LEN, LEN, LEN, 0, 0, LEN };
	EVP_CIPHER_CTX *us = start_at(name, "provider=kcrypto", 1, iv);
	EVP_CIPHER_CTX *plain = start_at(name, "provider=default", 1, iv);
	EVP_CIPHER_CTX *peer = start_at(name, "provider=kcrypto", 0, iv);
	unsigned requests = standin.requests;

	for (unsigned char i = 0; i < COUNT(lengths); i++) {
		size_t all = lengths[i] + MESSAGE_TAG + record_carried(us);
		unsigned char ours[LEN + RECORD_ROOM] = { 0 }, theirs[LEN + RECORD_ROOM] = { 0 };

		assert_true(record_play(us, i, ours, all) && record_play(plain, i, theirs, all));
		assert_memory_equal(ours, theirs, all);
		assert_true(record_play(peer, i, ours, all));
	}
	assert_int_equal(standin.requests, requests + 2 * 6);
	EVP_CIPHER_CTX_free(us);
	EVP_CIPHER_CTX_free(plain);
	EVP_CIPHER_CTX_free(peer);
}

TEST(records_have_the_nonces_that_a_plain_context_counts)
{
	/* The last eight bytes are counted: without a carry, with carries, and to their end. */
	static const unsigned char ivs[][13] = { "twelve bytes", "twelve byt\xff\xfd",
						 "0123\x7f\xff\xff\xff\xff\xff\xff\xff",
						 "0123\xff\xff\xff\xff\xff\xff\xff\xfe" };

	for (size_t i = 0; i < COUNT(ivs); i++) {
		number("AES-128-GCM", ivs[i]);
		number("AES-128-CCM", ivs[i]);
		number("ChaCha20-Poly1305", ivs[i]);
	}
}

const struct suite suite = { .arguments = 3, .set_up = load, .tear_down = unload };
