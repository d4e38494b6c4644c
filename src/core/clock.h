/* SPDX-License-Identifier: Apache-2.0 */
/* The clock that measurements are made by. A file of its own, so that a test can bring another. */
#ifndef KC_CORE_CLOCK_H
#define KC_CORE_CLOCK_H

#include <stdint.h>

/* Nanoseconds from some moment on. */
uint64_t kc_now_ns(void);

#endif
