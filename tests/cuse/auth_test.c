/* SPDX-License-Identifier: Apache-2.0 */
/* CIOCAUTHCRYPT: GCM in place and apart, and the module's refusals. */
#include "cuse/fixture.h"

#include <sys/ioctl.h>

#include <openssl/evp.h>

#define LEN 5000

static uint8_t in[LEN + 16], out[LEN + 16], want[LEN + 16];
static const uint8_t key[32] = "a key that guards nothing here", aad[5000] = "seen by all";

/* By libcrypto: the text in @in, and its tag, to @want. */
static void seal(size_t key_len, size_t aad_len, size_t len, int tag_len)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n = 0;

	assert_true(EVP_EncryptInit_ex(c, key_len == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm(),
				       NULL, key, some_iv));
	assert_true(EVP_EncryptUpdate(c, NULL, &n, aad, (int)aad_len));
	assert_true(EVP_EncryptUpdate(c, want, &n, in, (int)len));
	assert_true(EVP_EncryptFinal_ex(c, want + len, &n));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, want + len));
	EVP_CIPHER_CTX_free(c);
}

static struct crypt_auth_op request(uint32_t sid, uint16_t op, size_t aad_len, size_t len,
				    const uint8_t *src, uint8_t *dst)
{
	return (struct crypt_auth_op){ .ses = sid,
				       .op = op,
				       .len = (uint32_t)len,
				       .auth_len = (uint32_t)aad_len,
				       .auth_src = aad,
				       .src = src,
				       .dst = dst,
				       .iv = (uint8_t *)(uintptr_t)some_iv,
				       .iv_len = 12 };
}

static int answer(struct crypt_auth_op *op)
{
	return ioctl(fd, CIOCAUTHCRYPT, op) == 0 ? 0 : errno;
}

static uint32_t gcm(uint32_t key_len)
{
	uint32_t sid = 0;

	assert_int_equal(raw_session(fd, CRYPTO_AES_GCM, key, key_len, &sid), 0);
	return sid;
}

TEST(text_and_tag_are_one_piece)
{
	static const size_t lengths[] = { 1, 16, 100, LEN }, aads[] = { 0, 13, 4096 };

	for (uint32_t key_len = 16; key_len <= 32; key_len += 16) {
		uint32_t sid = gcm(key_len);

		for (size_t i = 0; i < COUNT(lengths) * COUNT(aads); i++) {
			size_t len = lengths[i % COUNT(lengths)], more = aads[i / COUNT(lengths)];
			struct crypt_auth_op op = request(sid, COP_ENCRYPT, more, len, in, out);

			fill(in, len, (unsigned)len);
			seal(key_len, more, len, 16);
			assert_int_equal(answer(&op), 0);
			assert_int_equal(op.len, len + 16);
			assert_ptr_equal(op.tag, out + len);
			assert_memory_equal(out, want, len + 16);
			op = request(sid, COP_DECRYPT, more, len + 16, out, out);
			assert_int_equal(answer(&op), 0);
			assert_int_equal(op.len, len);
			assert_memory_equal(out, in, len);
		}
	}
}

TEST(a_tag_that_is_bad_is_EBADMSG_and_no_failure)
{
	uint64_t failed = value(FAILED);
	uint32_t sid = gcm(16);
	struct crypt_auth_op op = request(sid, COP_DECRYPT, 13, LEN + 16, want, out);

	fill(in, LEN, 1);
	seal(16, 13, LEN, 16);
	want[LEN + 15] ^= 1;
	assert_int_equal(answer(&op), EBADMSG);
	want[LEN + 15] ^= 1;
	op.auth_len = 12;
	assert_int_equal(answer(&op), EBADMSG);
	op.auth_len = 13;
	assert_int_equal(answer(&op), 0);
	assert_int_equal(value(FAILED), failed);
}

TEST(what_makes_no_sense_is_EINVAL)
{
	uint32_t sid = gcm(16), none;
	struct crypt_auth_op op = request(sid, COP_ENCRYPT, 13, 64, in, out), good = op;

	op.tag_len = 17;
	assert_int_equal(answer(&op), EINVAL);
	op = good;
	op.auth_len = (uint32_t)sysconf(_SC_PAGESIZE) + 1;
	assert_int_equal(answer(&op), EINVAL);
	op = good;
	op.ses = cbc;
	assert_int_equal(answer(&op), EINVAL);
	op = good;
	op.ses = sid ^ 1;
	assert_int_equal(answer(&op), EINVAL);
	op = good;
	op.op = 2;
	assert_int_equal(answer(&op), EINVAL);
	assert_int_equal(raw_session(fd, CRYPTO_AES_GCM, key, 17, &none), EINVAL);
	assert_int_equal(answer(&good), 0);
	/* The length of the tag stays. */
	op = request(sid, COP_ENCRYPT, 13, 64, in, out);
	op.tag_len = 12;
	assert_int_equal(answer(&op), 0);
	op = request(sid, COP_ENCRYPT, 13, 64, in, out);
	assert_int_equal(answer(&op), 0);
	assert_int_equal(op.len, 64 + 12);
}

const struct suite suite = FIXTURE;
