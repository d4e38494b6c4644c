/* SPDX-License-Identifier: Apache-2.0 */
/* Every reason that a user may be told: what it is, and what can be done about it. */
#ifndef KC_CORE_REASON_H
#define KC_CORE_REASON_H

enum kc_reason {
	KC_OK,
	/* why an algorithm is not offered */
	KC_NEVER,
	KC_NOT_LISTED,
	KC_NO_INTERFACE,
	KC_NO_DRIVER,
	KC_ONLY_SOFTWARE,
	KC_NATURE_UNKNOWN,
	KC_NAMED_DRIVER_ABSENT,
	KC_HARDWARE_HIDDEN,
	KC_LEGACY_INACTIVE,
	KC_NO_BASE,
	KC_ONLY_BY_NAME,
	KC_IN_FILTER,
	KC_NOT_REACHED,
	KC_NOT_BY_ENGINE,
	/* why a driver that was chosen is not used */
	KC_OPEN_FAILED,
	KC_REQUEST_FAILED,
	KC_WRONG_ANSWER,
	KC_LIED,
	KC_NO_ANSWER,
	KC_NO_MEMORY,
	KC_SLOWER,
	/* why the tune file does not count */
	KC_TUNED_ABSENT,
	KC_TUNED_WRITABLE,
	KC_TUNED_DAMAGED,
	KC_TUNED_STALE,
	/* what is wrong with the configuration */
	KC_UNKNOWN_KEY,
	KC_UNKNOWN_ALGORITHM,
	KC_WRONG_LIST,
	KC_BAD_NUMBER,
	KC_BAD_VALUE,
	KC_OUT_OF_RANGE,
	KC_EMPTY,
	KC_REASON_COUNT
};

struct kc_reason_text {
	const char *word;   /* for JSON and scripts: stable */
	const char *text;   /* one line, no full stop */
	const char *advice; /* what the user can do; NULL if nothing */
};

extern const struct kc_reason_text kc_reasons[KC_REASON_COUNT];

#endif
