/* SPDX-License-Identifier: Apache-2.0 */
/* May this thread try what it has not done before? In a seccomp filter that may be its death. */
#ifndef KC_KERNEL_SANDBOX_H
#define KC_KERNEL_SANDBOX_H

#include <stdbool.h>

/*
 * The module was loaded. @is_trusted: the administrator vouches for the filters that are there now,
 * so they are noted. Only the first call counts.
 */
void kc_sandbox_loaded(bool is_trusted);

/*
 * Is there a filter, and not those that were noted and are trusted? @is_trusted: they are, from now
 * on for the whole process.
 */
bool kc_sandbox_is_shut(bool is_trusted);

/* True if this thread has no filter, or those that were noted and are trusted, and can tell. */
bool kc_sandbox_permits(void);

#endif
