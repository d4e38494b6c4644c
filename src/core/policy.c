/* SPDX-License-Identifier: Apache-2.0 */
/* The decision, row by row. Makes no system call of its own. */
#include "core/policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/mark.h"

static bool admitted(enum kc_admit admit, enum kc_nature nature)
{
	return nature == KC_HARDWARE || admit == KC_ADMIT_ALL ||
	       (admit == KC_ADMIT_UNKNOWN && nature == KC_UNKNOWN);
}

/* A driver that the administrator named is admitted, whatever it is. */
static bool better(const struct kc_driver *d, enum kc_nature nature, bool ok,
		   const struct kc_choice *best, bool best_ok)
{
	if (!best->driver[0])
		return true;
	if (ok != best_ok)
		return ok;
	if (nature != best->nature && (nature == KC_HARDWARE || best->nature == KC_HARDWARE))
		return nature == KC_HARDWARE;
	return d->priority > best->priority;
}

/* Fills driver, nature and priority of @choice with the best that is listed. True if it may be used. */
static bool pick(struct kc_choice *choice, const struct kc_config *config,
		 const struct kc_drivers *drivers)
{
	const struct kc_config_row *row = &config->row[choice->alg - kc_algs];
	bool best_ok = false;

	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];
		enum kc_nature nature = kc_driver_nature(d, choice->alg->key_len);
		bool named = row->driver[0] && strcmp(row->driver, d->driver) == 0;
		bool ok = row->driver[0] ? named : admitted(config->admit, nature);

		if (strcmp(d->name, choice->alg->kernel_name) != 0)
			continue;
		if (!better(d, nature, ok, choice, best_ok))
			continue;
		snprintf(choice->driver, sizeof(choice->driver), "%s", d->driver);
		choice->nature = nature;
		choice->priority = d->priority;
		best_ok = ok;
	}
	return best_ok;
}

static enum kc_reason why_not(const struct kc_choice *choice, const struct kc_config_row *row)
{
	if (row->driver[0])
		return KC_NAMED_DRIVER_ABSENT;
	if (!choice->driver[0])
		return KC_NO_DRIVER;
	return choice->nature == KC_UNKNOWN ? KC_NATURE_UNKNOWN : KC_ONLY_SOFTWARE;
}

static void set_threshold(struct kc_choice *choice, size_t configured)
{
	choice->threshold_fixed = configured != KC_THRESHOLD_MEASURED;
	if (!choice->threshold_fixed)
		configured = choice->alg->default_threshold;
	atomic_init(&choice->threshold[KC_DECRYPT], configured);
	atomic_init(&choice->threshold[KC_ENCRYPT], configured);
}

static bool is_hash(const struct kc_alg *alg)
{
	return alg->kind == KC_DIGEST || alg->kind == KC_MAC;
}

static void choose(struct kc_choice *choice, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers)
{
	const struct kc_config_row *row = &config->row[choice->alg - kc_algs];
	bool usable = pick(choice, config, drivers);

	choice->max_request = config->max_request;
	choice->max_sessions = config->max_sessions;
	choice->verify = config->verify;
	set_threshold(choice, row->threshold);
	memcpy(choice->software, drivers->software, sizeof(choice->software));
	/* A template is listed only once somebody used it, so with software admitted it may be there. */
	if (!usable && !choice->driver[0] && !row->driver[0] && !drivers->complete &&
	    config->admit == KC_ADMIT_ALL)
		usable = true;
	if (!row->on || !config->max_sessions)
		choice->reason = KC_NOT_LISTED;
	else if (is_hash(choice->alg) && backend->hashes_by_name && !row->is_named)
		choice->reason = KC_ONLY_BY_NAME;
	else if (!usable)
		choice->reason = why_not(choice, row);
	else if (choice->alg->legacy && !config->legacy)
		choice->reason = KC_LEGACY_INACTIVE;
	if (choice->reason != KC_OK)
		return;
	choice->backend = backend;
	/* Software by the algorithm's name (the kernel picks its best), anything else by its own. */
	if (choice->nature != KC_SOFTWARE || row->driver[0])
		memcpy(choice->bind, choice->driver, sizeof(choice->bind));
}

/* Hardware before what is merely admitted, that before what is not. */
static unsigned rank(const struct kc_choice *choice)
{
	if (!choice->backend)
		return 0;
	return choice->nature == KC_HARDWARE ? 2 : 1;
}

static unsigned number_of(const struct kc_backend *backend)
{
	unsigned i = 0;

	while (kc_backends[i] && kc_backends[i] != backend)
		i++;
	return i;
}

void kc_policy_add(struct kc_policy *policy, const struct kc_config *config,
		   const struct kc_backend *backend, const struct kc_drivers *drivers)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct kc_choice *choice = &policy->way[i][policy->n_ways];
		struct kc_choice **at = &policy->row[i];

		choice->alg = &kc_algs[i];
		choice->way = backend;
		choice->way_number = number_of(backend);
		choose(choice, config, backend, drivers);
		/* Behind those that are as good: the order of the backends decides. */
		while (*at && rank(*at) >= rank(choice))
			at = &(*at)->next;
		choice->next = *at;
		*at = choice;
		policy->offers_any |= choice->backend != NULL;
	}
	policy->n_ways++;
}

bool kc_policy_offers_legacy(const struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_algs[i].legacy && policy->row[i] && policy->row[i]->backend)
			return true;
	return false;
}

/* Of two that are trusted. */
static bool faster(const struct kc_choice *c, const struct kc_choice *than)
{
	return atomic_load(&c->trust) == KC_TRUSTED && atomic_load(&than->trust) == KC_TRUSTED &&
	       atomic_load(&c->speed) > atomic_load(&than->speed);
}

struct kc_choice *kc_choice_now(struct kc_choice *first)
{
	struct kc_choice *best = NULL, *failing = NULL;

	for (struct kc_choice *c = first; c; c = c->next) {
		if (!c->backend || atomic_load(&c->trust) == KC_REFUSED)
			continue;
		/* One that failed the last time is not gone while there is another. */
		if (atomic_load(&c->failures))
			failing = failing ? failing : c;
		else if (!best || faster(c, best))
			best = c;
	}
	return best ? best : failing;
}

void kc_policy_loaded(void)
{
	/* Its page takes an madvise(), which a sandbox entered later may punish with death. */
	kc_process_mark();
	for (const struct kc_backend *const *b = kc_backends; *b; b++)
		if ((*b)->loaded)
			(*b)->loaded();
}

void kc_policy_load(struct kc_policy *policy, const struct kc_config *config)
{
	bool is_named[KC_ALG_COUNT];

	memset(policy, 0, sizeof(*policy));
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		is_named[i] = config->row[i].is_named;
	for (size_t i = 0; i < KC_MAX_BACKENDS && config->backend[i]; i++) {
		struct kc_drivers drivers = { .n = 0 };

		if (config->backend[i]->discover(&drivers, is_named) == -ENODEV)
			continue;
		kc_policy_add(policy, config, config->backend[i], &drivers);
	}
}
