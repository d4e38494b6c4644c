/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each request is counted for the kernel or for software, the latter with the reason: over the
 * stand-in, with the functions of a process that counts everything.
 */
#include "unit/fixture.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "request/counted.h"
#include "request/hash.h"
#include "diff/stats_file.h"
#include "stats/table.h"

#define ID KC_ALG_AES_128_CBC

struct counts {
	uint64_t kernel, kernel_bytes, open_failed, failed, soft[KC_SOFT_COUNT],
		soft_bytes[KC_SOFT_COUNT];
};

static struct counts counted(enum kc_alg_id id)
{
	const struct kc_stats_row *row = &stats_file_read()->row[id];
	struct kc_stats_sum sum = kc_stats_sum(row);
	struct counts n = {
		.kernel = sum.requests,
		.kernel_bytes = sum.bytes,
		.failed = sum.failed,
		.open_failed = kc_stats_errors_of(&row->backend[0], KC_STATS_OPEN_FAILED),
	};

	for (int i = 0; i < KC_SOFT_COUNT; i++) {
		n.soft[i] = kc_count_read(&row->soft[i].requests);
		n.soft_bytes[i] = kc_count_read(&row->soft[i].bytes);
	}
	return n;
}

static struct counts since(struct counts before)
{
	uint64_t *b = &before.kernel;
	struct counts now = counted(ID);

	for (size_t i = 0; i < sizeof(now) / sizeof(*b); i++)
		(&now.kernel)[i] -= b[i];
	return now;
}

static void feed_counted(struct kc_cipher *c, size_t len, unsigned times)
{
	size_t n = 0;

	for (unsigned i = 0; i < times; i++)
		assert_true(kc_counted_update(c, out, &n, sizeof(out), in, len));
}

/* 15: after so many requests the counters are updated. */
TEST(a_request_below_the_threshold_is_short)
{
	struct counts before = counted(ID);
	LOCAL_CIPHER *c = configured("ALL:1024", ID);

	feed_counted(c, 48, 15);
	before = since(before);
	assert_int_equal(before.soft[KC_SOFT_SMALL], 15);
	assert_int_equal(before.soft_bytes[KC_SOFT_SMALL], 15 * 48);
	assert_int_equal(before.kernel + before.soft[KC_SOFT_NO_SESSION], 0);
}

/* Until the driver has been tried, and the session has earned its price. */
TEST(a_large_one_is_the_kernels_or_has_no_session)
{
	struct counts before = counted(ID), now;
	LOCAL_CIPHER *c = configured("ALL:1024", ID);

	feed_counted(c, 4096, 10);
	now = since(before);
	assert_int_equal(now.soft[KC_SOFT_NO_SESSION], 10);
	assert_int_equal(now.soft_bytes[KC_SOFT_NO_SESSION], 40960);
	for (unsigned i = 0; i < 100000 && since(before).kernel == 0; i++)
		feed_counted(c, 65536, 1);
	now = since(before);
	assert_int_equal(now.kernel, 1);
	assert_int_equal(now.kernel_bytes, 65536);
	feed_counted(c, 65536, 5);
	assert_int_equal(since(before).kernel, 6);
	assert_int_equal(since(before).soft[KC_SOFT_NO_SESSION], now.soft[KC_SOFT_NO_SESSION]);
}

TEST(what_the_kernel_fails_is_done_again)
{
	struct counts before = counted(ID), now;
	LOCAL_CIPHER *c = configured("ALL:0", ID);

	feed_counted(c, 4096, 1);
	standin.fail_one_in = 1;
	feed_counted(c, 4096, 1);
	now = since(before);
	assert_int_equal(now.kernel, 1);
	assert_int_equal(now.failed, 1);
	assert_int_equal(now.soft[KC_SOFT_REDONE], 1);
	assert_int_equal(now.soft_bytes[KC_SOFT_REDONE], 4096);
	assert_int_equal(now.soft[KC_SOFT_SMALL] + now.soft[KC_SOFT_NO_SESSION], 0);
}

TEST(a_session_that_does_not_open_is_an_error)
{
	struct counts before = counted(ID), now;
	LOCAL_CIPHER *c = configured("ALL:0", ID);

	standin.open_errno = ENOMEM;
	feed_counted(c, 4096, 1);
	now = since(before);
	assert_int_equal(now.open_failed, 1);
	assert_int_equal(now.soft[KC_SOFT_NO_SESSION], 1);
	assert_int_equal(now.kernel + now.failed, 0);
}

static uint64_t wrong_answers(void)
{
	return kc_stats_errors_of(&stats_file_read()->row[ID].backend[0], KC_STATS_WRONG_ANSWER);
}

TEST(a_driver_that_fails_its_trial_is_an_error)
{
	uint64_t wrong = wrong_answers();
	struct counts before = counted(ID);
	LOCAL_CIPHER *c = configured("ALL:0", ID);

	standin.lies = true;
	feed_counted(c, 4096, 3);
	assert_int_equal(wrong_answers(), wrong + 1);
	assert_int_equal(since(before).soft[KC_SOFT_NO_SESSION], 3);
}

/*
 * An update of a MAC without any init: the base refuses it, so the result does not depend on
 * chance.
 */
TEST(an_update_before_any_init_counts_its_own_bytes)
{
	const struct kc_base *base = kc_base_get(&kc_algs[KC_ALG_SHA256]);
	struct kc_hash *h = malloc(sizeof(*h));

	memset(h, 0xff, sizeof(*h));
	free(h);
	h = kc_hash_new(base, NULL, base->newctx(base));
	assert_non_null(h);
	kc_counted_hash_update(h, in, 64);
	assert_int_equal(h->seen, 64);
	kc_hash_free(h);
}

TEST(what_asks_for_nothing_is_not_counted)
{
	struct counts before = counted(ID), now;
	LOCAL_CIPHER *c = configured("ALL:0", ID);
	size_t n = 0;

	assert_true(kc_counted_update(c, out, &n, sizeof(out), in, 0));
	now = since(before);
	for (size_t i = 0; i < sizeof(now) / sizeof(now.kernel); i++)
		assert_int_equal((&now.kernel)[i], 0);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
