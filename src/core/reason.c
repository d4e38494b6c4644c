/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the table. */
#include "core/reason.h"

#include <stddef.h>

const struct kc_reason_text kc_reasons[KC_REASON_COUNT] = {
#define KC_REASON(id, ...) [id] = { __VA_ARGS__ },
#include "core/reasons.def"
#undef KC_REASON
};
