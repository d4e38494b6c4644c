/* SPDX-License-Identifier: Apache-2.0 */
/* The words for a driver, given the evidence about it. */
#include "cli/evidence/evidence.h"

const char *kc_doer_word(enum kc_doer by)
{
	static const char *const words[] = {
		[KC_DONE_UNTOLD] = NULL,
		[KC_DONE_UNKNOWN] = "unknown",
		[KC_DONE_BY_DEVICE] = "device",
		[KC_DONE_BY_POLLING] = "polled device",
		[KC_DONE_BY_SOFTWARE] = "software",
	};

	return words[by];
}

bool kc_is_at_work(enum kc_doer by)
{
	return by == KC_DONE_BY_DEVICE || by == KC_DONE_BY_POLLING;
}

const char *kc_claim_word(enum kc_nature nature, enum kc_doer by)
{
	if (nature != KC_HARDWARE)
		return kc_nature_word(nature);
	if (by == KC_DONE_BY_SOFTWARE)
		return kc_nature_word(KC_SOFTWARE);
	if (kc_is_at_work(by))
		return kc_nature_word(KC_HARDWARE);
	return "hardware?";
}
