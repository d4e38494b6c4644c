/* SPDX-License-Identifier: Apache-2.0 */
/* Three backends: one more than the core was made with at first. */
#include "standin/standin.h"

extern const struct kc_backend sample;

KC_BACKEND_LIST(&standin_backend, &standin_other, &sample);
