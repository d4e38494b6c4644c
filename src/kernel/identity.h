/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner of a descriptor: programs close descriptors that they do not know and reuse the
 * numbers. A session's descriptor is recognized by device and inode; one that is somebody else's is
 * never used or closed.
 */
#ifndef KC_KERNEL_IDENTITY_H
#define KC_KERNEL_IDENTITY_H

#include "core/backend.h"

/* Notes the identity of session->fd. 0 or -errno. */
int kc_identity_note(struct kc_session *session);

bool kc_identity_holds(const struct kc_session *session);

/*
 * Not a cancellation point, unlike libc's close(). Closing a child's copy leaves the parent's open.
 */
void kc_close_if_ours(struct kc_session *session);

#endif
