/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS records in CBC mode, requested as libssl does: on the default provider and on ours, with
 * right and with broken padding, compared byte by byte. usage: records_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

#include "diff/diff.h"
#include "integration/loaded.h"

#define ROUNDS 400 /* pairs of contexts a cipher, of 8 records each */
#define ROOM   (20 * 1024)

struct side {
	EVP_CIPHER_CTX *ctx;
	unsigned char buf[ROOM];
	int ok, len;
};

static struct random rng;
static struct side ours, theirs;
static unsigned version, block;
static size_t mac_len;

static void set_tls(EVP_CIPHER_CTX *ctx)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_len),
		OSSL_PARAM_construct_end(),
	};

	assert_true(EVP_CIPHER_CTX_set_params(ctx, params));
}

static void start(struct side *s, const EVP_CIPHER *cipher, const unsigned char *key,
		  const unsigned char *iv, int enc)
{
	s->ctx = EVP_CIPHER_CTX_new();
	assert_true(EVP_CipherInit_ex(s->ctx, cipher, NULL, key, iv, enc));
	set_tls(s->ctx);
}

static void run(struct side *s, const unsigned char *record, size_t len)
{
	memcpy(s->buf, record, len);
	memset(s->buf + len, 0, ROOM - len);
	s->len = -1;
	ERR_clear_error();
	s->ok = EVP_CipherUpdate(s->ctx, s->buf, &s->len, s->buf, (int)len);
	if (s->ok > 0)
		assert_int_equal(ERR_peek_error(), 0);
}

static void assert_same(size_t len)
{
	assert_int_equal(ours.ok, theirs.ok);
	if (ours.ok > 0)
		assert_int_equal(ours.len, theirs.len);
	assert_memory_equal(ours.buf, theirs.buf, len);
}

static const unsigned char *mac_of(const struct side *s)
{
	void *mac = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac, mac_len),
		OSSL_PARAM_construct_end(),
	};

	assert_true(EVP_CIPHER_CTX_get_params(s->ctx, params));
	return mac;
}

/* In short ones the padding is all there is. */
static size_t random_length(void)
{
	static const size_t most[] = { 40, 400, 700, 2000, 17000 };

	return block + random_below(&rng, most[random_below(&rng, COUNT(most))]);
}

static void encrypt_one(void)
{
	unsigned char record[ROOM];
	size_t len = random_length();

	random_bytes(&rng, record, len);
	run(&ours, record, len);
	run(&theirs, record, len);
	assert_same(len + block);
}

/*
 * Data from a peer: text, MAC and padding by an ordinary cipher; or with a wrong padding, which
 * must reveal nothing except that the MAC is wrong.
 */
static void decrypt_one(EVP_CIPHER_CTX *peer)
{
	unsigned char record[ROOM];
	size_t len = random_length() + mac_len, pad = block - len % block;
	bool is_broken = random_below(&rng, 4) == 0;
	int n;

	if (version != SSL3_VERSION)
		pad += block * random_below(&rng, (256 - pad) / block + 1);
	random_bytes(&rng, record, len);
	memset(record + len, (int)pad - 1, pad);
	if (is_broken)
		record[len + pad - 1 - random_below(&rng, pad)] ^= 1 + random_below(&rng, 255);
	len += pad;
	assert_true(EVP_CipherUpdate(peer, record, &n, record, (int)len));
	assert_int_equal(n, len);
	if (random_below(&rng, 50) == 0) {
		len -= 1 + random_below(&rng, block); /* no whole blocks, or another last one */
		is_broken = true;
	}
	run(&ours, record, len);
	run(&theirs, record, len);
	assert_same(len);
	/* After a wrong padding there are random bytes instead of the MAC. */
	if (ours.ok > 0 && mac_len && !is_broken)
		assert_memory_equal(mac_of(&ours), mac_of(&theirs), mac_len);
	if (len % block)
		assert_true(EVP_CipherInit_ex(peer, NULL, NULL, NULL, record, -1) &&
			    EVP_CipherInit_ex(ours.ctx, NULL, NULL, NULL, record, -1) &&
			    EVP_CipherInit_ex(theirs.ctx, NULL, NULL, NULL, record, -1));
}

static void play(const EVP_CIPHER *of_ours, const EVP_CIPHER *of_theirs)
{
	static const unsigned versions[] = { SSL3_VERSION, TLS1_VERSION, TLS1_1_VERSION,
					     TLS1_2_VERSION, DTLS1_2_VERSION };
	static const size_t mac_lens[] = { 0, 16, 20, 32, 48 };
	int enc = (int)random_below(&rng, 2);
	unsigned char key[64], iv[16];
	EVP_CIPHER_CTX *peer = EVP_CIPHER_CTX_new();

	version = versions[random_below(&rng, COUNT(versions))];
	mac_len = mac_lens[random_below(&rng, COUNT(mac_lens))];
	random_bytes(&rng, key, sizeof(key));
	random_bytes(&rng, iv, sizeof(iv));
	start(&ours, of_ours, key, iv, enc);
	start(&theirs, of_theirs, key, iv, enc);
	assert_true(EVP_EncryptInit_ex(peer, of_theirs, NULL, key, iv));
	EVP_CIPHER_CTX_set_padding(peer, 0);
	if (random_below(&rng, 30) == 0) { /* refused */
		EVP_CIPHER_CTX_set_padding(ours.ctx, 0);
		EVP_CIPHER_CTX_set_padding(theirs.ctx, 0);
	}
	/* A record that fails is the end of a connection. */
	for (int i = 0; i < 8 && (i == 0 || ours.ok > 0); i++) {
		if (enc)
			encrypt_one();
		else
			decrypt_one(peer);
	}
	EVP_CIPHER_CTX_free(peer);
	EVP_CIPHER_CTX_free(ours.ctx);
	EVP_CIPHER_CTX_free(theirs.ctx);
}

TEST(records_are_what_the_default_provider_makes_of_them)
{
	static const char *const names[] = { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC",
					     "DES-EDE3-CBC" };
	size_t offered = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		EVP_CIPHER *of_ours = EVP_CIPHER_fetch(lib, names[i], "provider=kcrypto");
		EVP_CIPHER *of_theirs = EVP_CIPHER_fetch(lib, names[i], "provider=default");
		size_t row = (size_t)(kc_alg_find(names[i], strlen(names[i])) - kc_algs);

		if (of_ours) {
			unsigned long long before = requests(row);

			block = (unsigned)EVP_CIPHER_get_block_size(of_ours);
			for (int n = 0; n < ROUNDS; n++)
				play(of_ours, of_theirs);
			print_message("  %s: %llu requests\n", names[i], requests(row) - before);
			/* If requests fail on purpose, a driver may not survive its trial. */
			assert_true(getenv("KC_STANDIN_FAIL") || requests(row) - before > ROUNDS);
			offered++;
		}
		EVP_CIPHER_free(of_ours);
		EVP_CIPHER_free(of_theirs);
	}
	assert_true(offered > 0);
}

static void prepare(void)
{
	rng.state = arguments[1] ? strtoull(arguments[1], NULL, 0) : (uint64_t)getpid();
	print_message("  seed %llu\n", (unsigned long long)rng.state);
	load();
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = unload };
