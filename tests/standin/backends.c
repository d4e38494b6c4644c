/* SPDX-License-Identifier: Apache-2.0 */
/* The list of backends, for a program that has no other one. */
#include "standin.h"

KC_BACKEND_LIST(&standin_backend, &standin_other);
