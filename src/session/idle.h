/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few open sessions that no context has, each for the next context of its candidate. Slots that
 * are taken atomically: no lock, nothing allocated, and a fork finds each slot full or empty.
 */
#ifndef KC_SESSION_IDLE_H
#define KC_SESSION_IDLE_H

#include "policy/candidate.h"

/* Moves a session of @candidate, or with NULL any session, to @session. False: there is none. */
bool kc_idle_take(struct kc_session *session, const struct kc_candidate *candidate);

/*
 * Keeps @session. In its place is one that has to be closed: another, for which there is no more
 * room, or itself; or a closed one.
 */
void kc_idle_put(struct kc_session *session, const struct kc_candidate *candidate);

#endif
