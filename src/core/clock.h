/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks for measurements, in a file of their own so that a test can substitute others. */
#ifndef KC_CORE_CLOCK_H
#define KC_CORE_CLOCK_H

#include <stdint.h>

/* Returns nanoseconds since a fixed moment. */
uint64_t kc_now_ns(void);

/* Returns this thread's CPU time in nanoseconds, including the kernel's work for it. */
uint64_t kc_thread_ns(void);

#endif
