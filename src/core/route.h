/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context's way into the kernel: which of the row's ways it is, from which length on it pays, and
 * the session, which opens only once it is worth its price. The same for every kind of algorithm.
 */
#ifndef KC_CORE_ROUTE_H
#define KC_CORE_ROUTE_H

#include "core/base.h"
#include "core/policy.h"
#include "core/session.h"

#define KC_NO_DETOUR SIZE_MAX /* bytes, as a threshold */

struct kc_route {
	struct kc_choice *first;  /* of the ways that the row has, and */
	struct kc_choice *choice; /* the one that is gone */
	size_t smallest;	  /* bytes: the threshold of the direction */
	size_t waited; /* bytes of large requests that software did, no session being open */
	struct kc_session session;
};

static inline void kc_route_init(struct kc_route *route, struct kc_choice *first)
{
	route->first = first;
	route->choice = first;
	route->smallest = 0;
	route->waited = 0;
	kc_session_init(&route->session);
}

/* The best of several ways, as it is now. */
void kc_route_choose(struct kc_route *route);

/* A new message or key: looks at what the process has learned since. */
static inline void kc_route_renew(struct kc_route *route, enum kc_dir dir)
{
	if (route->first->next && route->session.fd < 0)
		kc_route_choose(route);
	route->smallest =
		atomic_load_explicit(&route->choice->threshold[dir], memory_order_relaxed);
}

/*
 * Is a session open for a request of @len bytes, or worth to be opened now? Where one way can't be
 * gone, the next one is tried at once. Sets ->smallest.
 */
bool kc_route_open(struct kc_route *route, const struct kc_base *base, enum kc_dir dir,
		   const struct kc_key *key, size_t len);

/* One request, as kc_session_run(); a failure counts against the way. */
int kc_route_run(struct kc_route *route, const struct kc_req *req);

/* A tag that the last request called bad is right: a failure like any other. */
void kc_route_mistaken(struct kc_route *route);

/* The driver gave a wrong answer: it is refused for this process, and the session closed. */
void kc_route_refuse(struct kc_route *route);

/* Is this request one of those that the base does too, for comparison? Counts it. */
bool kc_route_verifies(struct kc_route *route);

#endif
