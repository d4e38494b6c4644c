/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that can do less than the kernel: virtio-crypto has no more sessions once 128 keys are
 * set. usage: device_test CONFIG; CONFIG allows more sessions than that.
 */
#include "unit/check.h"

#include "diff/stats_file.h"
#include "integration/live.h"
#include "integration/sessions.h"

#define MANY	 140
#define SESSIONS 128 /* QEMU's device: 256, and the driver makes one for each direction */

TEST(contexts_that_the_device_has_no_session_for_are_softwares)
{
	EVP_CIPHER_CTX *c[MANY];
	unsigned long long before;
	size_t n;

	live_make(c, MANY);
	n = sessions().n;
	assert_true(n >= SESSIONS - 8 && n <= SESSIONS);
	before = requests(KC_ALG_AES_128_CBC);
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < MANY; i++)
			assert_true(live_is_right(c[i]));
	assert_int_equal(requests(KC_ALG_AES_128_CBC) - before, 2 * n);
	assert_int_equal(redone(KC_ALG_AES_128_CBC), 0);
	/* The last one was left out; as soon as there is room it is not. */
	live_free(c, MANY - 1);
	before = requests(KC_ALG_AES_128_CBC);
	for (int i = 0; i < 1000 && requests(KC_ALG_AES_128_CBC) == before; i++)
		assert_true(live_is_right(c[MANY - 1]));
	assert_true(requests(KC_ALG_AES_128_CBC) > before);
	EVP_CIPHER_CTX_free(c[MANY - 1]);
	assert_int_equal(sessions().n, 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	stats_file_make();
	live_prepare();
	live_load(argv[1]);
	return check_main(argc, argv);
}
