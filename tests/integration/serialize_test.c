/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's state as bytes, from OpenSSL 4.0 on, over the stand-in: written and read by ours and
 * by the default provider in turn, also in the middle of a message that is kept for the kernel.
 * usage: serialize_test CONFIG
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "diff/row.h"
#include "integration/loaded.h"

#define LEN 70000

static EVP_MD *ours, *theirs;
static EVP_MD_CTX *c, *d; /* a context of each */
static size_t row;
static unsigned char in[LEN], bytes[2][4096];

/* In the middle of a block, at its end, kept for the kernel, too long to be kept. */
static const size_t begins[] = { 0, 5, 64, 144, 5000, LEN };

static void begin(EVP_MD_CTX *ctx, const EVP_MD *md, size_t n)
{
	assert_int_equal(EVP_DigestInit_ex(ctx, md, NULL), 1);
	assert_int_equal(EVP_DigestUpdate(ctx, in, n), 1);
}

static void ends_alike(void)
{
	unsigned char got[EVP_MAX_MD_SIZE], want[EVP_MAX_MD_SIZE];
	unsigned n, m;
	int ok = EVP_DigestUpdate(d, in, 777) && EVP_DigestFinal_ex(d, want, &m);

	assert_int_equal(EVP_DigestUpdate(c, in, 777) && EVP_DigestFinal_ex(c, got, &n), ok);
	if (!ok)
		return;
	assert_int_equal(n, m);
	assert_memory_equal(got, want, n);
}

/* The length of both; 0: this digest has none. */
static size_t write_both(void)
{
	size_t n = 0, m = 0;
	int ok = EVP_MD_CTX_serialize(d, NULL, &m);

	assert_int_equal(EVP_MD_CTX_serialize(c, NULL, &n), ok);
	if (!ok)
		return 0;
	assert_int_equal(n, m);
	assert_true(n <= sizeof(bytes[0]));
	assert_int_equal(EVP_MD_CTX_serialize(d, bytes[1], &m), 1);
	assert_int_equal(EVP_MD_CTX_serialize(c, bytes[0], &n), 1);
	assert_int_equal(n, m);
	assert_memory_equal(bytes[0], bytes[1], n);
	return n;
}

static bool use(const struct kc_alg *alg)
{
	char name[KC_ALG_NAME_SIZE];

	if (alg->kind != KC_DIGEST)
		return false;
	kc_alg_name(alg, name, sizeof(name));
	EVP_MD_free(ours);
	EVP_MD_free(theirs);
	ours = EVP_MD_fetch(lib, name, "provider=kcrypto");
	theirs = EVP_MD_fetch(lib, name, alg->legacy ? "provider=legacy" : "provider=default");
	assert_true(ours && theirs);
	row = (size_t)(alg - kc_algs);
	return true;
}

static size_t written;

/* From ours to the default provider's, and the other way round. */
static void one_digest(size_t n)
{
	size_t len;

	begin(c, ours, n);
	begin(d, theirs, n);
	len = write_both();
	ends_alike();
	if (!len)
		return;
	written++;
	for (size_t i = 0; i < COUNT(begins); i++) {
		begin(c, ours, begins[i]);
		begin(d, theirs, begins[i]);
		assert_int_equal(EVP_MD_CTX_deserialize(c, bytes[1], len), 1);
		assert_int_equal(EVP_MD_CTX_deserialize(d, bytes[0], len), 1);
		ends_alike();
		/* One that is refused. */
		begin(c, ours, begins[i]);
		begin(d, theirs, begins[i]);
		assert_int_equal(EVP_MD_CTX_deserialize(c, bytes[1], len - 1),
				 EVP_MD_CTX_deserialize(d, bytes[0], len - 1));
		ends_alike();
	}
}

TEST(states_are_the_default_providers)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (size_t k = 0; k < COUNT(begins) && use(&kc_algs[i]); k++)
			one_digest(begins[k]);
	/* SHA-2 and SHA-3. */
	assert_true(written >= 8 * COUNT(begins));
	ERR_clear_error();
}

TEST(a_message_after_one_that_was_read_is_the_kernels_again)
{
	unsigned long long before;
	size_t len;

	assert_true(use(kc_alg_find("SHA256", 6)));
	begin(c, ours, 5000);
	begin(d, theirs, 5000);
	len = write_both();
	assert_int_equal(EVP_MD_CTX_deserialize(c, bytes[0], len), 1);
	begin(c, ours, 5000);
	begin(d, theirs, 5000);
	before = requests(row);
	ends_alike();
	assert_int_equal(requests(row), before + 1);
}

static void set_up(void)
{
	for (size_t i = 0; i < LEN; i++)
		in[i] = (unsigned char)(i * 7 + i / 251);
	c = EVP_MD_CTX_new();
	d = EVP_MD_CTX_new();
	assert_true(c && d);
	load();
}

static void tear_down(void)
{
	EVP_MD_CTX_free(c);
	EVP_MD_CTX_free(d);
	EVP_MD_free(ours);
	EVP_MD_free(theirs);
	unload();
}

const struct suite suite = { .arguments = 1, .set_up = set_up, .tear_down = tear_down };
