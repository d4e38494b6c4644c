/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto tune: measures once what each process would measure for itself, and writes it to a file.
 * Only a child touches drivers, since a call that hangs in one cannot be left.
 */
#include "cli/tune/tune.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/conf.h"
#include "policy/config_keys.h"

#define DEFAULT_SECONDS 60

static struct kc_tuning tuning = { .seconds = DEFAULT_SECONDS };
static bool dry_run, json, if_stale;
static const char *output, *config_file;

static const struct kc_option options[] = {
	{ "if-stale", NULL, "does nothing if the file is still valid here", .flag = &if_stale },
	{ "seconds", "N", "approximate time for all drivers, by default 60",
	  .number = &tuning.seconds, .max = 86400 },
	{ "dry-run", NULL, "writes no file", .flag = &dry_run },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "output", "FILE", "writes FILE, not the one that the configuration names",
	  .text = &output },
	{ "config", "FILE", "reads FILE, not the openssl.cnf that programs read",
	  .text = &config_file },
	{ NULL },
};

static size_t count_drivers(const struct kc_drivers *drivers)
{
	size_t n = 0;

	for (size_t i = 0; kc_backends[i]; i++)
		n += drivers[i].n;
	return n;
}

/* Lists each backend's drivers again, because a policy keeps only the best ones. */
static struct kc_tuned *begin_file(size_t n_facts)
{
	struct kc_drivers *drivers = calloc(KC_MAX_BACKENDS, sizeof(*drivers));
	bool is_there[KC_MAX_BACKENDS] = { false };
	struct kc_tuned *t = NULL;

	for (size_t i = 0; drivers && kc_backends[i]; i++) {
		const struct kc_backend *b = kc_backends[i];

		kc_drivers_init(&drivers[i]);
		is_there[i] = (!b->exists || b->exists(false)) && b->discover(&drivers[i]) == 0;
	}
	if (drivers)
		t = kc_tuned_new(count_drivers(drivers), n_facts);
	for (size_t i = 0; t && kc_backends[i]; i++)
		if (is_there[i])
			kc_tuned_add_drivers(t, kc_backends[i], &drivers[i]);
	free(drivers);
	return t;
}

static void list_candidates(struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->is_offered && c->driver[0])
				tuning.candidate[tuning.n++] = c;
}

static int tune(const struct kc_config *config, const char *path)
{
	static struct kc_policy policy;
	struct kc_tuned *t;
	int err = KC_EXIT_OK;

	kc_policy_load(&policy, config);
	list_candidates(&policy);
	if (if_stale && kc_tuning_is_fresh(&tuning, path)) {
		printf("%s is up to date\n", path);
		return KC_EXIT_OK;
	}
	err = dry_run ? KC_EXIT_OK : kc_tuning_may_write(path);
	if (err)
		return err;
	t = begin_file(tuning.n);
	if (!t || !kc_tuning_run(&tuning, t)) {
		free(t);
		return kc_failure("out of memory, or cannot start another process");
	}
	kc_tuned_seal(t);
	kc_tuning_print(t, json);
	if (!dry_run)
		err = kc_tuning_write(t, path);
	free(t);
	return err;
}

static int run(const struct kc_args *args)
{
	static struct kc_conf conf;
	static char path[PATH_MAX];
	struct kc_config *config = calloc(1, sizeof(*config));
	int err = config ? KC_EXIT_OK : kc_failure("out of memory");

	(void)args;
	if (!err) {
		kc_config_init(config);
		kc_conf_read(&conf, config_file, config);
		snprintf(path, sizeof(path), "%s", output ? output : config->tune_file);
		/* What an earlier run left must not be what this one finds. */
		config->tune_file[0] = '\0';
		/* If this runs under a filter, such as a service's, the filter was made for it. */
		config->trusts_seccomp = true;
		err = config_file && conf.error[0] ? kc_failure(conf.error) : tune(config, path);
	}
	free(config);
	return err;
}

const struct kc_command kc_cmd_tune = {
	.name = "tune",
	.about = "measures this machine once, so that processes need not",
	.options = options,
	.run = run,
};
