/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the process's descriptors a session may take, how many, and which one is its own. */
#ifndef KC_SESSION_DESCRIPTORS_H
#define KC_SESSION_DESCRIPTORS_H

#include "core/backend.h"

/* Is there room for one more session within a quarter of the process's descriptor limit? */
bool kc_descriptors_left(void);

/*
 * Moves @fd to a number above 2 if necessary: a program that was started without descriptors 0, 1
 * and 2 writes to these numbers all the same. @fd: one of ours, or -errno, which is returned
 * unchanged. If it can't be moved, closes it and returns -errno.
 */
int kc_descriptor_of_ours(int fd);

/*
 * The owner of a descriptor: programs close descriptors that they do not know and reuse the
 * numbers. A session's descriptor is recognized by device and inode; one that is somebody else's is
 * never used or closed.
 */

/* Notes the identity of session->fd. 0 or -errno. */
int kc_identity_note(struct kc_session *session);

bool kc_identity_holds(const struct kc_session *session);

#endif
