/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer to a known question says of a driver, and that it is counted. */
#include "unit/fixture.h"

#include <errno.h>

#include "diff/stats_file.h"
#include "offload/trial.h"
#include "stats/table.h"

/* How often has this been counted for the first backend? */
static uint64_t counted(const struct kc_candidate *c, enum kc_reason why)
{
	const struct kc_stats_row *row = &stats_file_read()->row[c->alg - kc_algs];

	return kc_stats_errors_of(&row->backend[c->backend_number], why);
}

TEST(a_trial_that_failed_is_counted)
{
	struct kc_candidate *c;
	uint64_t before;

	configure("AES-128-CBC", NULL);
	c = policy.row[KC_ALG_AES_128_CBC];
	before = counted(c, KC_REQUEST_FAILED);
	standin.fail_one_in = 5;
	assert_int_equal(kc_trial_one(c, kc_base_get(c->alg)), KC_UNTRIED);
	assert_int_equal(counted(c, KC_REQUEST_FAILED), before + 1);
}

/* Software has sealed it, so it is no forgery. */
TEST(a_genuine_message_that_is_called_bad_is_a_wrong_answer)
{
	static const enum kc_alg_id ids[] = { KC_ALG_AES_128_GCM, KC_ALG_AES_256_CCM,
					      KC_ALG_CHACHA20_POLY1305 };

	for (size_t i = 0; i < COUNT(ids); i++) {
		struct kc_candidate *c;
		uint64_t before;

		configure("ALL", NULL);
		c = policy.row[ids[i]];
		before = counted(c, KC_WRONG_ANSWER);
		/* In the last question that is decrypted, and so after many good ones. */
		standin.fail_one_in = 18;
		standin.fail_errno = EBADMSG;
		assert_int_equal(kc_trial_one(c, kc_base_get(c->alg)), KC_REFUSED);
		assert_int_equal(counted(c, KC_WRONG_ANSWER), before + 1);
	}
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
