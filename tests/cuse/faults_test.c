/* SPDX-License-Identifier: Apache-2.0 */
/* The device's faults on command: each does what it says, and no more. */
#include "cuse/fixture.h"

#include <pthread.h>
#include <time.h>

static uint8_t in[4096], out[4096], want[4096];

static int request(size_t len)
{
	memset(out, 0xee, sizeof(out));
	return raw_crypt(fd, cbc, COP_ENCRYPT, some_iv, in, out, len);
}

static bool right(size_t len)
{
	expected(&cases[0], COP_ENCRYPT, in, want, len);
	return memcmp(out, want, len) == 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

TEST(the_request_of_a_number_fails_and_nothing_is_written)
{
	uint64_t failed = value(FAILED), bytes = value(BYTES);

	command(FAIL_AT, value(REQUESTS) + 2);
	assert_int_equal(request(64), 0);
	assert_int_equal(request(64), EIO);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 0xee);
	assert_int_equal(request(64), 0);
	assert_true(right(64));
	assert_int_equal(value(FAILED) - failed, 1);
	assert_int_equal(value(BYTES) - bytes, 128);
}

TEST(every_nth_request_fails_with_the_errno_chosen)
{
	uint64_t failed = value(FAILED);

	command(FAIL_ERRNO, ENOMEM);
	command(FAIL_EVERY, 3);
	while (value(REQUESTS) % 3)
		request(16);
	failed = value(FAILED);
	for (int i = 1; i <= 12; i++)
		assert_int_equal(request(16), i % 3 ? 0 : ENOMEM);
	assert_int_equal(value(FAILED) - failed, 4);
}

TEST(a_failed_request_leaves_the_sessions_iv)
{
	fill(in, 64, 3);
	expected(&cases[0], COP_ENCRYPT, in, want, 64);
	assert_int_equal(raw_crypt(fd, cbc, COP_ENCRYPT, some_iv, in, out, 32), 0);
	command(FAIL_AT, value(REQUESTS) + 1);
	assert_int_equal(raw_crypt(fd, cbc, COP_ENCRYPT, NULL, in + 32, out + 32, 32), EIO);
	assert_int_equal(raw_crypt(fd, cbc, COP_ENCRYPT, NULL, in + 32, out + 32, 32), 0);
	assert_memory_equal(out, want, 64);
}

TEST(sessions_are_refused_from_a_number_on)
{
	uint64_t live = value(SESSIONS_LIVE);
	uint32_t other;

	command(REFUSE_FROM, value(SESSIONS_ASKED) + 2);
	aes_cbc(fd);
	for (int i = 0; i < 3; i++)
		assert_int_equal(raw_session(fd, CRYPTO_AES_CBC, some_key, 16, &other), EINVAL);
	assert_int_equal(request(16), 0);
	command(REFUSE_FROM, 1);
	command(REFUSE_ERRNO, ENOMEM);
	assert_int_equal(raw_session(fd, CRYPTO_AES_CBC, some_key, 16, &other), ENOMEM);
	assert_int_equal(value(SESSIONS_LIVE) - live, 1);
	command(REFUSE_FROM, 0);
	aes_cbc(fd);
}

TEST(no_more_sessions_than_so_many_are_open_at_a_time)
{
	uint32_t other;

	command(MAX_LIVE, value(SESSIONS_LIVE) + 1);
	aes_cbc(fd);
	assert_int_equal(raw_session(fd, CRYPTO_AES_CBC, some_key, 16, &other), EINVAL);
	assert_int_equal(raw_end(fd, cbc), 0);
	aes_cbc(fd);
	assert_int_equal(raw_session(fd, CRYPTO_AES_CBC, some_key, 16, &other), EINVAL);
}

TEST(the_file_does_not_open)
{
	uint64_t files = value(FILES_OPENED);

	command(OPEN_ERRNO, EMFILE);
	assert_int_equal(raw_open(), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(value(FILES_OPENED) - files, 0);
	command(OPEN_ERRNO, 0);
	close(opened());
	assert_int_equal(value(FILES_OPENED) - files, 1);
}

TEST(one_bit_is_wrong_from_a_number_on)
{
	uint64_t corrupted = value(CORRUPTED), failed = value(FAILED);

	command(CORRUPT_FROM, value(REQUESTS) + 2);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(request(64), 0);
		assert_int_equal(right(64), i < 2);
	}
	assert_int_equal(value(CORRUPTED) - corrupted, 2);
	assert_int_equal(value(FAILED) - failed, 0);
	command(CORRUPT_FROM, 0);
	assert_int_equal(request(64), 0);
	assert_true(right(64));
}

TEST(one_bit_is_wrong_in_requests_of_one_length)
{
	uint64_t corrupted = value(CORRUPTED);

	command(CORRUPT_LEN, 4096);
	assert_int_equal(request(64), 0);
	assert_true(right(64));
	assert_int_equal(request(4096), 0);
	assert_false(right(4096));
	command(CORRUPT_FROM, value(REQUESTS) + 2);
	assert_int_equal(request(4096), 0);
	assert_true(right(4096));
	assert_int_equal(request(4096), 0);
	assert_false(right(4096));
	assert_int_equal(value(CORRUPTED) - corrupted, 2);
}

static void *delayed(void *unused)
{
	static const uint8_t data[16];
	uint8_t result[16];
	int file = raw_open();
	uint32_t sid;

	(void)unused;
	if (raw_session(file, CRYPTO_AES_CBC, some_key, 16, &sid) != 0 ||
	    raw_crypt(file, sid, COP_ENCRYPT, some_iv, data, result, 16) != 0)
		return NULL;
	close(file);
	return &delayed;
}

/* How long four requests take that are made at once. */
static double four_requests(void)
{
	pthread_t threads[4];
	double start = seconds();

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, delayed, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *done;

		assert_int_equal(pthread_join(threads[i], &done), 0);
		assert_non_null(done);
	}
	return seconds() - start;
}

/* One after the other they would take four seconds, however often; at once, no less than one. */
TEST(requests_take_their_time_each_in_its_own_session)
{
	double least = 4;

	command(DELAY_MS, 1000);
	for (int i = 0; i < 100 && least >= 4; i++)
		least = four_requests();
	print_message("  %.2f s\n", least);
	assert_true(least >= 1 && least < 4);
}

const struct suite suite = FIXTURE;
