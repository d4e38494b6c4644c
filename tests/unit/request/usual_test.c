/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates that are like the last one: they leave out most questions, so each call that changes the
 * answer to one must have them asked again. Plays fixed random calls on a context of kcrypto over
 * the stand-in and on one of the default provider, always with the same buffers and few lengths.
 * usage: usual_test CONFIG UNUSED CONFIG: for the second, short updates stay in software
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/evp.h>

#include "diff/diff.h"
#include "integration/lives/loaded.h"
#include "local.h"
#include "standin/standin.h"

#define LEN   4096
#define CALLS 10000

enum call {
	UPDATE, /* most calls are updates, in place or not */
	IN_PLACE = 6,
	SHORT = 8,
	NEW_IV,
	OTHER_DIRECTION,
	OTHER_KEY,
	SAME_KEY,
	PADDING,
	COPY,
	ONE_SHOT,
	FINAL,
	N_CALLS
};

static const char *const ciphers[] = { "AES-128-CBC", "AES-256-CTR",  "AES-128-CFB",
				       "AES-192-OFB", "DES-EDE3-CBC", "CAMELLIA-128-CBC",
				       "AES-128-ECB", "ChaCha20",     "AES-128-CBC-CTS" };
static unsigned char texts[2][LEN], keys[2][64], ivs[2][16];

/* A context and its output. */
struct side {
	EVP_CIPHER_CTX *ctx;
	unsigned char out[LEN + 64], place[LEN + 64];
	int n, result;
};

/* The arguments of a call, the same for both. */
struct choice {
	enum call call;
	int len, dir, padding;
	const unsigned char *text, *key, *iv;
};

static EVP_CIPHER_CTX *begin(const char *name, const char *provider)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_non_null(cipher);
	assert_true(EVP_CipherInit_ex(c, cipher, NULL, keys[0], ivs[0], 1));
	return c;
}

static int copied(struct side *s)
{
	EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
	int ok = EVP_CIPHER_CTX_copy(copy, s->ctx);

	EVP_CIPHER_CTX_free(s->ctx);
	s->ctx = copy;
	return ok;
}

static int init(struct side *s, const struct choice *a)
{
	if (a->call == NEW_IV)
		return EVP_CipherInit_ex(s->ctx, NULL, NULL, NULL, a->iv, -1);
	if (a->call == OTHER_DIRECTION)
		return EVP_CipherInit_ex(s->ctx, NULL, NULL, keys[0], a->iv, a->dir);
	return EVP_CipherInit_ex(s->ctx, NULL, NULL, a->key, a->iv, -1);
}

static void play(struct side *s, const struct choice *a)
{
	s->n = 0;
	if (a->call < IN_PLACE) {
		s->result = EVP_CipherUpdate(s->ctx, s->out, &s->n, a->text, a->len);
	} else if (a->call < SHORT) {
		memcpy(s->place, a->text, LEN);
		s->result = EVP_CipherUpdate(s->ctx, s->place, &s->n, s->place, a->len);
	} else if (a->call == SHORT) {
		s->result = EVP_CipherUpdate(s->ctx, s->out, &s->n, a->text, 5);
	} else if (a->call == PADDING) {
		s->result = EVP_CIPHER_CTX_set_padding(s->ctx, a->padding);
	} else if (a->call == COPY) {
		s->result = copied(s);
	} else if (a->call == ONE_SHOT) {
		s->result = EVP_Cipher(s->ctx, s->out, a->text, (unsigned)a->len);
	} else if (a->call == FINAL) {
		s->result = EVP_CipherFinal_ex(s->ctx, s->out, &s->n);
		EVP_CipherInit_ex(s->ctx, NULL, NULL, NULL, a->iv, -1);
	} else {
		s->result = init(s, a);
	}
}

static struct choice choose(struct random *r)
{
	static const int lengths[] = { 1024, LEN };

	return (struct choice){ .call = (enum call)random_below(r, N_CALLS),
				.len = lengths[random_below(r, COUNT(lengths))],
				.dir = (int)random_below(r, 2),
				.padding = (int)random_below(r, 2),
				.text = texts[random_below(r, 2)],
				.key = keys[random_below(r, 2)],
				.iv = ivs[random_below(r, 2)] };
}

static void play_both(const char *name)
{
	static struct side ours, theirs;
	struct random random = { .state = 1 };
	struct choice a = { 0 };

	ours.ctx = begin(name, "provider=kcrypto");
	theirs.ctx = begin(name, "provider=default");
	for (int i = 0; i < CALLS; i++) {
		/* Often the same again: only then an update is like the last one. */
		if (i % 4 == 0 || a.call >= SHORT)
			a = choose(&random);
		play(&ours, &a);
		play(&theirs, &a);
		if (ours.result != theirs.result || ours.n != theirs.n)
			fail_msg("%s, call %d (%d, %d bytes): %d and %d, %d and %d bytes", name, i,
				 a.call, a.len, ours.result, theirs.result, ours.n, theirs.n);
		assert_memory_equal(ours.out, theirs.out, sizeof(ours.out));
		assert_memory_equal(ours.place, theirs.place, sizeof(ours.place));
	}
	EVP_CIPHER_CTX_free(ours.ctx);
	EVP_CIPHER_CTX_free(theirs.ctx);
}

static void set_up(void)
{
	struct random random = { .state = 2 };

	random_bytes(&random, texts[0], sizeof(texts));
	random_bytes(&random, keys[0], sizeof(keys));
	random_bytes(&random, ivs[0], sizeof(ivs));
}

static void play_all(const char *config)
{
	lib = library_with(config);
	assert_non_null(lib);
	for (size_t i = 0; i < COUNT(ciphers); i++)
		play_both(ciphers[i]);
	unload();
}

/* A session is opened at once. */
TEST(every_byte_is_the_default_providers)
{
	play_all(arguments[0]);
	assert_true(standin.requests >= CALLS / 4 * COUNT(ciphers));
}

TEST(also_among_short_updates_that_stay_in_software)
{
	play_all(arguments[2]);
}

TEST(also_after_failures)
{
	standin.fail_one_in = 7;
	play_all(arguments[0]);
}

const struct suite suite = { .arguments = 3, .set_up = set_up, .before_each = standin_reset };
