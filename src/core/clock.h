/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks that measurements are made by. A file of its own, so that a test can bring others. */
#ifndef KC_CORE_CLOCK_H
#define KC_CORE_CLOCK_H

#include <stdint.h>

/* Nanoseconds from some moment on. */
uint64_t kc_now_ns(void);

/* CPU time of this thread, in nanoseconds: what it computes, and what the kernel does for it. */
uint64_t kc_thread_ns(void);

#endif
