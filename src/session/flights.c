/* SPDX-License-Identifier: Apache-2.0 */
/* The counters. The thread's counter only divides a measured time, so it need not be exact. */
#include "session/flights.h"

/* One thread may end a request that another one began. */
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
