/* SPDX-License-Identifier: Apache-2.0 */
/* The list of this build's backends, best first. Generated from the list in meson.build. */
#include "core/backend.h"

extern const struct kc_backend KC_BACKEND_NAMES;

KC_BACKEND_LIST(KC_BACKEND_ADDRESSES);
