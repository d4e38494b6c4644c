/* SPDX-License-Identifier: Apache-2.0 */
/* Every reason that users may be given, with its meaning and advice. */
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
	const char *advice; /* NULL if there is none */
};

extern const struct kc_reason_text kc_reasons[KC_REASON_COUNT];

#endif
