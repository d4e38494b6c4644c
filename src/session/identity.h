/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes a session's descriptor by device and inode. Programs close descriptors that they do
 * not know, and reuse the numbers; we never use or close a descriptor that has become another file.
 */
#ifndef KC_SESSION_IDENTITY_H
#define KC_SESSION_IDENTITY_H

#include "core/backend.h"

/* Records the identity of session->fd. 0 or -errno. */
int kc_identity_note(struct kc_session *session);

/* True if session->fd still has the identity that was recorded. */
bool kc_identity_is_same(const struct kc_session *session);

/* True if the descriptor is still the session's, or if the backend itself refuses another one. */
static inline bool kc_session_is_ours(const struct kc_session *session)
{
	return session->backend->copies || kc_identity_is_same(session);
}

#endif
