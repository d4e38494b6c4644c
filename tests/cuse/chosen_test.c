/* SPDX-License-Identifier: Apache-2.0 */
/* A device that says it is software, has two ciphers and copies what is not aligned to 16. */
#include "cuse/fixture.h"

static uint8_t buf[64] __attribute__((aligned(16)));

static void what_was_chosen_is_what_a_session_tells(void **state)
{
	int fd = opened();
	struct session_info_op aes = { .ses = aes_cbc(fd) };
	struct session_info_op des = { .ses = session(fd, &cases[CASES - 1]) };

	(void)state;
	assert_int_equal(ioctl(fd, CIOCGSESSINFO, &aes), 0);
	assert_int_equal(ioctl(fd, CIOCGSESSINFO, &des), 0);
	assert_string_equal(aes.cipher_info.cra_driver_name, "x-aes.cbc");
	assert_string_equal(des.cipher_info.cra_driver_name, "x-tdes.cbc");
	assert_int_equal(aes.flags, 0);
	assert_int_equal(aes.alignmask, 15);
	close(fd);
}

static void a_cipher_left_out_is_unknown(void **state)
{
	int fd = opened();
	uint32_t sid;

	(void)state;
	assert_int_equal(raw_session(fd, CRYPTO_AES_CTR, some_key, 16, &sid), EINVAL);
	assert_int_equal(raw_session(fd, CRYPTO_AES_ECB, some_key, 16, &sid), EINVAL);
	close(fd);
}

static void that_data_was_copied_is_noted(void **state)
{
	int fd = opened();
	uint32_t sid = aes_cbc(fd);

	(void)state;
	for (unsigned off = 0; off < 2; off++) {
		struct crypt_op op = {
			.ses = sid, .len = 32, .src = buf, .dst = buf + off, .iv = (void *)some_iv
		};

		assert_int_equal(ioctl(fd, CIOCCRYPT, &op), 0);
		assert_int_equal(op.flags, off ? COP_FLAG_NO_ZC : 0);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_chosen_is_what_a_session_tells),
		cmocka_unit_test(a_cipher_left_out_is_unknown),
		cmocka_unit_test(that_data_was_copied_is_noted),
	};

	fixture_load(argc, argv);
	return cmocka_run_group_tests_name("chosen", tests, NULL, NULL);
}
