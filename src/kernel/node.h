/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device node and its ioctls, as system calls of our own: libc's are cancellation points, and
 * musl declares ioctl()'s request argument as an int.
 */
#ifndef KC_KERNEL_NODE_H
#define KC_KERNEL_NODE_H

#include "core/backend.h"

/* Returns a descriptor, or -errno. @how: flags of open(). */
int kc_node_open(const char *path, int how);

/* Does the backend's device exist? Opens only its path, and preserves errno. */
bool kc_node_exists(const struct kc_backend *backend, bool thoroughly);

/* Returns 0 or -errno; repeats the ioctl if it was interrupted. */
int kc_node_ask(int fd, unsigned long what, void *arg);

/* Closes it; -1 is fine. */
void kc_node_close(int fd);

#endif
