/* SPDX-License-Identifier: Apache-2.0 */
/* The choice between a row's candidates, by their terms. */
#include "policy/terms.h"

static bool is_measured(const struct kc_candidate *c)
{
	unsigned trust = atomic_load(&c->trust);

	return trust == KC_TRUSTED || trust == KC_PROVEN;
}

/* Returns the time for @len bytes in ns, of all pieces. */
static uint64_t ns_of(const struct kc_candidate *c, size_t len)
{
	size_t longest = kc_terms_longest(&c->terms);
	size_t pieces = 1;

	if (len > longest)
		pieces = (len - 1) / longest + 1;
	return (uint64_t)atomic_load(&c->terms.once_ns) * pieces +
	       (uint64_t)atomic_load(&c->terms.kib_ns) * len / 1024;
}

/*
 * Uses only what is known about this length, so that a figure for another one excludes no backend.
 */
static bool is_better(const struct kc_candidate *c, const struct kc_candidate *than,
		      enum kc_dir dir, size_t len)
{
	bool pays, other_pays;
	uint64_t ns;

	if (!is_measured(c) || !is_measured(than))
		return false;
	pays = kc_candidate_pays(c, dir, len);
	other_pays = kc_candidate_pays(than, dir, len);
	if (pays != other_pays)
		return pays;
	ns = ns_of(c, len);
	/* A gain of less than an eighth may be noise, and several requests in flight gain more. */
	if (than->backend->submit && !c->backend->submit)
		ns += ns / 8;
	return ns < ns_of(than, len);
}

static bool may_serve(const struct kc_candidate *c)
{
	if (!c->is_offered)
		return false;
	return atomic_load(&c->trust) != KC_REFUSED;
}

struct kc_candidate *kc_candidate_for(struct kc_candidate *first, enum kc_dir dir, size_t len)
{
	struct kc_candidate *best = NULL, *failing = NULL;

	for (struct kc_candidate *c = first; c; c = c->next) {
		bool has_failed = atomic_load(&c->failures);

		if (!may_serve(c))
			continue;
		/* A candidate that failed the last time is used only if there is no other. */
		if (has_failed && !failing)
			failing = c;
		if (has_failed)
			continue;
		if (!best || is_better(c, best, dir, len))
			best = c;
	}
	if (!best)
		return failing;
	return best;
}

struct kc_candidate *kc_candidate_now(struct kc_candidate *first)
{
	return kc_candidate_for(first, KC_ENCRYPT, KC_MAX_REQUEST);
}

size_t kc_candidates_threshold(const struct kc_candidate *first, const struct kc_candidate *now,
			       enum kc_dir dir)
{
	size_t least = SIZE_MAX;

	for (const struct kc_candidate *c = first; c; c = c->next) {
		if (!may_serve(c))
			continue;
		if (c == now || is_measured(c))
			least = kc_min(least, kc_terms_threshold(&c->terms, dir));
	}
	return least;
}
