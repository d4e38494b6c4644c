/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a process's policy from the tune file, the backends' lists, and the filters it runs under.
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "policy/tune_file.h"

/* A list for the rows that matter. NULL if memory is short. */
static struct kc_drivers *new_list(const struct kc_config *config)
{
	/* The stack is the application's, and may be small. */
	struct kc_drivers *drivers = malloc(sizeof(*drivers));
	bool wanted[KC_ALG_COUNT];

	if (!drivers)
		return NULL;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		wanted[i] = config->row[i].on || !config->offered_only;
	kc_drivers_init(drivers, wanted);
	return drivers;
}

static void add_all(struct kc_policy *policy, const struct kc_config *config,
		    const struct kc_tuned *tuned, struct kc_drivers *drivers)
{
	int (*listed_by)(struct kc_drivers *) = NULL;
	int err = 0;

	/* Backends ask it when they list their drivers. */
	if (config->trusts_seccomp)
		kc_sandbox_trust();
	for (size_t i = 0; i < KC_MAX_BACKENDS && config->backend[i]; i++) {
		const struct kc_backend *backend = config->backend[i];

		if (tuned && kc_tuned_drivers(tuned, backend, drivers)) {
			listed_by = NULL;
			err = 0;
		} else if (!kc_backend_exists(backend, false)) {
			continue;
		} else if (backend->discover != listed_by) {
			drivers->n = 0;
			listed_by = backend->discover;
			err = backend->discover(drivers);
		}
		if (err == -ENODEV)
			continue;
		kc_policy_add(policy, config, backend, drivers, tuned);
	}
}

void kc_policy_load(struct kc_policy *policy, const struct kc_config *config)
{
	struct kc_drivers *drivers = new_list(config);
	struct kc_tuned *tuned = NULL;

	memset(policy, 0, sizeof(*policy));
	policy->tuned = kc_tuned_read(config->tune_file, &tuned);
	if (drivers)
		add_all(policy, config, tuned, drivers);
	/* Preparing its page takes an madvise(), and a sandbox entered later may kill for that. */
	if (policy->offers_any)
		kc_process_mark();
	free(tuned);
	free(drivers);
}
