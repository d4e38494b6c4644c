/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a session pays, what its failures cost, and when the other way is looked at. */
#include "core/route.h"

#include <errno.h>

#include "core/learn.h"
#include "core/pair.h"
#include "core/stats.h"
#include "core/trial.h"

#define MOST_TAKEN ((size_t)1 << 24) /* bytes */

void kc_route_end(struct kc_route *route)
{
	kc_session_close(&route->session);
	if (route->skip)
		kc_learn_give(route->choice, route->skip);
	route->skip = 0;
}

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

	/*
	 * With 32 bits, 16 MiB shifted by 8 are nothing; and a count has to be able to get there.
	 */
	return bytes > SIZE_MAX / 2 >> shift ? SIZE_MAX / 2 : bytes << shift;
}

/* A context sets aside ever more, so that one that lives long seldom asks. */
static size_t set_aside(struct kc_route *route, size_t len)
{
	size_t taken = kc_learn_take(route->choice, len > route->taken ? len : route->taken);

	if (route->taken < MOST_TAKEN)
		route->taken += taken;
	return taken;
}

/* Is it time to look at the way that is not gone? Counts. */
static bool looks(struct kc_route *route, size_t len)
{
	if (len > route->skip)
		route->skip += set_aside(route, len);
	if (len <= route->skip) {
		route->skip -= len;
		return false;
	}
	route->skip = 0;
	return kc_learn_is_turn(route->choice);
}

static bool is_at_once(const struct kc_route *route)
{
	const struct kc_choice *choice = route->choice;

	return choice->threshold_fixed && route->smallest == 0 &&
	       atomic_load_explicit(&choice->failures, memory_order_relaxed) == 0;
}

/* After a trial another way may be the faster one. */
static bool driver_trusted(struct kc_route *route, const struct kc_base *base, size_t len)
{
	struct kc_choice *choice = route->choice;
	unsigned trust = atomic_load_explicit(&choice->trust, memory_order_acquire);

	if (trust == KC_TRUSTED || trust == KC_PROVEN || trust == KC_REFUSED)
		return trust != KC_REFUSED;
	if (!is_at_once(route) && !looks(route, len))
		return false;
	if (kc_trial(choice, base) == KC_TRUSTED)
		return kc_choice_now(route->first) == choice;
	kc_learn_wait(choice, backed_off(choice, KC_BYTES_BEFORE_TRIAL));
	return false;
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

/* Is this one for the kernel: as it pays, or to see whether it does? */
static bool is_kernels(struct kc_route *route, enum kc_dir dir, size_t len)
{
	const struct kc_choice *choice = route->choice;

	route->smallest = atomic_load_explicit(&choice->threshold[dir], memory_order_relaxed);
	if (len >= choice->floor && looks(route, len)) {
		route->is_pair = true;
		route->smallest = 0;
	}
	return len >= route->smallest;
}

static bool is_paid(struct kc_route *route, size_t len)
{
	if (route->is_pair || route->waited >= backed_off(route->choice, price(route->choice)))
		return true;
	route->waited += len;
	return false;
}

/* Is it worth opening a session now, and does it open? */
static bool session_opens(struct kc_route *route, const struct kc_base *base, enum kc_dir dir,
			  const struct kc_key *key, size_t len)
{
	struct kc_choice *choice = route->choice;

	if (!driver_trusted(route, base, len) || !is_kernels(route, dir, len) ||
	    !is_paid(route, len))
		return false;
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

	route->is_pair = false;
	if (session_ready(route))
		return is_kernels(route, dir, len);
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

/* The driver gave a wrong answer. */
static void refuse(struct kc_route *route)
{
	struct kc_choice *choice = route->choice;

	atomic_store(&choice->trust, KC_REFUSED);
	kc_stats_error(choice->alg, choice->way_number, KC_LIED);
	kc_session_close(&route->session);
	kc_learn_wait(choice, SIZE_MAX / 2);
}

/* Is this request one of those that the configuration wants compared? Counts it. */
static bool is_verified(struct kc_choice *choice)
{
	return choice->verify &&
	       atomic_fetch_add_explicit(&choice->to_verify, 1, memory_order_relaxed) %
			       choice->verify ==
		       0;
}

static int run_pair(struct kc_route *route, const struct kc_base *base, const struct kc_key *key,
		    const struct kc_req *req)
{
	struct kc_choice *choice = route->choice;
	struct kc_pair pair;
	int err = 0;

	switch (kc_pair_run(&route->session, choice, base, key, req, &pair, &err)) {
	case KC_PAIR_SAME:
		kc_learn_pair(choice, &pair);
		break;
	case KC_PAIR_LIE:
		refuse(route);
		return -EIO;
	default:
		break;
	}
	return err;
}

static int run_alone(struct kc_route *route, const struct kc_req *req)
{
	struct kc_choice *choice = route->choice;
	uint64_t start;
	int err;

	if (req->len < choice->floor)
		return kc_session_run(&route->session, choice, req);
	start = kc_learn_clock(choice);
	err = kc_session_run(&route->session, choice, req);
	if (!err && !kc_learn_kernel(choice, req->dir, req->len, kc_learn_clock(choice) - start))
		route->skip = 0;
	return err;
}

int kc_route_run(struct kc_route *route, const struct kc_base *base, const struct kc_key *key,
		 const struct kc_req *req)
{
	struct kc_choice *choice = route->choice;
	bool is_pair = is_verified(choice) || route->is_pair ||
		       kc_learn_is_new(choice, req->dir, req->len);
	int err;

	route->is_pair = false;
	err = is_pair ? run_pair(route, base, key, req) : run_alone(route, req);
	route->smallest = atomic_load_explicit(&choice->threshold[req->dir], memory_order_relaxed);
	/* An AEAD's bad tag is an answer; some drivers say that of a request that failed. */
	if (err && (err != -EBADMSG || choice->alg->kind != KC_AEAD))
		atomic_fetch_add(&choice->failures, 1);
	if (err)
		route->done.failed++;
	else
		route->done.bytes += req->len;
	return err;
}

void kc_route_mistaken(struct kc_route *route)
{
	atomic_fetch_add(&route->choice->failures, 1);
	kc_stats_error(route->choice->alg, route->choice->way_number, KC_REQUEST_FAILED);
	kc_session_close(&route->session);
}
