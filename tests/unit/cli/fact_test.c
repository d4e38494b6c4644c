/* SPDX-License-Identifier: Apache-2.0 */
/* What kcrypto tune records of a driver, from what it measured and saw. */
#include "unit/check.h"

#include "cli/tune/tune.h"

#define MEASURED 4096 /* bytes, of each threshold */

/* The candidate of a digest to whose blocks the other candidate belongs. */
static struct kc_candidate whole;
static struct kc_probed probed;
static struct kc_fact fact;

/* Blocks of a driver that was measured; @by did its requests. */
static void setup_blocks(enum kc_doer by)
{
	memset(&fact, 0, sizeof(fact));
	memset(&probed, 0, sizeof(probed));
	probed.candidate.whole = &whole;
	probed.candidate.admit = KC_ADMIT_HARDWARE;
	probed.evidence.by = by;
	for (int k = 0; k < KC_PREFER_COUNT * 2; k++)
		probed.found.threshold[k / 2][k % 2] = MEASURED;
	probed.found.longest = SIZE_MAX;
}

static void assert_thresholds(uint32_t want)
{
	kc_tune_fact(&fact, &probed);
	for (int k = 0; k < KC_PREFER_COUNT * 2; k++)
		assert_int_equal(fact.threshold[k / 2][k % 2], want);
	assert_int_equal(fact.done_by, probed.evidence.by);
}

TEST(blocks_that_are_left_to_software_never_pay)
{
	setup_blocks(KC_DONE_BY_SOFTWARE);
	assert_thresholds(KC_TUNED_NEVER);
}

TEST(blocks_of_a_device_pay_from_what_was_measured)
{
	static const enum kc_doer others[] = { KC_DONE_UNTOLD, KC_DONE_UNKNOWN, KC_DONE_BY_DEVICE,
					       KC_DONE_BY_POLLING };

	for (size_t i = 0; i < COUNT(others); i++) {
		setup_blocks(others[i]);
		assert_thresholds(MEASURED);
	}
}

TEST(whole_messages_are_judged_by_what_was_measured_alone)
{
	setup_blocks(KC_DONE_BY_SOFTWARE);
	probed.candidate.whole = NULL;
	assert_thresholds(MEASURED);
}

TEST(software_that_the_configuration_admits_is_used)
{
	setup_blocks(KC_DONE_BY_SOFTWARE);
	probed.candidate.admit = KC_ADMIT_ALL;
	assert_thresholds(MEASURED);
	setup_blocks(KC_DONE_BY_SOFTWARE);
	probed.candidate.driver_fixed = true;
	assert_thresholds(MEASURED);
}

TEST(a_driver_that_is_refused_has_no_thresholds)
{
	setup_blocks(KC_DONE_BY_DEVICE);
	probed.candidate.reason = KC_WRONG_ANSWER;
	assert_thresholds(0);
	assert_int_equal(fact.reason, KC_WRONG_ANSWER);
}

TEST(a_length_on_which_no_two_passes_agreed_is_told_as_such)
{
	setup_blocks(KC_DONE_BY_DEVICE);
	for (int k = 0; k < KC_PREFER_COUNT * 2; k++)
		probed.found.threshold[k / 2][k % 2] = KC_UNSETTLED;
	assert_thresholds(KC_TUNED_UNSETTLED);
}
