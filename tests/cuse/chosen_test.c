/* SPDX-License-Identifier: Apache-2.0 */
/* A device that calls itself software, has three ciphers, and copies buffers not aligned to 16. */
#include "cuse/fixture.h"

static uint8_t buf[64] __attribute__((aligned(16)));
/* Two pages of the largest, of 64 KiB. */
#define ROOM (2 * 65536 + 16)

static uint8_t in[ROOM] __attribute__((aligned(16))), out[ROOM] __attribute__((aligned(16)));
static uint8_t want[ROOM];

TEST(what_was_chosen_is_what_a_session_tells)
{
	struct session_info_op aes = { .ses = cbc };
	struct session_info_op des = { .ses = session(fd, &cases[DES3]) };

	assert_int_equal(ioctl(fd, CIOCGSESSINFO, &aes), 0);
	assert_int_equal(ioctl(fd, CIOCGSESSINFO, &des), 0);
	assert_string_equal(aes.cipher_info.cra_driver_name, "x-aes.cbc");
	assert_string_equal(des.cipher_info.cra_driver_name, "x-tdes.cbc");
	assert_int_equal(aes.flags, 0);
	assert_int_equal(aes.alignmask, 15);
}

TEST(a_cipher_left_out_is_unknown)
{
	uint32_t sid;

	assert_int_equal(raw_session(fd, CRYPTO_AES_CTR, some_key, 16, &sid), EINVAL);
	assert_int_equal(raw_session(fd, CRYPTO_AES_ECB, some_key, 16, &sid), EINVAL);
}

TEST(that_data_was_copied_is_noted)
{
	for (unsigned off = 0; off < 2; off++) {
		struct crypt_op op = {
			.ses = cbc, .len = 32, .src = buf, .dst = buf + off, .iv = (void *)some_iv
		};

		assert_int_equal(ioctl(fd, CIOCCRYPT, &op), 0);
		assert_int_equal(op.flags, off ? COP_FLAG_NO_ZC : 0);
	}
}

/* By pages: what can be divided is right all the same, and of XTS the first page. */
TEST(of_a_unit_of_xts_that_is_copied_only_the_first_page_is_right)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), len = 2 * page;
	const struct {
		size_t row, off, right;
	} rows[] = {
		{ AES_XTS, 0, len },
		{ AES_XTS, 1, page },
		{ AES_CBC, 0, len },
		{ AES_CBC, 1, len },
	};

	fill(in, sizeof(in), 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct case_row *row = &cases[rows[i].row];
		uint32_t sid = session(fd, row);
		size_t off = rows[i].off, right = 0;

		expected(row, COP_ENCRYPT, in + off, want, len);
		assert_int_equal(raw_crypt(fd, sid, COP_ENCRYPT, some_iv, in + off, out + off, len),
				 0);
		while (right < len && out[off + right] == want[right])
			right++;
		assert_in_range(right, rows[i].right, rows[i].right + 2);
	}
}

const struct suite suite = FIXTURE;
