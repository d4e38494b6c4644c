/* SPDX-License-Identifier: Apache-2.0 */
/* The decision, row by row. Makes no system call of its own. */
#include "core/policy.h"

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
	if (!usable && !choice->driver[0] && !row->driver[0] && config->admit == KC_ADMIT_ALL)
		usable = true;
	if (!row->on || !config->max_sessions)
		choice->reason = KC_NOT_LISTED;
	else if (!usable)
		choice->reason = why_not(choice, row);
	if (choice->reason != KC_OK)
		return;
	choice->backend = backend;
	/* Software by the algorithm's name (the kernel picks its best), anything else by its own. */
	if (choice->nature != KC_SOFTWARE || row->driver[0])
		memcpy(choice->bind, choice->driver, sizeof(choice->bind));
}

void kc_policy_make(struct kc_policy *policy, const struct kc_config *config,
		    const struct kc_drivers *drivers)
{
	memset(policy, 0, sizeof(*policy));
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		policy->row[i].alg = &kc_algs[i];
		choose(&policy->row[i], config, kc_backends[0], drivers);
		policy->offers_any |= policy->row[i].backend != NULL;
	}
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
	struct kc_drivers drivers = { .n = 0 };

	kc_backends[0]->discover(&drivers);
	kc_policy_make(policy, config, &drivers);
}
