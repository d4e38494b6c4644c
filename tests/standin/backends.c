/* SPDX-License-Identifier: Apache-2.0 */
/* The list, where a program has no other one. */
#include "standin.h"

KC_BACKEND_LIST(&standin_backend, &standin_other);
