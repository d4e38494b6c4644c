/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each reason of core/reason.h: how bad it is, and the command that mends it; NULL: the advice
 * that the reason itself gives.
 */
#include "cli/doctor/doctor.h"

#include <stdio.h>

#define TUNE "sudo kcrypto tune"
#define KEYS "correct it as in kcrypto-provider(7), then: kcrypto config check"

static const struct {
	enum kc_state state;
	const char *mend;
} rows[KC_REASON_COUNT] = {
	[KC_OK] = { KC_STATE_OK, "" },

	[KC_NEVER] = { KC_STATE_BROKEN, NULL },
	[KC_NOT_LISTED] = { KC_STATE_NOTE, NULL },
	[KC_NO_INTERFACE] = { KC_STATE_NOTE, "see the lines af_alg and devcrypto" },
	[KC_NO_DRIVER] = { KC_STATE_NOTE, NULL },
	[KC_ONLY_SOFTWARE] = { KC_STATE_NOTE, NULL },
	[KC_NATURE_UNKNOWN] = { KC_STATE_BROKEN, NULL },
	[KC_NAMED_DRIVER_ABSENT] = { KC_STATE_BROKEN, NULL },
	[KC_HARDWARE_HIDDEN] = { KC_STATE_BROKEN, NULL },
	[KC_LEGACY_INACTIVE] = { KC_STATE_NOTE, NULL },
	[KC_NO_BASE] = { KC_STATE_NOTE, NULL },
	[KC_ONLY_BY_NAME] = { KC_STATE_NOTE, NULL },
	[KC_IN_FILTER] = { KC_STATE_BROKEN, NULL },
	[KC_NOT_REACHED] = { KC_STATE_BROKEN, "see the lines from file to module" },
	[KC_NOT_BY_ENGINE] = { KC_STATE_NOTE, "kcrypto config convert" },

	[KC_OPEN_FAILED] = { KC_STATE_BROKEN, NULL },
	[KC_REQUEST_FAILED] = { KC_STATE_BROKEN, NULL },
	[KC_WRONG_ANSWER] = { KC_STATE_BROKEN, NULL },
	[KC_LIED] = { KC_STATE_BROKEN, NULL },
	[KC_NO_ANSWER] = { KC_STATE_BROKEN, NULL },
	[KC_NO_MEMORY] = { KC_STATE_BROKEN, "free memory, and run kcrypto doctor again" },
	[KC_SLOWER] = { KC_STATE_NOTE, "leave it so: software is the better choice here" },

	[KC_TUNED_ABSENT] = { KC_STATE_NOTE, TUNE },
	[KC_TUNED_WRITABLE] = { KC_STATE_BROKEN, NULL },
	[KC_TUNED_DAMAGED] = { KC_STATE_BROKEN, TUNE },
	[KC_TUNED_STALE] = { KC_STATE_NOTE, TUNE },

	[KC_UNKNOWN_KEY] = { KC_STATE_BROKEN, KEYS },
	[KC_UNKNOWN_ALGORITHM] = { KC_STATE_BROKEN, KEYS },
	[KC_WRONG_LIST] = { KC_STATE_BROKEN, KEYS },
	[KC_BAD_NUMBER] = { KC_STATE_BROKEN, KEYS },
	[KC_BAD_VALUE] = { KC_STATE_BROKEN, KEYS },
	[KC_OUT_OF_RANGE] = { KC_STATE_BROKEN, KEYS },
	[KC_EMPTY] = { KC_STATE_BROKEN, KEYS },
};

void kc_find_reason(struct kc_exam *exam, const char *subject, enum kc_reason reason)
{
	const struct kc_reason_text *r = &kc_reasons[reason];
	char text[512];

	snprintf(text, sizeof(text), "%s: %s", subject, r->text);
	kc_find_as(exam, rows[reason].state, r->word, text,
		   rows[reason].mend ? rows[reason].mend : r->advice);
}
