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

struct kc_route_done {
	size_t bytes; /* by the kernel; wraps */
	unsigned failed;
};

struct kc_route {
	struct kc_choice *first;  /* of the ways that the row has, and */
	struct kc_choice *choice; /* the one that is gone */
	size_t entry;		  /* bytes: a shorter request is software's, unasked */
	size_t smallest;	  /* bytes: one of so much is the kernel's now */
	size_t skip;		  /* bytes that may go by before the other way is looked at */
	size_t taken;		  /* bytes that were ever set aside for that */
	size_t waited; /* bytes of large requests that software did, no session being open */
	bool is_pair;  /* the next request is to be done both ways */
	struct kc_route_done done;
	struct kc_session session;
};

static inline void kc_route_init(struct kc_route *route, struct kc_choice *first)
{
	route->first = first;
	route->choice = first;
	route->entry = 0;
	route->smallest = 0;
	route->skip = 0;
	route->taken = 0;
	route->waited = 0;
	route->is_pair = false;
	route->done = (struct kc_route_done){ 0, 0 };
	kc_session_init(&route->session);
}

/* A copy of another context's: the session stays with that. */
static inline void kc_route_copied(struct kc_route *route)
{
	route->skip = 0;
	kc_session_init(&route->session);
}

/* The context's end. */
void kc_route_end(struct kc_route *route);

/* The best of several ways, as it is now. */
void kc_route_choose(struct kc_route *route);

/* A new message or key: looks at what the process has learned since. */
static inline void kc_route_renew(struct kc_route *route, enum kc_dir dir)
{
	size_t floor;

	if (route->first->next && route->session.fd < 0)
		kc_route_choose(route);
	floor = route->choice->floor;
	route->smallest =
		atomic_load_explicit(&route->choice->threshold[dir], memory_order_relaxed);
	route->entry = floor < route->smallest ? floor : route->smallest;
}

/* Is this one software's, as most like it are? Without a call; false: kc_route_open() knows. */
static inline bool kc_route_stays(struct kc_route *route, size_t len)
{
	if (len >= route->smallest || len > route->skip)
		return false;
	route->skip -= len;
	return true;
}

/*
 * Is a session open for a request of @len bytes, or worth to be opened now? Where one way can't be
 * gone, the next one is tried at once. Sets ->smallest, so that @len is no less where it is true.
 */
bool kc_route_open(struct kc_route *route, const struct kc_base *base, enum kc_dir dir,
		   const struct kc_key *key, size_t len);

/*
 * One request, as kc_session_run(); a failure counts against the way. Some are done by @base too:
 * a driver whose answer is another one is refused for this process, and the request has failed.
 * Brings ->smallest up to date.
 */
int kc_route_run(struct kc_route *route, const struct kc_base *base, const struct kc_key *key,
		 const struct kc_req *req);

/* A tag that the last request called bad is right: a failure like any other. */
void kc_route_mistaken(struct kc_route *route);

#endif
