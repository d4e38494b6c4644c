/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a descriptor is: programs close what they do not know and reuse the number. A session's is
 * known by device and inode, and never used nor closed when it is another's.
 */
#ifndef KC_KERNEL_IDENTITY_H
#define KC_KERNEL_IDENTITY_H

#include "core/backend.h"

/* Notes what session->fd is. 0 or -errno. */
int kc_identity_note(struct kc_session *session);

bool kc_identity_holds(const struct kc_session *session);

/* No cancellation point, as libc's close() is one. A child's copy goes without the parent's. */
void kc_close_if_ours(struct kc_session *session);

#endif
