/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/first_terms.h"

#include <string.h>

/*
 * Sets the thresholds in jobs and outside. The process will learn whether there is a longest
 * request.
 */
static void set_thresholds(struct kc_terms *t, size_t decrypt, size_t encrypt)
{
	kc_terms_set_threshold(t, KC_DECRYPT, decrypt, decrypt);
	kc_terms_set_threshold(t, KC_ENCRYPT, encrypt, encrypt);
	kc_terms_set_longest(t, SIZE_MAX);
}

/* The row's own configuration takes precedence over the general rule. */
void kc_terms_init(struct kc_candidate *c, const struct kc_config *config, size_t threshold)
{
	struct kc_terms *t = &c->terms;
	bool is_open = threshold == KC_THRESHOLD_MEASURED;

	if (is_open && config->rule == KC_RULE_ALWAYS)
		threshold = 0;
	else if (is_open)
		threshold = c->alg->default_threshold;
	set_thresholds(t, threshold, threshold);
	t->is_fixed = !is_open || config->rule == KC_RULE_ALWAYS;
	atomic_store(&t->floor, SIZE_MAX);
	if (is_open && config->rule == KC_RULE_AUTO)
		atomic_store(&t->floor, kc_alg_floor(c->alg));
	t->prefer = (enum kc_prefer)config->prefer;
	kc_terms_wait_to_look(c, KC_BYTES_BEFORE_TRIAL);
}

/* A configured threshold of 0 opens a session at once, whatever it costs, so its price stays 0. */
static void set_prices(struct kc_terms *t, size_t session_bytes, unsigned once_ns, unsigned kib_ns)
{
	if (!t->is_fixed || kc_terms_threshold(t, KC_ENCRYPT) > t->least)
		atomic_store(&t->session_bytes, session_bytes);
	atomic_store(&t->once_ns, once_ns);
	atomic_store(&t->kib_ns, kib_ns);
}

/*
 * True if the measured longest request applies. A configured threshold is for messages of any
 * length, and for text only if it is not longer than a piece.
 */
static bool may_be_limited(const struct kc_candidate *c, const struct kc_measured *m)
{
	if (!c->terms.is_fixed)
		return true;
	if (kc_alg_is_whole(c->alg))
		return false;
	return m->longest >= kc_terms_threshold(&c->terms, KC_ENCRYPT);
}

void kc_terms_tuned(struct kc_candidate *c, const struct kc_measured *m)
{
	if (!c->terms.is_fixed)
		set_thresholds(&c->terms, m->threshold[KC_DECRYPT], m->threshold[KC_ENCRYPT]);
	if (may_be_limited(c, m))
		kc_terms_set_longest(&c->terms, m->longest);
	set_prices(&c->terms, m->session_bytes, m->once_ns, m->kib_ns);
	atomic_store(&c->terms.floor, SIZE_MAX);
	c->terms.is_tuned = true;
}

/* Returns the time that @p->len bytes add to a request's fixed time, in ns. */
static uint64_t slope_of(const struct kc_prices *p)
{
	if (p->kernel_long < p->kernel_short)
		return 0;
	return p->kernel_long - p->kernel_short;
}

/* Returns the lowest threshold. A hash shorter than its row's default is not worth a buffer. */
static size_t least_threshold(const struct kc_candidate *c)
{
	if (kc_alg_is_hash(c->alg))
		return kc_terms_floor(&c->terms);
	return KC_SHORTEST_MEASURED;
}

/*
 * The kernel takes a fixed time plus a time per byte, software only the latter. Returns the length
 * at which the two lines cross, plus an eighth. The process's own requests will show whether it is
 * right.
 */
static size_t crossing(const struct kc_candidate *c, const struct kc_prices *p)
{
	uint64_t slope = slope_of(p);
	size_t block = c->alg->block_len;
	uint64_t n;

	if (p->soft_long <= slope)
		return SIZE_MAX;
	n = p->kernel_short * p->len / (p->soft_long - slope);
	n += n / 8;
	if (n > c->max_request)
		return SIZE_MAX;
	n = (n + block - 1) / block * block;
	return (size_t)(n < least_threshold(c) ? least_threshold(c) : n);
}

/*
 * If short requests pay by the trial's prices, the process learns also from those half as long.
 * Otherwise such requests stay as cheap as they are.
 */
static void lower_floor(struct kc_candidate *c)
{
	size_t half = kc_min(kc_terms_threshold(&c->terms, KC_DECRYPT),
			     kc_terms_threshold(&c->terms, KC_ENCRYPT)) /
		      2;

	if (half < least_threshold(c))
		half = least_threshold(c);
	if (half < kc_terms_floor(&c->terms))
		atomic_store_explicit(&c->terms.floor, half, memory_order_relaxed);
}

void kc_terms_tried(struct kc_candidate *c, const struct kc_prices *prices, uint64_t open_ns,
		    uint64_t trial_ns)
{
	const struct kc_prices *p = &prices[KC_ENCRYPT];
	const struct kc_prices *back = &prices[KC_DECRYPT];
	uint32_t soft = kc_cost_per_kib(p->soft_long, p->len);

	if (kc_alg_is_hash(c->alg))
		back = p; /* a hash has only one direction */
	if (kc_terms_floor(&c->terms) != SIZE_MAX) {
		set_thresholds(&c->terms, crossing(c, back), crossing(c, p));
		lower_floor(c);
	}
	set_prices(&c->terms, kc_bytes_for(open_ns, 1, soft), (unsigned)p->kernel_short,
		   (unsigned)(slope_of(p) * 1024 / p->len));
	memset(c->terms.costs, 0, sizeof(c->terms.costs));
	atomic_store(&c->terms.tried, 0);
	atomic_store(&c->terms.looks, 0);
	/* Until the first pair, software does enough work to make the trial an eighth of it. */
	kc_terms_wait_to_look(c, kc_bytes_for(trial_ns, 8, soft));
}
