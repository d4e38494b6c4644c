/* SPDX-License-Identifier: Apache-2.0 */
#include "cuse/fixture.h"

#include "cuse/sessions.h"

#include <openssl/evp.h>
#include <stdio.h>

const struct case_row cases[CASES] = {
	{ CRYPTO_AES_CBC, "AES-128-CBC", 16, 16, 16 },
	{ CRYPTO_AES_CBC, "AES-192-CBC", 24, 16, 16 },
	{ CRYPTO_AES_CBC, "AES-256-CBC", 32, 16, 16 },
	{ CRYPTO_AES_CTR, "AES-128-CTR", 16, 1, 16 },
	{ CRYPTO_AES_CTR, "AES-192-CTR", 24, 1, 16 },
	{ CRYPTO_AES_CTR, "AES-256-CTR", 32, 1, 16 },
	{ CRYPTO_AES_ECB, "AES-128-ECB", 16, 16, 0 },
	{ CRYPTO_AES_ECB, "AES-192-ECB", 24, 16, 0 },
	{ CRYPTO_AES_ECB, "AES-256-ECB", 32, 16, 0 },
	{ CRYPTO_3DES_CBC, "DES-EDE3-CBC", 24, 8, 8 },
	{ CRYPTO_AES_XTS, "AES-128-XTS", 32, 16, 16, true },
	{ CRYPTO_AES_XTS, "AES-256-XTS", 64, 16, 16, true },
	{ CRYPTO_AES_CFB, "AES-128-CFB", 16, 1, 16 },
	{ CRYPTO_AES_CFB, "AES-256-CFB", 32, 1, 16 },
	{ CRYPTO_AES_OFB, "AES-128-OFB", 16, 1, 16 },
	{ CRYPTO_AES_OFB, "AES-256-OFB", 32, 1, 16 },
	{ CRYPTO_CAMELLIA_CBC, "CAMELLIA-128-CBC", 16, 16, 16 },
	{ CRYPTO_CAMELLIA_CBC, "CAMELLIA-192-CBC", 24, 16, 16 },
	{ CRYPTO_CAMELLIA_CBC, "CAMELLIA-256-CBC", 32, 16, 16 },
	{ CRYPTO_DES_CBC, "DES-CBC", 8, 8, 8 },
	{ CRYPTO_BLF_CBC, "BF-CBC", 16, 8, 8 },
};

const uint8_t some_key[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+";
const uint8_t some_iv[16] = "\x80\x01\x02\x03\x04\x05\x06\x07\xff\xff\xff\xff\xff\xff\xff\xfe";

int fd;
uint32_t cbc;
static struct control *control;

void fixture_load(void)
{
	sessions_prepare();
	control = control_map(arguments[0], false);
	assert_non_null(control);
}

static void reset(void)
{
	for (enum control_id id = FAIL_AT; id < FILES_OPENED; id++)
		control_set(control, id, 0);
	control_set(control, FAIL_ERRNO, EIO);
	control_set(control, REFUSE_ERRNO, EINVAL);
}

void fixture_begin(void)
{
	reset();
	fd = opened();
	cbc = aes_cbc(fd);
}

void fixture_end(void)
{
	reset();
	close(fd);
}

uint64_t value(enum control_id id)
{
	return control_get(control, id);
}

void command(enum control_id id, uint64_t n)
{
	control_set(control, id, n);
}

int opened(void)
{
	int file = raw_open();

	assert_true(file >= 0);
	return file;
}

uint32_t session(int file, const struct case_row *row)
{
	uint32_t sid = 0;

	assert_int_equal(raw_session(file, row->cipher, some_key, row->key_len, &sid), 0);
	return sid;
}

uint32_t aes_cbc(int file)
{
	return session(file, &cases[0]);
}

void expected(const struct case_row *row, uint16_t op, const uint8_t *in, uint8_t *out, size_t len)
{
	LOCAL(EVP_CIPHER) *evp = EVP_CIPHER_fetch(NULL, row->evp, NULL);
	LOCAL(EVP_CIPHER_CTX) *ctx = EVP_CIPHER_CTX_new();
	int n;

	assert_true(EVP_CipherInit_ex2(ctx, evp, some_key, some_iv, op == COP_ENCRYPT, NULL));
	assert_true(EVP_CIPHER_CTX_set_padding(ctx, 0));
	assert_true(EVP_CipherUpdate(ctx, out, &n, in, (int)len));
	assert_int_equal(n, len);
}

void fill(uint8_t *buf, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
}
