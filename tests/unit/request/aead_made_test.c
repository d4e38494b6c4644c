/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tag that the last encryption or record left in a context, if the kernel did it: a decryption
 * without a tag is compared with it, and a query out of turn returns it. All sequences of calls
 * that may follow are made on kcrypto and on the default provider, through EVP over the stand-in,
 * and have to give the same results.
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "integration/lives/loaded.h"
#include "integration/lives/message.h"
#include "local.h"
#include "standin/standin.h"

#define LEN	    160
#define RECORD_TEXT 150
#define CARRIED	    8 /* bytes, the part of the nonce in a record of GCM or CCM */
#define CALLS	    4 /* at most */

static const unsigned char key[33] = "0123456789abcdef0123456789abcdef", nonce[13] = "twelve bytes",
			   other[13] = "another one.";

/*
 * What both contexts share: the text and tag of the last message, as the default provider made
 * them.
 */
static unsigned char sealed[LEN], right[MESSAGE_TAG];

/* A context's results, one after the other. */
struct said {
	unsigned char bytes[(CALLS + 2) * (LEN + 32)];
	size_t n;
};

/* Records whether a call succeeded, and its output. */
static void say(struct said *said, bool ok, const void *bytes, size_t len)
{
	said->bytes[said->n++] = ok;
	if (ok && len)
		memcpy(said->bytes + said->n, bytes, len);
	said->n += ok ? len : 0;
}

static void init(EVP_CIPHER_CTX *c, const unsigned char *to_key, const unsigned char *iv, int enc,
		 struct said *said)
{
	say(said, EVP_CipherInit_ex(c, NULL, NULL, to_key, iv, enc), NULL, 0);
}

static void next(EVP_CIPHER_CTX *c, struct said *said)
{
	init(c, NULL, other, -1, said);
}

static void open_it(EVP_CIPHER_CTX *c, struct said *said)
{
	init(c, key, nonce, 0, said);
}

static void seal_again(EVP_CIPHER_CTX *c, struct said *said)
{
	init(c, key, other, 1, said);
}

static void turn(EVP_CIPHER_CTX *c, struct said *said)
{
	init(c, NULL, NULL, !EVP_CIPHER_CTX_is_encrypting(c), said);
}

static void text(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char out[LEN] = { 0 };
	int n = 0;
	bool ok = EVP_CipherUpdate(c, out, &n, sealed, LEN);

	say(said, ok, out, LEN);
}

static void short_text(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char out[16] = { 0 };
	int n = 0;
	bool ok = EVP_CipherUpdate(c, out, &n, sealed, 5);

	say(said, ok, out, 5);
}

static void finish(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char out[32] = { 0 };
	int n = 0;

	say(said, EVP_CipherFinal_ex(c, out, &n), out, sizeof(out));
}

/* Another way to end a message. */
static void finish_by_update(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char out[32] = { 0 };
	int n = 0;

	say(said, EVP_CipherUpdate(c, NULL, &n, NULL, 3), out, sizeof(out));
}

/* A text of no bytes. */
static void nothing(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char none[1] = { 0 };
	int n = 0;

	say(said, EVP_CipherUpdate(c, none, &n, none, 0), NULL, 0);
}

static void record_aad(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char aad[EVP_AEAD_TLS1_AAD_LEN] = { 5, [12] = RECORD_TEXT };

	if (EVP_CIPHER_CTX_get_mode(c) != 0) /* ChaCha20-Poly1305's records carry no nonce */
		aad[12] += CARRIED;
	if (!EVP_CIPHER_CTX_is_encrypting(c))
		aad[12] += MESSAGE_TAG;
	say(said, EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, sizeof(aad), aad) > 0, NULL, 0);
}

/* The default provider reads its input even if it is AAD, so no AAD comes after a record's. */
static void record(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char out[CARRIED + RECORD_TEXT + MESSAGE_TAG] = { 3, 1 };
	int n = 0, len = sizeof(out) - (EVP_CIPHER_CTX_get_mode(c) == 0 ? CARRIED : 0);
	bool ok;

	record_aad(c, said);
	ok = EVP_CipherUpdate(c, out, &n, out, len);
	say(said, ok, out, sizeof(out));
}

static void ask_tag(EVP_CIPHER_CTX *c, struct said *said)
{
	unsigned char tag[MESSAGE_TAG] = { 0 };
	bool ok = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag) > 0;

	say(said, ok, tag, sizeof(tag));
}

static void set_tag(EVP_CIPHER_CTX *c, int len, const unsigned char *tag, struct said *said)
{
	void *at = (void *)(size_t)tag;

	say(said, EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, len, at) > 0, NULL, 0);
}

static void set_right(EVP_CIPHER_CTX *c, struct said *said)
{
	set_tag(c, MESSAGE_TAG, right, said);
}

static void set_short(EVP_CIPHER_CTX *c, struct said *said)
{
	set_tag(c, 4, other, said);
}

static void set_length(EVP_CIPHER_CTX *c, struct said *said)
{
	set_tag(c, 12, NULL, said);
}

static void (*const calls[])(EVP_CIPHER_CTX *c, struct said *said) = {
	next,	 open_it,   seal_again, turn,	    text,    short_text, finish, finish_by_update,
	ask_tag, set_right, set_short,	set_length, nothing, record_aad, record,
};

/* Leaves a tag in a new context. */
typedef void leave_fn(EVP_CIPHER_CTX *c, const EVP_CIPHER *cipher);

static void leave_message(EVP_CIPHER_CTX *c, const EVP_CIPHER *cipher)
{
	unsigned char out[LEN];
	int n;

	assert_true(EVP_CipherInit_ex(c, cipher, NULL, key, nonce, 1));
	assert_true(EVP_CipherUpdate(c, out, &n, (const unsigned char[LEN]){ 1, 2 }, LEN));
	assert_true(EVP_CipherFinal_ex(c, out, &n));
	memcpy(sealed, out, LEN);
}

static void leave_record(EVP_CIPHER_CTX *c, const EVP_CIPHER *cipher)
{
	struct said said = { .n = 0 };
	int whole = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE ? -1 : 4;

	assert_true(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, 1));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
	if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE)
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, MESSAGE_TAG, NULL) > 0);
	assert_true(EVP_CipherInit_ex(c, NULL, NULL, key, nonce, -1));
	if (EVP_CIPHER_get_mode(cipher) != 0)
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, whole,
						(void *)(size_t)nonce) > 0);
	record(c, &said);
	assert_int_equal(said.bytes[1], true);
}

static EVP_CIPHER_CTX *start(const char *name, const char *provider, leave_fn *leave)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_non_null(cipher);
	leave(c, cipher);
	return c;
}

static void play(const char *name, const char *provider, leave_fn *leave, int n_calls,
		 size_t string, struct said *said)
{
	EVP_CIPHER_CTX *c = start(name, provider, leave);

	said->n = 0;
	for (int i = 0; i < n_calls; i++, string /= COUNT(calls))
		calls[string % COUNT(calls)](c, said);
	finish(c, said);
	ask_tag(c, said);
	ERR_clear_error();
	EVP_CIPHER_CTX_free(c);
}

static void learn(const char *name, leave_fn *leave)
{
	EVP_CIPHER_CTX *c = start(name, "provider=default", leave);

	if (leave == leave_message)
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, MESSAGE_TAG, right) > 0);
	EVP_CIPHER_CTX_free(c);
	for (int i = 0; i < 5; i++) /* the driver's trial */
		EVP_CIPHER_CTX_free(start(name, "provider=kcrypto", leave));
}

static void follow_by_each(const char *name, leave_fn *leave, int n_calls)
{
	static struct said ours, plain;
	size_t strings = 1;

	for (int i = 0; i < n_calls; i++)
		strings *= COUNT(calls);
	learn(name, leave);
	for (size_t i = 0; i < strings; i++) {
		unsigned requests = standin.requests;

		play(name, "provider=kcrypto", leave, n_calls, i, &ours);
		assert_true(standin.requests > requests);
		play(name, "provider=default", leave, n_calls, i, &plain);
		if (ours.n != plain.n || memcmp(ours.bytes, plain.bytes, ours.n) != 0)
			fail_msg("%s: string %zu of %zu", name, i, strings);
	}
}

TEST(whatever_follows_an_encryption_finds_its_tag)
{
	follow_by_each("AES-128-GCM", leave_message, CALLS);
	follow_by_each("ChaCha20-Poly1305", leave_message, CALLS);
}

TEST(whatever_follows_a_record_finds_its_tag)
{
	follow_by_each("AES-128-GCM", leave_record, CALLS - 1);
	follow_by_each("AES-128-CCM", leave_record, CALLS - 1);
	follow_by_each("ChaCha20-Poly1305", leave_record, CALLS - 1);
}

const struct suite suite = { .arguments = 1, .set_up = load, .tear_down = unload };
