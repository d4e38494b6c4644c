/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device node and its ioctls, by direct system calls: libc's functions are cancellation points,
 * and musl declares ioctl()'s request argument as an int.
 */
#ifndef KC_KERNEL_NODE_H
#define KC_KERNEL_NODE_H

#include "core/backend.h"

/* Opens a node. Returns a descriptor, or -errno. @how: flags of open(). */
int kc_node_open(const char *path, int how);

/* True if the backend's device exists. Opens only its path, and preserves errno. */
bool kc_node_exists(const struct kc_backend *backend, bool thoroughly);

/* Does an ioctl, again if it was interrupted. 0 or -errno. */
int kc_node_ask(int fd, unsigned long what, void *arg);

/* After the system call failed: does it again if it was interrupted. 0 or -errno. */
int kc_node_ask_again(int fd, unsigned long what, void *arg);

/* Closes a descriptor; -1 is fine. */
void kc_node_close(int fd);

#endif
