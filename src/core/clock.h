/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks used for measurements. A file of its own, so that a test can substitute others. */
#ifndef KC_CORE_CLOCK_H
#define KC_CORE_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some fixed moment. */
uint64_t kc_now_ns(void);

/* CPU time of this thread in nanoseconds, including the kernel's work for it. */
uint64_t kc_thread_ns(void);

#endif
