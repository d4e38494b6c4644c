/* SPDX-License-Identifier: Apache-2.0 */
/* Every reason that a user may be given, with its text and advice. */
#ifndef KC_CORE_REASON_H
#define KC_CORE_REASON_H

#include <stdbool.h>

enum kc_reason {
#define KC_REASON(id, ...) id,
#include "core/reasons.def"
#undef KC_REASON
	KC_REASON_COUNT
};

/* The thing that a reason is about. */
enum kc_about {
	KC_ABOUT_NOTHING,
	KC_ABOUT_OFFER,	 /* an algorithm that is not offered */
	KC_ABOUT_DRIVER, /* a driver that was chosen and is not used */
	KC_ABOUT_TUNING, /* a tune file that does not count */
	KC_ABOUT_CONFIG, /* a line of the configuration */
};

/*
 * How the doctor ranks it: nothing need be wrong; something is broken; or a driver is, which makes
 * list and tune fail, too.
 */
enum kc_gravity { KC_IS_NOTE, KC_IS_FAULT, KC_IS_DRIVERS_FAULT };

struct kc_reason_text {
	enum kc_about about;
	enum kc_gravity gravity;
	const char *word;   /* for JSON and scripts: stable */
	const char *text;   /* one line, no full stop */
	const char *advice; /* NULL if there is none */
	const char *fix;    /* the doctor's advice; NULL: the same as advice */
};

extern const struct kc_reason_text kc_reasons[KC_REASON_COUNT];

/* True if the reason is a driver that is wrong or hangs. */
static inline bool kc_reason_blames_driver(enum kc_reason reason)
{
	return kc_reasons[reason].gravity == KC_IS_DRIVERS_FAULT;
}

#endif
