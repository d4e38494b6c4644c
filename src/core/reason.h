/* SPDX-License-Identifier: Apache-2.0 */
/* Every reason that a user may be told: what it is, and what can be done about it. */
#ifndef KC_CORE_REASON_H
#define KC_CORE_REASON_H

enum kc_reason {
#define KC_REASON(id, ...) id,
#include "core/reasons.def"
#undef KC_REASON
	KC_REASON_COUNT
};

struct kc_reason_text {
	const char *word;   /* for JSON and scripts: stable */
	const char *text;   /* one line, no full stop */
	const char *advice; /* what the user can do; NULL if nothing */
};

extern const struct kc_reason_text kc_reasons[KC_REASON_COUNT];

#endif
