/* SPDX-License-Identifier: Apache-2.0 */
/* Counts requests in flight, for each session and for each thread. */
#ifndef KC_SESSION_FLIGHTS_H
#define KC_SESSION_FLIGHTS_H

#include "core/backend.h"

/* Returns the number of requests that this thread has in flight. */
unsigned kc_session_flights(void);

/* Counts a request that was submitted. */
void kc_flights_begin(struct kc_session *session);

/* Counts a request that was reaped. */
void kc_flights_end(struct kc_session *session);

/* Drops all requests of a session that ends. */
void kc_session_forget_flights(struct kc_session *session);

#endif
