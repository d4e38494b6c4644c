/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the process's descriptors a session may take, and how many. Knows no backend. */
#ifndef KC_KERNEL_DESCRIPTORS_H
#define KC_KERNEL_DESCRIPTORS_H

#include <stdbool.h>

/* Is there room for one more session within a quarter of the process's descriptor limit? */
bool kc_descriptors_left(void);

/*
 * Moves @fd to a number above 2 if necessary: a program that was started without descriptors 0, 1
 * and 2 writes to these numbers all the same. @fd: one of ours, or -errno, which is returned
 * unchanged. If it can't be moved, closes it and returns -errno.
 */
int kc_descriptor_of_ours(int fd);

#endif
