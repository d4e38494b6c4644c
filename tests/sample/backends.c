/* SPDX-License-Identifier: Apache-2.0 */
/* Three: one more than the core was first made with. */
#include "standin/standin.h"

extern const struct kc_backend sample;

KC_BACKEND_LIST(&standin_backend, &standin_other, &sample);
