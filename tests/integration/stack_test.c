/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread with a 64 KiB stack, or the smallest that there is, fetches the first algorithm of its
 * process and gives large requests to the kernel: the fetch, the driver's trial and the requests
 * fit in 64 KiB. Below the stack lies a page that must not be touched.
 * usage: stack_test CONFIG [offload]
 */
#include "unit/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/loaded.h"
#include "local.h"

#define STACK (64 * 1024)
#define LEN   60000
#define PAINT 0xa5

static unsigned char in[LEN], out[LEN + 64], back[LEN + 64];
static const unsigned char key[32] = "a key of 32 bytes, for each kind", iv[16] = "and its IV";
static const char ours[] = "?provider=kcrypto";

static bool crypt_one(const EVP_CIPHER *cipher, int enc, const unsigned char *from,
		      unsigned char *to, unsigned char *tag)
{
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	int n = 0, rest = 0;
	bool ok = EVP_CipherInit_ex2(c, cipher, key, iv, enc, NULL) &&
		  EVP_CIPHER_CTX_set_padding(c, 0);

	if (tag && !enc)
		ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1;
	ok &= EVP_CipherUpdate(c, to, &n, from, LEN) && EVP_CipherFinal_ex(c, to + n, &rest);
	if (tag && enc)
		ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
	return ok && n + rest == LEN;
}

static bool crypt_both_ways(const char *name, bool is_aead)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, ours);
	unsigned char tag[16] = "";
	bool ok = cipher && crypt_one(cipher, 1, in, out, is_aead ? tag : NULL) &&
		  crypt_one(cipher, 0, out, back, is_aead ? tag : NULL) &&
		  memcmp(in, back, LEN) == 0;

	return ok;
}

static void *cipher(void *unused)
{
	(void)unused;
	return crypt_both_ways("AES-128-CBC", false) ? in : NULL;
}

static void *aead(void *unused)
{
	(void)unused;
	return crypt_both_ways("AES-256-GCM", true) ? in : NULL;
}

static void *digest(void *unused)
{
	LOCAL(EVP_MD) *md = EVP_MD_fetch(lib, "SHA256", ours);
	unsigned len = 0;
	bool ok = md && EVP_Digest(in, LEN, out, &len, md, NULL) && len == 32;

	(void)unused;
	return ok ? in : NULL;
}

/* Not by EVP_Q_mac(): OpenSSL 4.0's hands on a property query, which is the base's to follow. */
static void *mac(void *unused)
{
	char digest[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};
	LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(lib, "HMAC", ours);
	LOCAL(EVP_MAC_CTX) *c = mac ? EVP_MAC_CTX_new(mac) : NULL;
	size_t len = 0;
	bool ok = c && EVP_MAC_init(c, key, sizeof(key), params) && EVP_MAC_update(c, in, LEN) &&
		  EVP_MAC_final(c, out, &len, 64) && len == 32;

	(void)unused;
	return ok ? in : NULL;
}

static size_t touched(const unsigned char *stack, size_t size)
{
	size_t untouched = 0;

	while (untouched < size && stack[untouched] == PAINT)
		untouched++;
	return size - untouched;
}

/* glibc wants 128 KiB on arm64. */
static size_t smallest(void)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);

	return least > STACK ? (size_t)least : STACK;
}

static void in_a_small_thread(const char *what, void *(*work)(void *), size_t row)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = smallest(), used;
	unsigned char *room =
		mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long before = requests(row);
	pthread_attr_t attr;
	pthread_t thread;
	void *result;

	assert_true(room != MAP_FAILED);
	assert_int_equal(mprotect(room, page, PROT_NONE), 0);
	memset(room + page, PAINT, size);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, room + page, size), 0);
	assert_int_equal(pthread_create(&thread, &attr, work, NULL), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, in);
	used = touched(room + page, size);
	print_message("  %s: %zu bytes of stack, all counted\n", what, used);
	assert_in_range(used, 1, STACK);
	if (arguments[1])
		assert_true(requests(row) > before);
	pthread_attr_destroy(&attr);
	munmap(room, page + size);
}

TEST(a_first_cipher_fits)
{
	in_a_small_thread("cipher", cipher, KC_ALG_AES_128_CBC);
}

TEST(a_first_aead_fits)
{
	in_a_small_thread("AEAD", aead, KC_ALG_AES_256_GCM);
}

TEST(a_first_digest_fits)
{
	in_a_small_thread("digest", digest, KC_ALG_SHA256);
}

TEST(a_first_mac_fits)
{
	in_a_small_thread("MAC", mac, KC_ALG_HMAC_SHA256);
}

const struct suite suite = { .arguments = 1, .before_each = load, .after_each = unload };
