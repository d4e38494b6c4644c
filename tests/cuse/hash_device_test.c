/* SPDX-License-Identifier: Apache-2.0 */
/* The device's hashes: right answers, and refusals. */
#include "cuse/fixture.h"

#include <openssl/evp.h>

#include "cuse/sessions.h"

static uint8_t in[LARGEST + 64], out[MAX_HASH + 1], want[MAX_HASH];

static int open_hash(uint32_t mac, const uint8_t *key, uint32_t key_len, uint32_t *sid)
{
	struct session_op op = { .mac = mac, .mackey = key, .mackeylen = key_len };

	if (ioctl(fd, CIOCGSESSION, &op) != 0)
		return errno;
	*sid = op.ses;
	return 0;
}

static int run(uint32_t sid, const uint8_t *src, size_t len, uint8_t *mac)
{
	struct crypt_op op = { .ses = sid, .len = (uint32_t)len, .src = src, .mac = mac };

	return ioctl(fd, CIOCCRYPT, &op) == 0 ? 0 : errno;
}

static void expect(const struct hash *hash, bool is_hmac, const uint8_t *src, size_t len)
{
	size_t n = 0;

	if (is_hmac)
		assert_non_null(EVP_Q_mac(NULL, "HMAC", NULL, hash->evp, NULL, some_key, 20, src,
					  len, want, sizeof(want), &n));
	else
		assert_true(EVP_Q_digest(NULL, hash->evp, NULL, src, len, want, &n));
	assert_int_equal(n, hash->size);
}

static uint32_t session_of(const struct hash *hash, bool is_hmac)
{
	uint32_t sid = 0;

	assert_int_equal(
		open_hash(is_hmac ? hash->hmac_id : hash->id, some_key, is_hmac ? 20 : 0, &sid), 0);
	return sid;
}

TEST(every_hash_gives_what_libcrypto_gives)
{
	static const size_t lens[] = { 0, 1, 64, 4097, LARGEST };

	fill(in, sizeof(in), 1);
	for (size_t i = 0; i < 2 * HASHES; i++) {
		const struct hash *hash = &hashes[i / 2];
		uint32_t sid = session_of(hash, i % 2);

		for (size_t n = 0; n < 2 * COUNT(lens); n++) {
			const uint8_t *src = in + n % 2 * 3;

			memset(out, 0xee, sizeof(out));
			expect(hash, i % 2, src, lens[n / 2]);
			assert_int_equal(run(sid, src, lens[n / 2], out), 0);
			assert_memory_equal(out, want, hash->size);
			assert_int_equal(out[hash->size], 0xee);
		}
		assert_int_equal(raw_end(fd, sid), 0);
	}
}

TEST(a_session_names_the_driver_of_its_hash)
{
	struct session_info_op info = { .ses = 0 };

	info.ses = session_of(&hashes[3], true);
	assert_int_equal(ioctl(fd, CIOCGSESSINFO, &info), 0);
	assert_string_equal(info.hash_info.cra_name, "hmac(sha256)");
	assert_string_equal(info.hash_info.cra_driver_name, "mv-hmac-sha256");
	assert_string_equal(info.cipher_info.cra_name, "");
}

TEST(what_the_module_refuses_or_dies_of_is_refused)
{
	static uint8_t long_key[CRYPTO_HMAC_MAX_KEY_LEN + 1];
	uint64_t invalid = value(INVALID);
	uint32_t sid = 0;
	struct crypt_op op;

	assert_int_equal(open_hash(99, NULL, 0, &sid), EINVAL);
	assert_int_equal(open_hash(CRYPTO_AES_CBC, NULL, 0, &sid), EINVAL);
	assert_int_equal(open_hash(CRYPTO_SHA1_HMAC, long_key, sizeof(long_key), &sid), EINVAL);
	assert_int_equal(open_hash(CRYPTO_SHA1_HMAC, NULL, 5, &sid), EINVAL);
	assert_int_equal(open_hash(CRYPTO_SHA1_HMAC, long_key, sizeof(long_key) - 1, &sid), 0);
	assert_int_equal(run(sid, NULL, 10, out), EFAULT);
	assert_int_equal(run(sid, in, 10, NULL), EFAULT);
	op = (struct crypt_op){
		.ses = sid, .op = COP_DECRYPT, .len = 10, .src = in, .dst = in, .mac = out
	};
	assert_int_not_equal(ioctl(fd, CIOCCRYPT, &op), 0);
	assert_int_equal(value(INVALID), invalid + 7);
}

const struct suite suite = FIXTURE;
