/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a session pays, and what its failures cost. */
#include "core/route.h"

#include <errno.h>

#include "core/stats.h"
#include "core/trial.h"

/* Software does this much before a driver is tried for the first time in a process. */
#define BYTES_BEFORE_TRIAL (256 * 1024)

void kc_route_choose(struct kc_route *route)
{
	struct kc_choice *now = kc_choice_now(route->first);

	route->choice = now ? now : route->choice;
}

/* Each failure in a row doubles what has to go by before the next try. */
static size_t backed_off(const struct kc_choice *choice, size_t bytes)
{
	unsigned failures = atomic_load_explicit(&choice->failures, memory_order_relaxed);
	unsigned shift = failures < 8 ? failures : 8;

	/* With 32 bits, 16 MiB shifted by 8 are nothing; and a count has to be able to get there. */
	return bytes > SIZE_MAX / 2 >> shift ? SIZE_MAX / 2 : bytes << shift;
}

static bool driver_trusted(struct kc_route *route, const struct kc_base *base, size_t len)
{
	struct kc_choice *choice = route->choice;
	bool at_once = choice->threshold_fixed && route->smallest == 0;
	bool failed_before = atomic_load_explicit(&choice->failures, memory_order_relaxed) != 0;
	unsigned trust = atomic_load_explicit(&choice->trust, memory_order_acquire);
	size_t wait;

	if (trust == KC_TRUSTED || trust == KC_PROVEN || trust == KC_REFUSED)
		return trust != KC_REFUSED;
	wait = atomic_load_explicit(&choice->before_trial, memory_order_relaxed);
	wait = backed_off(choice, wait ? wait : BYTES_BEFORE_TRIAL);
	if ((!at_once || failed_before) && atomic_fetch_add(&choice->waited_bytes, len) < wait)
		return false;
	return kc_trial(choice, base) == KC_TRUSTED;
}

/*
 * What has to be done in software before a session is worth its price. The first one after kcrypto
 * tune is opened twice: for a known answer before.
 */
static size_t price(const struct kc_choice *choice)
{
	size_t cost = atomic_load_explicit(&choice->session_bytes, memory_order_relaxed);

	return atomic_load_explicit(&choice->trust, memory_order_relaxed) == KC_PROVEN ? 2 * cost :
											 cost;
}

/* A lie that another context met ends this one's session too. */
static bool session_ready(struct kc_route *route)
{
	if (!kc_session_ready(&route->session))
		return false;
	if (atomic_load_explicit(&route->choice->trust, memory_order_relaxed) != KC_REFUSED)
		return true;
	kc_session_close(&route->session);
	return false;
}

/* Is it worth opening a session now, and does it open? */
static bool session_opens(struct kc_route *route, const struct kc_base *base, enum kc_dir dir,
			  const struct kc_key *key, size_t len)
{
	struct kc_choice *choice = route->choice;

	/* A trial may have shown that another way is faster. */
	if (!driver_trusted(route, base, len) || kc_choice_now(route->first) != choice)
		return false;
	route->smallest = atomic_load_explicit(&choice->threshold[dir], memory_order_relaxed);
	if (len < route->smallest)
		return false;
	if (route->waited < backed_off(choice, price(choice))) {
		route->waited += len;
		return false;
	}
	route->waited = 0;
	if (atomic_load_explicit(&choice->trust, memory_order_acquire) == KC_PROVEN &&
	    kc_trial(choice, base) != KC_TRUSTED)
		return false;
	if (kc_session_open(&route->session, choice, key) == 0)
		return true;
	atomic_fetch_add(&choice->failures, 1);
	return false;
}

bool kc_route_open(struct kc_route *route, const struct kc_base *base, enum kc_dir dir,
		   const struct kc_key *key, size_t len)
{
	struct kc_choice *tried = NULL;

	if (session_ready(route))
		return true;
	for (unsigned i = 0; i < KC_MAX_BACKENDS; i++) {
		struct kc_choice *now = kc_choice_now(route->first);

		if (!now || now == tried)
			break;
		route->choice = tried = now;
		if (session_opens(route, base, dir, key, len))
			return true;
	}
	return false;
}

int kc_route_run(struct kc_route *route, const struct kc_req *req)
{
	int err = kc_session_run(&route->session, route->choice, req);

	/* An AEAD's bad tag is an answer; some drivers say that of a request that failed. */
	if (err && (err != -EBADMSG || route->choice->alg->kind != KC_AEAD))
		atomic_fetch_add(&route->choice->failures, 1);
	return err;
}

void kc_route_mistaken(struct kc_route *route)
{
	atomic_fetch_add(&route->choice->failures, 1);
	kc_stats_redone(route->choice->alg);
	kc_session_close(&route->session);
}

void kc_route_refuse(struct kc_route *route)
{
	atomic_store(&route->choice->trust, KC_REFUSED);
	kc_stats_wrong(route->choice->alg, route->choice->way_number);
	kc_session_close(&route->session);
}

bool kc_route_verifies(struct kc_route *route)
{
	struct kc_choice *choice = route->choice;

	return choice->verify &&
	       atomic_fetch_add_explicit(&choice->to_verify, 1, memory_order_relaxed) %
			       choice->verify ==
		       0;
}
