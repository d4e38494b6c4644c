/* SPDX-License-Identifier: Apache-2.0 */
/* Every reason that users may be given, with its meaning and advice. */
#ifndef KC_CORE_REASON_H
#define KC_CORE_REASON_H

#include <stdbool.h>

enum kc_reason {
#define KC_REASON(id, ...) id,
#include "core/reasons.def"
#undef KC_REASON
	KC_REASON_COUNT
};

/* What it is said of. */
enum kc_about {
	KC_ABOUT_NOTHING,
	KC_ABOUT_OFFER,	 /* an algorithm that is not offered */
	KC_ABOUT_DRIVER, /* a driver that was chosen and is not used */
	KC_ABOUT_TUNING, /* a tune file that does not count */
	KC_ABOUT_CONFIG, /* a line of the configuration */
};

/*
 * To the doctor: it may well be as it is; something is broken; or a driver is, which also makes
 * list and tune fail.
 */
enum kc_gravity { KC_IS_NOTE, KC_IS_FAULT, KC_IS_DRIVERS_FAULT };

struct kc_reason_text {
	enum kc_about about;
	enum kc_gravity gravity;
	const char *word;   /* for JSON and scripts: stable */
	const char *text;   /* one line, no full stop */
	const char *advice; /* NULL if there is none */
	const char *fix;    /* the doctor's advice; NULL: the same */
};

extern const struct kc_reason_text kc_reasons[KC_REASON_COUNT];

/* Is the driver wrong, or does it hang? */
static inline bool kc_reason_blames_driver(enum kc_reason reason)
{
	return kc_reasons[reason].gravity == KC_IS_DRIVERS_FAULT;
}

#endif
