/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which descriptors a session may take of its process, and how many. Knows no backend.
 */
#ifndef KC_KERNEL_DESCRIPTORS_H
#define KC_KERNEL_DESCRIPTORS_H

#include <stdbool.h>

/* With the session that is being opened no more than a quarter of all that there may be. */
bool kc_descriptors_left(void);

/*
 * The same open file, never as 0, 1 or 2: a program that was started without these writes to them
 * all the same. @fd: one of ours, or -errno, which comes back. Closes it and says -errno if it
 * can't.
 */
int kc_descriptor_of_ours(int fd);

#endif
