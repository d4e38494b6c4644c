/* SPDX-License-Identifier: Apache-2.0 */
/* Has this thread been put in a sandbox since we were loaded? Then a socket may be its death. */
#ifndef KC_KERNEL_SANDBOX_H
#define KC_KERNEL_SANDBOX_H

#include <stdbool.h>

/* Remembers how things are now. Only the first call counts. */
void kc_sandbox_note(void);

/* True if this thread has no more seccomp filters than were noted, and could find that out. */
bool kc_sandbox_as_noted(void);

#endif
