/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate's terms: what software does before the kernel is asked. */
#include "policy/terms.h"

/* Bytes that other threads may pass while one makes a pair. */
#define MEANWHILE (1024 * 1024)

/*
 * A context takes the bytes of so many requests at a time, so that most requests touch nothing
 * shared.
 */
#define IN_ADVANCE 8

void kc_terms_wait_to_look(struct kc_candidate *c, size_t bytes)
{
	atomic_store_explicit(&c->terms.before_look, bytes, memory_order_relaxed);
}

/* Each consecutive failure doubles the bytes to wait before the next try. */
static size_t backed_off(const struct kc_candidate *c, size_t bytes)
{
	unsigned failures = atomic_load_explicit(&c->failures, memory_order_relaxed);

	return kc_bytes_times(bytes, 1u << kc_min(failures, 8));
}

/*
 * Returns the bytes that software must do before a session is worth its price. After kcrypto tune
 * the first session is opened twice, once for the known answer.
 */
static size_t price(const struct kc_candidate *c)
{
	size_t cost = atomic_load_explicit(&c->terms.session_bytes, memory_order_relaxed);
	bool is_twice = atomic_load_explicit(&c->trust, memory_order_acquire) == KC_PROVEN;

	return backed_off(c, kc_bytes_times(cost, is_twice ? 2 : 1));
}

/* If sessions outlive contexts, all contexts' bytes count; otherwise only this one's. */
void kc_terms_wait(struct kc_candidate *c, struct kc_stake *stake, size_t len)
{
	if (c->alg->kind == KC_DIGEST)
		atomic_fetch_add_explicit(&c->terms.waited, len, memory_order_relaxed);
	else
		stake->waited += len;
}

bool kc_terms_pay(struct kc_candidate *c, struct kc_stake *stake, size_t len, bool at_once)
{
	size_t all = stake->waited + atomic_load_explicit(&c->terms.waited, memory_order_relaxed);

	if (!at_once && all < price(c)) {
		kc_terms_wait(c, stake, len);
		return false;
	}
	stake->waited = 0;
	atomic_store_explicit(&c->terms.waited, 0, memory_order_relaxed);
	return true;
}

void kc_terms_wait_for_trial(struct kc_candidate *c)
{
	kc_terms_wait_to_look(c, backed_off(c, KC_BYTES_BEFORE_TRIAL));
}

/* @lowest: in jobs, where it may be lower than @alone. */
void kc_terms_set_threshold(struct kc_terms *t, enum kc_dir dir, size_t lowest, size_t alone)
{
	if (lowest < t->least)
		lowest = t->least;
	if (alone <= lowest)
		alone = 0;
	atomic_store_explicit(&t->threshold[dir], lowest, memory_order_relaxed);
	atomic_store_explicit(&t->alone[dir], alone, memory_order_relaxed);
}

void kc_terms_set_longest(struct kc_terms *t, size_t longest)
{
	atomic_store_explicit(&t->longest, longest, memory_order_relaxed);
	atomic_store_explicit(&t->look, 0, memory_order_relaxed);
}

static size_t take_share(struct kc_candidate *c, size_t want)
{
	size_t left = atomic_load_explicit(&c->terms.before_look, memory_order_relaxed);
	size_t got;

	do {
		got = kc_min(left, want);
	} while (!atomic_compare_exchange_weak(&c->terms.before_look, &left, left - got));
	return got;
}

bool kc_terms_take_turn(struct kc_candidate *c, struct kc_stake *stake, size_t len)
{
	size_t none = 0;

	if (len > stake->share)
		stake->share += take_share(c, kc_bytes_times(len, IN_ADVANCE));
	if (len <= stake->share) {
		stake->share -= len;
		return false;
	}
	stake->share = 0;
	/* No bytes are left: one thread makes the pair. */
	return atomic_compare_exchange_strong(&c->terms.before_look, &none, MEANWHILE);
}

void kc_terms_give(struct kc_candidate *c, struct kc_stake *stake)
{
	if (stake->share)
		atomic_fetch_add_explicit(&c->terms.before_look, stake->share,
					  memory_order_relaxed);
	stake->share = 0;
}
