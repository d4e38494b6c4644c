/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of key, IV and plaintext in this process once the contexts are freed: nothing,
 * heap and stack included, as with the default provider. The calls are made on a stack of their
 * own, so that looking does not overwrite it. usage: residue_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "diff/row.h"
#include "integration/loaded.h"
#include "integration/search.h"

#define LEN 16384

/* The one place for secrets, wiped before each search; output may be plaintext too. */
static struct {
	unsigned char key[2][KC_MAX_KEY], iv[2][KC_MAX_IV], text[LEN], out[LEN + 64];
} secret;

static EVP_CIPHER *cipher;
static EVP_CIPHER_CTX *c, *copy;
static int enc;
static bool ours; /* of kcrypto */

static void make_secrets(void)
{
	search_forget_all();
	assert_int_equal(getrandom(secret.key, sizeof(secret.key), 0), sizeof(secret.key));
	assert_int_equal(getrandom(secret.iv, sizeof(secret.iv), 0), sizeof(secret.iv));
	for (size_t i = 0; i < LEN; i += 256)
		assert_int_equal(getrandom(secret.text + i, 256, 0), 256);
	search_note(SECRET_KEY, secret.key, sizeof(secret.key));
	search_note(SECRET_IV, secret.iv, sizeof(secret.iv));
	if (enc)
		search_note(SECRET_TEXT, secret.text, sizeof(secret.text));
}

/* Decrypting, what goes in is none, and what comes out is noted before it is wiped. */
static void update(EVP_CIPHER_CTX *ctx, const unsigned char *in, int len)
{
	int n = 0;

	if (!row_update(ctx, secret.out, &n, in, len))
		abort();
	if (!enc && n >= 8)
		search_note(SECRET_TEXT, secret.out, (size_t)(n < LEN / 4 ? n : LEN / 4));
	explicit_bzero(secret.out, sizeof(secret.out));
}

static void update_in_place(EVP_CIPHER_CTX *ctx, int len)
{
	int n = 0;

	memcpy(secret.out, secret.text, (size_t)len);
	if (!row_update(ctx, secret.out, &n, secret.out, len))
		abort();
	if (!enc)
		search_note(SECRET_TEXT, secret.out, 4096);
	explicit_bzero(secret.out, sizeof(secret.out));
}

/* In place first, as only then nothing is held back; the last is in the middle of a block. */
static void *calls(void *unused)
{
	(void)unused;
	c = EVP_CIPHER_CTX_new();
	copy = EVP_CIPHER_CTX_new();
	if (!EVP_CipherInit_ex(c, cipher, NULL, secret.key[0], secret.iv[0], enc))
		abort();
	update_in_place(c, 8192);
	update(c, secret.text, 4096 + 5);
	if (!EVP_CIPHER_CTX_copy(copy, c))
		abort();
	update(copy, secret.text + 32, 8192 + 3);
	if (!EVP_CipherInit_ex(c, NULL, NULL, NULL, secret.iv[1], -1))
		abort();
	update(c, secret.text + 1, 8192);
	if (!EVP_CipherInit_ex(c, NULL, NULL, secret.key[1], secret.iv[1], -1))
		abort();
	update(c, secret.text + 3, 8192 + 13);
	return NULL;
}

/* The same context goes on in a child. */
static void *calls_of_child(void *unused)
{
	(void)unused;
	update(copy, secret.text + 64, 8192);
	update(c, secret.text, 8192 + 7);
	return NULL;
}

static void free_both(void)
{
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_CTX_free(copy);
	c = copy = NULL;
}

/* False, and says where, if anything is left. */
static bool nothing_left(const char *who)
{
	struct findings f;
	bool is_chacha;

	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
	is_chacha = strcmp(EVP_CIPHER_get0_name(cipher), "ChaCha20") == 0;
	if (SEARCH_FINDS_STATE && (is_chacha || EVP_CIPHER_get_block_size(cipher) == 8))
		f.n[SECRET_IV] = 0;
	if (SEARCH_FINDS_STATE && is_chacha)
		f.n[SECRET_KEY] = 0;
	/* OpenSSL 4's ARIA leaves some words of the key on the stack. */
	if (OPENSSL_version_major() >= 4 && strncmp(EVP_CIPHER_get0_name(cipher), "ARIA", 4) == 0)
		f.n[SECRET_KEY] = 0;
	/* OpenSSL's ciphertext stealing keeps a copy of a short last block on the stack. */
	if (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS && f.n[SECRET_TEXT] <= 1)
		f.n[SECRET_TEXT] = 0;
	if (f.n[SECRET_KEY] + f.n[SECRET_IV] + f.n[SECRET_TEXT] == 0)
		return true;
	fprintf(stderr, "%s of %s, enc %d: left of key %u, IV %u, text %u:%s\n", who,
		EVP_CIPHER_get0_name(cipher), enc, f.n[SECRET_KEY], f.n[SECRET_IV],
		f.n[SECRET_TEXT], f.where);
	return false;
}

static void is_found_while_it_lives(void)
{
	struct findings f = search_memory();

	assert_true(f.n[SECRET_TEXT] > LEN / 16 || !enc);
	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
	/* Of the default provider's only AES is known to keep a key as it was given. */
	if (ours || strncmp(EVP_CIPHER_get0_name(cipher), "AES", 3) == 0)
		assert_true(f.n[SECRET_KEY] > 0);
	assert_true(f.n[SECRET_IV] > 0 || EVP_CIPHER_get_iv_length(cipher) == 0);
}

static void one(void)
{
	make_secrets();
	search_on_a_stack(calls);
	is_found_while_it_lives();
	free_both();
	assert_true(nothing_left("this process"));
}

static void one_in_a_child(void)
{
	int status;
	pid_t pid;

	make_secrets();
	search_on_a_stack(calls);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		search_on_a_stack(calls_of_child);
		free_both();
		_exit(!nothing_left("a child"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free_both();
	assert_true(nothing_left("its parent"));
}

static size_t for_all(bool of_ours, void (*what)(void))
{
	size_t n = 0;

	ours = of_ours;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		unsigned long long before = requests(i);
		EVP_CIPHER *of_kcrypto, *of_openssl;

		if (kc_algs[i].kind != KC_CIPHER || row_is_absent(&kc_algs[i]) ||
		    !row_fetch(lib, &kc_algs[i], &of_kcrypto, &of_openssl))
			continue;
		cipher = ours ? of_kcrypto : of_openssl;
		for (enc = 0; enc <= 1; enc++)
			what();
		EVP_CIPHER_free(of_kcrypto);
		EVP_CIPHER_free(of_openssl);
		if (ours)
			/* By /dev/crypto the long units of XTS stay with the base. */
			assert_true(kc_algs[i].iv_rule == KC_IV_WHOLE ||
				    requests(i) >= before + 10);
		n++;
	}
	return n;
}

TEST(the_default_provider_leaves_nothing_behind)
{
	assert_true(for_all(false, one) > 0);
}

TEST(freed_contexts_leave_nothing_behind)
{
	assert_true(for_all(true, one) > 0);
}

TEST(neither_do_those_of_a_forked_child)
{
	assert_true(for_all(true, one_in_a_child) > 0);
}

const struct suite suite = { .arguments = 1, .set_up = load, .tear_down = unload };
