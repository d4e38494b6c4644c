/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose is a session's descriptor? Programs close descriptors that they do not know and reuse the
 * numbers. So a session's is recognized by device and inode, and one that is somebody else's is
 * never used or closed.
 */
#ifndef KC_SESSION_IDENTITY_H
#define KC_SESSION_IDENTITY_H

#include "core/backend.h"

/* Notes what session->fd is; 0 or -errno. */
int kc_identity_note(struct kc_session *session);

/* Is it still ours, or will the backend find out? */
bool kc_session_is_ours(const struct kc_session *session);

#endif
