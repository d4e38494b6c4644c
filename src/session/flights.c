/* SPDX-License-Identifier: Apache-2.0 */
/* The counters. That of a thread only divides a time. */
#include "session/flights.h"

/* Not exact: a thread may end what another one has begun. */
static __thread unsigned flights;

unsigned kc_session_flights(void)
{
	return flights;
}

void kc_flights_begin(struct kc_session *session)
{
	session->in_flight++;
	flights++;
}

void kc_flights_end(struct kc_session *session)
{
	session->in_flight--;
	flights -= flights != 0;
}

void kc_session_forget_flights(struct kc_session *session)
{
	flights -= (unsigned)kc_min(session->in_flight, flights);
	session->in_flight = 0;
}
