/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts whose job is never resumed, over the stand-in that has requests in flight: the next call
 * ends the request and wipes its data, and the context continues as if the update had not been
 * made. A copy shares nothing with the original. usage: abandoned_test CONFIG
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/async.h>
#include <openssl/evp.h>

#include "integration/lives/loaded.h"
#include "integration/lives/message.h"
#include "local.h"
#include "session/buffers.h"
#include "standin/queued.h"
#include "standin/standin.h"

#define LEN	8192
#define BUFFERS 16

static unsigned char text[LEN], out[LEN + 64], expected[LEN + 64], tag[16], expected_tag[16];
static const unsigned char
	key[65] = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr",
	other_key[65] = "another key of sixty-four bytes, whose halves are not the same!!",
	aad[13] = "not a secret";
static unsigned char iv[16] = "a nonce";

static const char *const names[] = { "AES-128-GCM", "AES-256-CCM", "ChaCha20-Poly1305",
				     "AES-128-CBC", "AES-128-CTR", "AES-128-XTS" };
/* AEADs that need no length before the text. */
static const char *const streams[] = { "AES-128-GCM", "ChaCha20-Poly1305" };

static bool is_aead(const EVP_CIPHER_CTX *c)
{
	return EVP_CIPHER_get_flags(EVP_CIPHER_CTX_get0_cipher(c)) & EVP_CIPH_FLAG_AEAD_CIPHER;
}

static EVP_CIPHER_CTX *begin(const char *name, const char *provider)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_CipherInit_ex2(c, cipher, NULL, NULL, 1, NULL));
	if (is_aead(c))
		assert_true(message_start(c, 1, key, iv, NULL));
	else
		assert_true(EVP_CipherInit_ex2(c, NULL, key, iv, 1, NULL));
	return c;
}

/* Makes all calls that precede the text. NULL: the same key. */
static void restart(EVP_CIPHER_CTX *c, const unsigned char *with)
{
	assert_true(EVP_CipherInit_ex2(c, NULL, with, iv, -1, NULL));
	assert_true(!is_aead(c) || message_head(c, aad, sizeof(aad), LEN));
}

/* Encrypts a whole text and makes the tag. */
static void do_text(EVP_CIPHER_CTX *c, unsigned char *to, unsigned char *made)
{
	int n;

	assert_true(EVP_CipherUpdate(c, to, &n, text, LEN));
	assert_int_equal(n, LEN);
	if (!is_aead(c))
		return;
	assert_true(EVP_CipherFinal_ex(c, to + n, &n));
	assert_true(message_tag(c, made));
}

static void assert_right(EVP_CIPHER_CTX *c, const unsigned char *with)
{
	const char *name = EVP_CIPHER_get0_name(EVP_CIPHER_CTX_get0_cipher(c));
	LOCAL(EVP_CIPHER_CTX) *theirs = begin(name, "provider=default");

	restart(theirs, with);
	do_text(theirs, expected, expected_tag);
	do_text(c, out, tag);
	assert_memory_equal(out, expected, LEN);
	if (is_aead(c))
		assert_memory_equal(tag, expected_tag, sizeof(tag));
}

struct job {
	EVP_CIPHER_CTX *c;
	unsigned char *out;
	ASYNC_JOB *async;
	ASYNC_WAIT_CTX *wait;
};

static int run(void *arg)
{
	struct job *j = *(struct job **)arg;
	int n;

	return EVP_CipherUpdate(j->c, j->out, &n, text, LEN);
}

/* Runs the job until it pauses. */
static struct job *pause_in_text(EVP_CIPHER_CTX *c)
{
	static struct job job;
	struct job *j = &job;
	int ret;

	memset(out, 0x55, sizeof(out));
	job = (struct job){ .c = c, .out = out, .wait = ASYNC_WAIT_CTX_new() };
	assert_int_equal(ASYNC_start_job(&job.async, job.wait, &ret, run, &j, sizeof(j)),
			 ASYNC_PAUSE);
	assert_true(queued.now > 0);
	return j;
}

/* libcrypto cannot free such jobs. They stay reachable here. */
static ASYNC_JOB *left[200];
static size_t n_left;

static void abandon(struct job *j)
{
	assert_true(n_left < COUNT(left));
	left[n_left++] = j->async;
	ASYNC_WAIT_CTX_free(j->wait);
}

/* From now on the kernel does requests of this text's length, and nothing is compared any more. */
static EVP_CIPHER_CTX *warm(const char *name)
{
	EVP_CIPHER_CTX *c = begin(name, "?provider=kcrypto");

	for (int i = 0; i < 4; i++) {
		restart(c, NULL);
		assert_right(c, NULL);
	}
	restart(c, NULL);
	return c;
}

/* None of the buffers that wait for the next context holds a part of the text. */
static void assert_buffers_wiped(void)
{
	uint8_t *buffer[BUFFERS];

	for (size_t i = 0; i < BUFFERS; i++) {
		buffer[i] = kc_buffer_take();
		assert_non_null(buffer[i]);
		for (size_t at = 0; at + 16 <= LEN; at += 16)
			assert_true(memcmp(buffer[i] + at, text + at, 16) != 0);
	}
	/* Given back as used up to LEN, since fresh buffers are not known to be clean. */
	for (size_t i = 0; i < BUFFERS; i++)
		kc_buffer_give(buffer[i], LEN);
}

/*
 * How a context is used after its job has been abandoned, and what ends the request. A copy may be
 * made by a thread that does not own the context; final and queries of a cipher cost nothing, not
 * even a check. CCM gets more AAD instead of a text, because a text of another length than declared
 * makes OpenSSL 3.5 lose its tag.
 */
static const struct {
	const char *name;
	bool ends, ends_ciphers;
} entries[] = { { "same key", true, true }, { "new key", true, true }, { "update", true, true },
		{ "short", true, true },    { "final", true, false },  { "copy", false, false },
		{ "ask", true, false },	    { "free", true, true },    { "decrypt", true, true } };

static void enter(EVP_CIPHER_CTX *c, const char *entry)
{
	LOCAL(EVP_CIPHER_CTX) *copy = EVP_CIPHER_CTX_new();
	unsigned char more[64];
	int n;

	if (strcmp(entry, "same key") == 0)
		restart(c, NULL);
	else if (strcmp(entry, "new key") == 0)
		restart(c, other_key);
	else if (message_is_ccm(c) && (strcmp(entry, "short") == 0 || strcmp(entry, "final") == 0))
		EVP_CipherUpdate(c, NULL, &n, aad, sizeof(aad));
	else if (strcmp(entry, "short") == 0)
		EVP_CipherUpdate(c, out, &n, text, 16);
	else if (strcmp(entry, "update") == 0)
		EVP_CipherUpdate(c, out, &n, text, LEN);
	else if (strcmp(entry, "final") == 0)
		EVP_CipherFinal_ex(c, out, &n);
	else if (strcmp(entry, "copy") == 0)
		for (int i = 0; i < 3; i++)
			assert_true(EVP_CIPHER_CTX_copy(copy, c));
	else if (strcmp(entry, "ask") == 0)
		EVP_CIPHER_CTX_get_updated_iv(c, more, 16);
	else if (strcmp(entry, "decrypt") == 0)
		EVP_CipherInit_ex2(c, NULL, other_key, iv, 0, NULL);
}

static void enter_and_go_on(const char *name, const char *entry, bool ends, bool ends_ciphers)
{
	unsigned open = standin.opened - standin.closed, dropped = queued.dropped;
	EVP_CIPHER_CTX *c = warm(name);
	bool is_new = strcmp(entry, "new key") == 0;

	ends = is_aead(c) ? ends : ends_ciphers;
	abandon(pause_in_text(c));
	memset(out, 0x55, sizeof(out));
	enter(c, entry);
	if (strcmp(entry, "free") == 0 || strcmp(entry, "decrypt") == 0) {
		EVP_CIPHER_CTX_free(c);
		assert_buffers_wiped();
		c = NULL;
	}
	assert_int_equal(queued.now == 0, ends);
	if (!c)
		c = warm(name);
	for (int i = 0; i < 3; i++) {
		restart(c, is_new && i == 0 ? other_key : NULL);
		assert_right(c, is_new ? other_key : NULL);
		assert_int_equal(queued.now, 0);
	}
	assert_true(queued.dropped > dropped);
	EVP_CIPHER_CTX_free(c);
	assert_int_equal(standin.opened - standin.closed, open);
	assert_buffers_wiped();
}

TEST(whatever_comes_next_ends_the_request_and_goes_on)
{
	for (size_t i = 0; i < COUNT(names) * COUNT(entries); i++) {
		const char *name = names[i / COUNT(entries)];
		size_t by = i % COUNT(entries);

		print_message("  %s: %s\n", name, entries[by].name);
		enter_and_go_on(name, entries[by].name, entries[by].ends, entries[by].ends_ciphers);
	}
}

TEST(an_aead_goes_on_as_if_the_update_had_not_been_made)
{
	for (size_t i = 0; i < 3; i++) {
		LOCAL(EVP_CIPHER_CTX) *c = warm(names[i]);

		abandon(pause_in_text(c));
		assert_right(c, NULL);
	}
}

/* Both messages end with the same tag. */
static void assert_same_end(EVP_CIPHER_CTX *c, EVP_CIPHER_CTX *theirs)
{
	int n;

	assert_true(EVP_CipherFinal_ex(theirs, expected, &n) && EVP_CipherFinal_ex(c, out, &n));
	assert_true(message_tag(theirs, expected_tag) && message_tag(c, tag));
	assert_memory_equal(tag, expected_tag, sizeof(tag));
}

/*
 * The base does the short text, and must not have seen the abandoned one. Not CCM, whose length was
 * declared.
 */
TEST(a_short_text_instead_is_the_message)
{
	for (size_t i = 0; i < COUNT(streams); i++) {
		LOCAL(EVP_CIPHER_CTX) *c = warm(streams[i]), *theirs = NULL;
		int n;

		abandon(pause_in_text(c));
		theirs = begin(streams[i], "provider=default");
		restart(theirs, NULL);
		assert_true(EVP_CipherUpdate(theirs, expected, &n, text, 40));
		assert_true(EVP_CipherUpdate(c, out, &n, text, 40));
		assert_memory_equal(out, expected, 40);
		assert_same_end(c, theirs);
	}
}

TEST(a_final_instead_ends_a_message_without_text)
{
	for (size_t i = 0; i < COUNT(streams); i++) {
		LOCAL(EVP_CIPHER_CTX) *c = warm(streams[i]), *theirs = NULL;

		abandon(pause_in_text(c));
		theirs = begin(streams[i], "provider=default");
		restart(theirs, NULL);
		assert_same_end(c, theirs);
	}
}

/* Both continue: with the job's result, and with the copy's, which is as before the update. */
TEST(a_copy_beside_a_paused_job_shares_nothing_with_it)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		LOCAL(EVP_CIPHER_CTX) *c = warm(names[i]), *copy = EVP_CIPHER_CTX_new();
		struct job *j = pause_in_text(c);
		int ret, n;

		assert_true(EVP_CIPHER_CTX_copy(copy, c));
		assert_int_equal(queued.now > 0, true);
		while (ASYNC_start_job(&j->async, j->wait, &ret, run, NULL, 0) == ASYNC_PAUSE)
			;
		assert_int_equal(ret, 1);
		ASYNC_WAIT_CTX_free(j->wait);
		assert_true(!is_aead(c) ||
			    (EVP_CipherFinal_ex(c, out + LEN, &n) && message_tag(c, tag)));
		memcpy(expected, out, LEN);
		if (is_aead(c))
			assert_right(copy, NULL);
		restart(copy, other_key);
		assert_right(copy, other_key);
	}
}

/*
 * Several messages at the same time, each with another text, that the kernel has done: the base
 * repeats them from what their contexts keep, when their programs ask for an IV. So no context may
 * keep its text where another one does.
 */
static void assert_others_right(const char *name)
{
	static unsigned char one[LEN], made[LEN + 64];
	EVP_CIPHER_CTX *c[6];
	unsigned char nonce[16];
	unsigned before = standin.requests;
	int n;

	for (size_t i = 0; i < COUNT(c); i++) {
		c[i] = begin(name, "?provider=kcrypto");
		restart(c[i], NULL);
		memset(one, (int)i + 1, sizeof(one));
		assert_true(EVP_CipherUpdate(c[i], made, &n, one, LEN));
	}
	assert_int_equal(standin.requests, before + COUNT(c));
	for (size_t i = 0; i < COUNT(c); i++) {
		LOCAL(EVP_CIPHER_CTX) *theirs = begin(name, "provider=default");

		restart(theirs, NULL);
		memset(one, (int)i + 1, sizeof(one));
		assert_true(EVP_CipherUpdate(theirs, expected, &n, one, LEN));
		assert_true(EVP_CIPHER_CTX_get_updated_iv(c[i], nonce, sizeof(nonce)));
		assert_true(EVP_CipherFinal_ex(theirs, expected, &n) &&
			    EVP_CipherFinal_ex(c[i], made, &n));
		assert_true(message_tag(theirs, expected_tag) && message_tag(c[i], tag));
		assert_memory_equal(tag, expected_tag, sizeof(tag));
		EVP_CIPHER_CTX_free(c[i]);
	}
}

/* Copies made while the request is in flight, and after the context has got another key. */
static void copy_and_free(EVP_CIPHER_CTX *c)
{
	EVP_CIPHER_CTX *copy[3];

	for (size_t i = 0; i < COUNT(copy); i++) {
		copy[i] = EVP_CIPHER_CTX_new();
		assert_true(EVP_CIPHER_CTX_copy(copy[i], c));
	}
	for (size_t i = 0; i < COUNT(copy); i++)
		EVP_CIPHER_CTX_free(copy[i]);
}

TEST(contexts_that_have_nothing_to_do_with_it_are_right)
{
	for (size_t i = 0; i < 3; i++) {
		LOCAL(EVP_CIPHER_CTX) *c = warm(names[i]);

		abandon(pause_in_text(c));
		copy_and_free(c);
		assert_others_right(names[i]);
		restart(c, other_key);
		copy_and_free(c);
		assert_others_right(names[i]);
		assert_right(c, other_key);
	}
}

/* Begins a MAC of the text, with the key's first 16 bytes. */
static EVP_MAC_CTX *begin_mac(const char *provider)
{
	LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(lib, "HMAC", provider);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);

	assert_true(mac_start(c, "HMAC", "SHA256", key, 16));
	return c;
}

static void do_mac(EVP_MAC_CTX *c, unsigned char made[32])
{
	size_t n;

	assert_true(EVP_MAC_update(c, text, LEN) && EVP_MAC_final(c, made, &n, 32));
}

static void assert_mac_right(EVP_MAC_CTX *c, const unsigned char *with)
{
	LOCAL(EVP_MAC_CTX) *theirs = begin_mac("provider=default");
	unsigned char made[32], wanted[32];

	assert_true(EVP_MAC_init(theirs, with, 16, NULL));
	do_mac(theirs, wanted);
	do_mac(c, made);
	assert_memory_equal(made, wanted, sizeof(made));
}

static unsigned char left_mac[32];

static int finish_mac(void *arg)
{
	size_t n;

	return EVP_MAC_final(*(EVP_MAC_CTX **)arg, left_mac, &n, sizeof(left_mac));
}

static void assert_mac_unwritten(void)
{
	for (size_t i = 0; i < sizeof(left_mac); i++)
		assert_int_equal(left_mac[i], 0x55);
}

/* A MAC whose final pauses, and is never resumed. */
static EVP_MAC_CTX *abandoned_mac(void)
{
	struct job job = { .wait = ASYNC_WAIT_CTX_new() };
	EVP_MAC_CTX *c = begin_mac("?provider=kcrypto");
	int ret;

	for (int i = 0; i < 4; i++) {
		assert_true(EVP_MAC_init(c, key, 16, NULL));
		assert_mac_right(c, key);
	}
	assert_true(EVP_MAC_init(c, NULL, 0, NULL) && EVP_MAC_update(c, text, LEN));
	memset(left_mac, 0x55, sizeof(left_mac));
	assert_int_equal(ASYNC_start_job(&job.async, job.wait, &ret, finish_mac, &c, sizeof(c)),
			 ASYNC_PAUSE);
	assert_int_equal(queued.now, 1);
	abandon(&job);
	return c;
}

TEST(an_init_or_the_end_of_a_mac_ends_its_request)
{
	static const unsigned char *const with[] = { NULL, key, other_key };

	for (size_t i = 0; i < COUNT(with); i++) {
		LOCAL(EVP_MAC_CTX) *c = abandoned_mac();

		assert_true(EVP_MAC_init(c, with[i], with[i] ? 16 : 0, NULL));
		assert_int_equal(queued.now, 0);
		assert_mac_right(c, with[i] ? with[i] : key);
		assert_mac_unwritten();
	}
	EVP_MAC_CTX_free(abandoned_mac());
	assert_int_equal(queued.now, 0);
	assert_mac_unwritten();
	assert_buffers_wiped();
}

TEST(another_final_of_a_mac_is_that_of_the_same_message)
{
	LOCAL(EVP_MAC_CTX) *c = abandoned_mac(), *copy = EVP_MAC_CTX_dup(c);
	LOCAL(EVP_MAC_CTX) *theirs = begin_mac("provider=default");
	unsigned char made[32], wanted[32];
	size_t n;

	do_mac(theirs, wanted);
	assert_true(EVP_MAC_final(copy, made, &n, sizeof(made)));
	assert_memory_equal(made, wanted, sizeof(made));
	assert_true(EVP_MAC_final(c, made, &n, sizeof(made)));
	assert_memory_equal(made, wanted, sizeof(made));
	assert_int_equal(queued.now, 0);
	assert_mac_unwritten();
}

static void prepare(void)
{
	for (size_t i = 0; i < LEN; i++)
		text[i] = (unsigned char)(i * 7 + i / 256 + 1);
	load();
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = unload };
