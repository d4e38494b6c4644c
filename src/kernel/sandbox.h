/* SPDX-License-Identifier: Apache-2.0 */
/* May this thread try something new? Under a seccomp filter, that could kill it. */
#ifndef KC_KERNEL_SANDBOX_H
#define KC_KERNEL_SANDBOX_H

#include <stdbool.h>

/*
 * The module was loaded. @is_trusted: the administrator vouches for the filters that are in force
 * now, so they are noted. Only the first call counts.
 */
void kc_sandbox_loaded(bool is_trusted);

/*
 * Is there a filter other than those that were noted and are trusted, or is there no telling?
 * @is_trusted: trusts these, from now on and for the whole process.
 */
bool kc_sandbox_is_shut(bool is_trusted);

/*
 * True if this thread has no filter, or only those that were noted and are trusted, and can tell.
 */
bool kc_sandbox_permits(void);

#endif
