/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More bytes than 32 bits can count, over the stand-in: 4 GiB through one context, and more than 4
 * GiB in one call of the provider's own function. 64 MiB of memory are mapped repeatedly. usage:
 * big_test CONFIG
 */
#include "unit/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/base.h"
#include "integration/lives/loaded.h"
#include "local.h"
#include "request/cipher.h"
#include "diff/stats_file.h"
#include "stats/table.h"
#include "standin/standin.h"

#define CHUNK	((size_t)64 * 1024 * 1024)
#define UPDATES 128 /* half of the mapping each: 4 GiB */
/* On 32 bits: as much as fits in an address space of 3 GiB. */
#define MAPPED ((size_t)(sizeof(size_t) > 4 ? 66 : 12))

static const uint8_t key[17] = "0123456789abcdef", iv[17] = "the IV, 16 bytes";
static uint8_t *in, *out; /* MAPPED times the same CHUNK each */

static uint8_t *map_repeatedly(void)
{
	int fd = memfd_create("chunk", MFD_CLOEXEC);
	uint8_t *at = mmap(NULL, MAPPED * CHUNK, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(fd >= 0 && at != MAP_FAILED && ftruncate(fd, CHUNK) == 0);
	for (size_t i = 0; i < MAPPED; i++)
		assert_true(mmap(at + i * CHUNK, CHUNK, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	close(fd);
	return at;
}

static EVP_CIPHER_CTX *context(const char *name, const char *provider, int enc)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_non_null(cipher);
	assert_true(EVP_CipherInit_ex(c, cipher, NULL, key, iv, enc));
	return c;
}

static uint64_t bytes_of(size_t row)
{
	return kc_stats_sum(&stats_file_read()->row[row]).bytes;
}

static void same_update(EVP_CIPHER_CTX *ours, EVP_CIPHER_CTX *theirs, int len)
{
	uint8_t *want = out + CHUNK / 2, *got = out;
	int n, m;

	assert_true(EVP_CipherUpdate(theirs, want, &n, in, len));
	assert_true(EVP_CipherUpdate(ours, got, &m, in, len));
	assert_int_equal(n, m);
	assert_memory_equal(got, want, n);
}

/* When decrypting with padding, the base holds a block back, also after byte 2^32. */
TEST(four_gib_through_one_context_are_right)
{
	LOCAL(EVP_CIPHER_CTX) *ours = context("AES-128-CBC", "provider=kcrypto", 0);
	LOCAL(EVP_CIPHER_CTX) *theirs = context("AES-128-CBC", "provider=default", 0);
	uint64_t before = bytes_of(KC_ALG_AES_128_CBC);

	for (int i = 0; i < UPDATES; i++)
		same_update(ours, theirs, CHUNK / 2);
	for (int i = 0; i < 5; i++)
		same_update(ours, theirs, 100003);
	assert_true(bytes_of(KC_ALG_AES_128_CBC) - before > UINT64_C(1) << 32);
}

/* The output from the counter's value after @blocks on; another context begins there. */
static void tail_of_ctr(uint8_t *want, const uint8_t *from, size_t len, uint64_t blocks)
{
	LOCAL(EVP_CIPHER_CTX) *c = context("AES-128-CTR", "provider=default", 1);
	uint8_t at[16];
	int n;

	memcpy(at, iv, sizeof(at));
	for (size_t i = sizeof(at); i-- > 0 && blocks; blocks >>= 8) {
		blocks += at[i];
		at[i] = (uint8_t)blocks;
	}
	assert_true(EVP_CipherInit_ex(c, NULL, NULL, NULL, at, 1));
	assert_true(EVP_CipherUpdate(c, want, &n, from, (int)len));
}

/* Below EVP, whose lengths are int. */
TEST(more_than_four_gib_in_one_call_are_right)
{
	const struct kc_base *base = kc_base_get(&kc_algs[KC_ALG_AES_128_CTR]);
	struct kc_candidate candidate = {
		.alg = base->alg,
		.backend = kc_backends[0],
		.is_offered = true,
		.max_request = KC_MAX_REQUEST,
		.max_sessions = 1,
		.terms = { .is_fixed = true, .longest = SIZE_MAX, .floor = SIZE_MAX }
	};
	struct kc_cipher *c = kc_cipher_new(base, &candidate);
	size_t len = (MAPPED - 1) * CHUNK + 4096 + 7, n = 0;
	uint64_t before = bytes_of(KC_ALG_AES_128_CTR);
	static uint8_t want[4096 + 7];

	assert_true(base->init(base, c->base_ctx, KC_ENCRYPT, key, iv));
	kc_cipher_started(c, KC_ENCRYPT, key, 16, iv, 16, true);
	assert_true(kc_cipher_update(c, out, &n, len, in, len));
	assert_true(n == len);
	assert_true(bytes_of(KC_ALG_AES_128_CTR) - before == len / 16 * 16);
	tail_of_ctr(want, in + (MAPPED - 1) * CHUNK, sizeof(want), (MAPPED - 1) * CHUNK / 16);
	assert_memory_equal(out + (MAPPED - 1) * CHUNK, want, sizeof(want));
	/* The next byte continues the stream. */
	assert_true(kc_cipher_update(c, out, &n, 1, in + sizeof(want), 1));
	tail_of_ctr(want, in + 4096, 8, ((MAPPED - 1) * CHUNK + 4096) / 16);
	assert_int_equal(out[0] ^ in[sizeof(want)], want[7] ^ in[4096 + 7]);
	kc_cipher_free(c);
}

static void prepare(void)
{
	LOCAL(EVP_CIPHER_CTX) *c = NULL;

	load();
	in = map_repeatedly();
	out = map_repeatedly();
	c = context("AES-128-CTR", "provider=kcrypto", 1);
	for (size_t i = 0; i < CHUNK; i++)
		in[i] = (uint8_t)(i * 7 + i / 1021);
}

static void finish(void)
{
	munmap(in, MAPPED * CHUNK);
	munmap(out, MAPPED * CHUNK);
	unload();
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = finish };
