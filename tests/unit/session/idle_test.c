/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions that wait: a digest's session for the next context, and any other session for the same
 * key in its own context. Through EVP over the stand-in, which aborts if a process uses another
 * process's session. usage: idle_test CONFIG …
 */
#include "unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "core/process.h"
#include "integration/lives/loaded.h"
#include "local.h"
#include "standin/standin.h"

#define LEN	4096
#define THREADS 4

static unsigned char in[LEN], want[32];
static const unsigned char keys[3][33] = { "0123456789abcdefXYZ3456789abcdef",
					   "0123456789abcdeeXYZ3456789abcdee",
					   "1123456789abcdefYYZ3456789abcdef" },
			   iv[17] = "fedcba9876543210";

static void digest(EVP_MD_CTX *ctx, const EVP_MD *md)
{
	unsigned char out[EVP_MAX_MD_SIZE];

	errno = 77;
	if (!EVP_DigestInit_ex(ctx, md, NULL) || !EVP_DigestUpdate(ctx, in, LEN) ||
	    !EVP_DigestFinal_ex(ctx, out, NULL) || errno != 77 || memcmp(out, want, 32) != 0)
		abort();
}

static void in_a_new_context(const EVP_MD *md)
{
	LOCAL(EVP_MD_CTX) *ctx = EVP_MD_CTX_new();

	digest(ctx, md);
}

/* Afterwards the driver has been tried, no session is open, and counting starts. */
static EVP_MD *fresh(void)
{
	EVP_MD *md;

	lib = OSSL_LIB_CTX_new();
	diff_setup(lib);
	standin_reset();
	assert_true(OSSL_LIB_CTX_load_config(lib, arguments[0]));
	md = EVP_MD_fetch(lib, "SHA256", "provider=kcrypto");
	assert_non_null(md);
	assert_true(EVP_Q_digest(lib, "SHA256", "provider=default", in, LEN, want, NULL));
	in_a_new_context(md);
	standin_reset();
	return md;
}

/* Waiting sessions end with the module. */
static void finish_with(EVP_MD *md)
{
	EVP_MD_free(md);
	OSSL_LIB_CTX_free(lib);
	assert_int_equal(*kc_process_sessions(), 0);
}

TEST(a_thousand_messages_take_one_session)
{
	EVP_MD *md = fresh();
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	for (int i = 0; i < 1000; i++)
		digest(ctx, md);
	EVP_MD_CTX_free(ctx);
	for (int i = 0; i < 1000; i++)
		in_a_new_context(md);
	assert_int_equal(standin.requests, 2000);
	assert_int_equal(standin.opened, 0);
	assert_int_equal(standin.closed, 0);
	finish_with(md);
	assert_int_equal(standin.closed, 1);
}

/* A context whose message has ended holds no session: it may live on for long. */
TEST(contexts_and_their_copies_take_turns_with_a_session)
{
	unsigned char out[EVP_MAX_MD_SIZE];
	EVP_MD *md = fresh();
	EVP_MD_CTX *a = EVP_MD_CTX_new(), *b = EVP_MD_CTX_new();

	digest(a, md);
	assert_true(EVP_DigestInit_ex(b, md, NULL) && EVP_DigestUpdate(b, in, LEN));
	assert_true(EVP_MD_CTX_copy_ex(a, b));
	assert_true(EVP_DigestFinal_ex(a, out, NULL));
	assert_memory_equal(out, want, 32);
	assert_true(EVP_DigestFinal_ex(b, out, NULL));
	assert_memory_equal(out, want, 32);
	assert_int_equal(standin.requests, 3);
	assert_int_equal(standin.opened, 0);
	EVP_MD_CTX_free(a);
	EVP_MD_CTX_free(b);
	finish_with(md);
	assert_int_equal(standin.closed, 1);
}

static int in_a_child(const EVP_MD *md)
{
	for (int i = 0; i < 5; i++)
		in_a_new_context(md);
	return *kc_process_sessions() == 1 ? 0 : 1;
}

static void check_child(const EVP_MD *md)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(in_a_child(md));
	assert_ends_well(pid);
}

TEST(a_child_uses_none_of_its_parents)
{
	EVP_MD *md = fresh();

	check_child(md);
	in_a_new_context(md);
	assert_int_equal(standin.opened, 0);
	finish_with(md);
}

static void *work(void *md)
{
	for (int i = 0; i < 500; i++)
		in_a_new_context(md);
	return NULL;
}

/* Whatever a thread holds when another one forks. */
TEST(threads_share_them)
{
	EVP_MD *md = fresh();
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, work, md), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	assert_int_equal(standin.requests, THREADS * 500);
	assert_in_range(standin.opened, 0, THREADS - 1);
	check_child(md);
	finish_with(md);
}

/* A sandbox may kill for a request, whoever opened the session. */
TEST(a_thread_in_a_filter_takes_none)
{
	EVP_MD *md = fresh();

	standin_is_shut = true;
	in_a_new_context(md);
	assert_int_equal(standin.requests, 0);
	standin_is_shut = false;
	in_a_new_context(md);
	assert_int_equal(standin.requests, 1);
	assert_int_equal(standin.opened, 0);
	finish_with(md);
}

/* Each init of the same context sets @key again. */
static EVP_CIPHER_CTX *seal(EVP_CIPHER_CTX *c, const char *name, const char *provider,
			    const unsigned char *key, unsigned char *out)
{
	LOCAL(EVP_CIPHER) *cipher = c ? NULL : EVP_CIPHER_fetch(lib, name, provider);
	int n;

	if (!c) {
		c = EVP_CIPHER_CTX_new();
		assert_true(EVP_CipherInit_ex2(c, cipher, NULL, NULL, 1, NULL));
		EVP_CIPHER_CTX_set_padding(c, 0);
	}
	assert_true(EVP_CipherInit_ex2(c, NULL, key, iv, 1, NULL));
	assert_true(EVP_CipherUpdate(c, out, &n, in, LEN));
	return c;
}

static void mac_of(EVP_MAC_CTX *c, const unsigned char *key, size_t len, unsigned char *out)
{
	size_t n;

	assert_true(EVP_MAC_init(c, key, len, NULL) && EVP_MAC_update(c, in, LEN) &&
		    EVP_MAC_final(c, out, &n, EVP_MAX_MD_SIZE));
}

static EVP_MAC_CTX *mac_context(const char *name, const char *param, const char *inner,
				const char *provider)
{
	LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(lib, name, provider);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(param, (char *)(uintptr_t)inner, 0), OSSL_PARAM_END
	};

	assert_true(EVP_MAC_CTX_set_params(c, params));
	return c;
}

/*
 * The keys alternate, each used three times: there are as many sessions as changes of the key,
 * whichever byte changes.
 */
static const int turns[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0 };
#define CHANGES 4

TEST(the_same_key_keeps_a_ciphers_session)
{
	static const char *const names[] = { "AES-128-CBC", "AES-256-CTR", "AES-128-ECB",
					     "AES-128-XTS", "AES-128-GCM", "ChaCha20-Poly1305" };
	static unsigned char out[2][LEN];
	EVP_MD *md = fresh();

	for (size_t i = 0; i < COUNT(names); i++) {
		EVP_CIPHER_CTX *theirs = NULL, *ours = NULL;

		print_message("  %s\n", names[i]);
		EVP_CIPHER_CTX_free(seal(NULL, names[i], "provider=kcrypto", keys[0], out[0]));
		standin_reset();
		for (size_t t = 0; t < COUNT(turns); t++) {
			theirs = seal(theirs, names[i], "provider=default", keys[turns[t]], out[0]);
			ours = seal(ours, names[i], "provider=kcrypto", keys[turns[t]], out[1]);
			assert_memory_equal(out[0], out[1], LEN);
		}
		assert_int_equal(standin.requests, COUNT(turns));
		assert_int_equal(standin.opened, CHANGES);
		EVP_CIPHER_CTX_free(theirs);
		EVP_CIPHER_CTX_free(ours);
		assert_int_equal(standin.closed, CHANGES);
	}
	finish_with(md);
}

TEST(the_same_key_keeps_a_macs_session)
{
	static const char *const rows[][3] = { { "HMAC", "digest", "SHA256" },
					       { "CMAC", "cipher", "AES-128-CBC" } };
	unsigned char out[2][EVP_MAX_MD_SIZE] = { { 0 } };
	EVP_MD *md = fresh();

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *const *r = rows[i];
		EVP_MAC_CTX *c[2] = { mac_context(r[0], r[1], r[2], "provider=default"),
				      mac_context(r[0], r[1], r[2], "provider=kcrypto") };

		print_message("  %s\n", r[0]);
		mac_of(c[1], keys[2], 16, out[1]);
		standin_reset();
		for (size_t t = 0; t < COUNT(turns); t++) {
			for (int j = 0; j < 2; j++)
				mac_of(c[j], keys[turns[t]], 16, out[j]);
			assert_memory_equal(out[0], out[1], EVP_MAX_MD_SIZE);
		}
		/* A prefix of a key is another key. */
		for (size_t len = 17; i == 0 && len-- > 14;) {
			for (int j = 0; j < 2; j++)
				mac_of(c[j], keys[0], len, out[j]);
			assert_memory_equal(out[0], out[1], EVP_MAX_MD_SIZE);
		}
		assert_int_equal(standin.opened, i == 0 ? CHANGES + 2 : CHANGES);
		EVP_MAC_CTX_free(c[0]);
		EVP_MAC_CTX_free(c[1]);
		/* The session has a key, so it does not outlive its context. */
		assert_int_equal(standin.closed, standin.opened + 1);
	}
	finish_with(md);
}

const struct suite suite = { .arguments = 1 };

int main(int argc, char **argv)
{
	for (size_t i = 0; i < LEN; i++)
		in[i] = (unsigned char)(i * 7 + i / 256);
	return check_main(argc, argv);
}
