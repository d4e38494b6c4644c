/* SPDX-License-Identifier: Apache-2.0 */
/* What the answer to a known question says of a driver, and that it is counted. */
#include "unit/fixture.h"

#include <errno.h>
#include <string.h>

#include "diff/stats_file.h"
#include "offload/trial.h"
#include "session/session.h"
#include "stats/table.h"

/* How often this error has been counted for the first backend. */
static uint64_t counted(const struct kc_candidate *c, enum kc_stats_error why)
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
	before = counted(c, KC_STATS_REQUEST_FAILED);
	standin.fail_one_in = 5;
	assert_int_equal(kc_trial_one(c, kc_base_get(c->alg)), KC_UNTRIED);
	assert_int_equal(counted(c, KC_STATS_REQUEST_FAILED), before + 1);
}

/* Software has just sealed it, so it is no forgery. */
TEST(a_genuine_message_that_is_called_bad_is_a_wrong_answer)
{
	static const enum kc_alg_id ids[] = { KC_ALG_AES_128_GCM, KC_ALG_AES_256_CCM,
					      KC_ALG_CHACHA20_POLY1305 };

	for (size_t i = 0; i < COUNT(ids); i++) {
		struct kc_candidate *c;
		uint64_t before;

		configure("ALL", NULL);
		c = policy.row[ids[i]];
		before = counted(c, KC_STATS_WRONG_ANSWER);
		/* In the last question that is decrypted, so after many good answers. */
		standin.fail_one_in = 18;
		standin.fail_errno = EBADMSG;
		assert_int_equal(kc_trial_one(c, kc_base_get(c->alg)), KC_REFUSED);
		assert_int_equal(counted(c, KC_STATS_WRONG_ANSWER), before + 1);
	}
}

/*
 * stm32-cryp's CCM is wrong with 65,536 bytes of text and more, and with exactly 65,280 bytes of
 * AAD, as the driver's source shows. A request has less of both: a change of these limits has to
 * exclude that driver in another way.
 */
TEST(an_aeads_requests_stay_below_what_drivers_get_wrong)
{
	static const uint8_t bytes[32] = "a key";
	const struct kc_key with = { .bytes = bytes, .len = 16, .tag_len = 16 };
	struct kc_session session;

	configure("AES-128-CCM:0", NULL);
	kc_session_init(&session);
	assert_int_equal(kc_session_open(&session, policy.row[KC_ALG_AES_128_CCM], &with), 0);
	assert_int_equal(session.limit, 65264);
	assert_int_equal(KC_MAX_AAD, 256);
	kc_session_close(&session);
}

/* What the two sessions of a trial share, and a program's single session does not. */
static uint8_t first_iv[KC_MAX_IV];
static size_t keys_seen, last_key_len;

static bool keeps_the_first_iv(const struct kc_req *req, size_t key_len)
{
	(void)key_len;
	if (first_iv[0] == 0)
		memcpy(first_iv, req->iv, sizeof(first_iv));
	return memcmp(first_iv, req->iv, sizeof(first_iv)) != 0;
}

static uint8_t last_iv[KC_MAX_IV];
static enum kc_dir last_dir;

/* Does not load an IV that it loaded last, although the device has advanced it. */
static bool has_it_already(const struct kc_req *req, size_t key_len)
{
	bool is_same = last_dir == req->dir && memcmp(last_iv, req->iv, sizeof(last_iv)) == 0;

	(void)key_len;
	memcpy(last_iv, req->iv, sizeof(last_iv));
	last_dir = req->dir;
	return is_same;
}

/* Right with the key that was set last, whichever session asks. */
static bool has_room_for_one_key(const struct kc_req *req, size_t key_len)
{
	(void)req;
	keys_seen += key_len != last_key_len;
	last_key_len = key_len;
	return standin.opened - standin.closed == 2 && keys_seen > 3;
}

TEST(what_a_driver_keeps_of_the_last_request_or_session_is_found)
{
	struct kc_candidate *c;

	configure("AES-128-CBC", NULL);
	c = policy.row[KC_ALG_AES_128_CBC];
	memset(first_iv, 0, sizeof(first_iv));
	standin.lies_to = keeps_the_first_iv;
	assert_int_equal(kc_trial_run(c, kc_base_get(c->alg)), KC_WRONG_ANSWER);
	standin_reset();
	memset(last_iv, 0, sizeof(last_iv));
	standin.lies_to = has_it_already;
	assert_int_equal(kc_trial_run(c, kc_base_get(c->alg)), KC_WRONG_ANSWER);
	configure("NONE", NULL);
	load_policy("macs", "HMAC-SHA256", NULL);
	c = policy.row[KC_ALG_HMAC_SHA256];
	keys_seen = last_key_len = 0;
	standin.lies_to = has_room_for_one_key;
	assert_int_equal(kc_trial_run(c, kc_base_get(c->alg)), KC_WRONG_ANSWER);
}

/* The configuration may allow a single session. */
TEST(a_trial_needs_no_second_session)
{
	struct kc_candidate *c;

	configure("AES-128-CBC", NULL);
	load_policy("ciphers", "AES-128-CBC", "max_sessions", "1", NULL);
	c = policy.row[KC_ALG_AES_128_CBC];
	assert_int_equal(kc_trial_run(c, kc_base_get(c->alg)), KC_OK);
	assert_int_equal(standin.opened, standin.closed);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
