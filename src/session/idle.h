/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few open sessions that belong to no context, each for the next context of its candidate. Slots
 * are taken atomically: no lock, no allocation, and a fork finds each slot full or empty.
 */
#ifndef KC_SESSION_IDLE_H
#define KC_SESSION_IDLE_H

#include "policy/candidate.h"

/* Moves a session of @candidate, or with NULL any session, to @session. False: there is none. */
bool kc_idle_take(struct kc_session *session, const struct kc_candidate *candidate);

/*
 * Keeps @session. Returns in its place a session to close: another one that has no room any more,
 * or itself; or a closed one.
 */
void kc_idle_put(struct kc_session *session, const struct kc_candidate *candidate);

#endif
