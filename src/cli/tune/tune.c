/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto tune: measures once what each process would measure for itself, and writes it to a file.
 * Only a child touches drivers, since a call that hangs in one cannot be left.
 */
#include "cli/tune/tune.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/conf.h"
#include "policy/config_keys.h"

#define DEFAULT_SECONDS 60

static struct kc_tuning tuning;
static struct kc_tuned *tuned; /* what will be the file */
static unsigned seconds = DEFAULT_SECONDS;
static bool dry_run, json, if_stale;
static const char *output, *config_file;

static const struct kc_option options[] = {
	{ "if-stale", NULL, "does nothing if the file is still valid here", .flag = &if_stale },
	{ "seconds", "N", "approximate time for all drivers, by default 60", .number = &seconds,
	  .max = 86400 },
	{ "dry-run", NULL, "writes no file", .flag = &dry_run },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "output", "FILE", "writes FILE, not the one that the configuration names",
	  .text = &output },
	{ "config", "FILE", "reads FILE, not the openssl.cnf that programs read",
	  .text = &config_file },
	{ NULL },
};

/* Lists each backend's drivers again, because a policy keeps only the best ones. */
static bool begin_file(void)
{
	struct kc_drivers *drivers = calloc(KC_MAX_BACKENDS, sizeof(*drivers));
	bool is_there[KC_MAX_BACKENDS] = { false };
	size_t n = 0;

	for (size_t i = 0; drivers && kc_backends[i]; i++) {
		const struct kc_backend *b = kc_backends[i];

		kc_drivers_init(&drivers[i]);
		is_there[i] = (!b->exists || b->exists(false)) && b->discover(&drivers[i]) == 0;
		n += drivers[i].n;
	}
	if (drivers)
		tuned = kc_tuned_new(n, tuning.n);
	for (size_t i = 0; tuned && kc_backends[i]; i++)
		if (is_there[i])
			kc_tuned_add_drivers(tuned, kc_backends[i], &drivers[i]);
	free(drivers);
	return tuned;
}

static void show(size_t done)
{
	char name[KC_ALG_NAME_SIZE];

	if (!isatty(STDERR_FILENO))
		return;
	if (done < tuning.n)
		fprintf(stderr, "\r\033[K%3zu %%  %s by %s", done * 100 / tuning.n,
			kc_alg_name(tuning.candidate[done]->alg, name, sizeof(name)),
			tuning.candidate[done]->driver);
	else
		fputs("\r\033[K", stderr);
}

static uint32_t as_fact(size_t bytes)
{
	if (bytes == KC_UNSETTLED)
		return KC_TUNED_UNSETTLED;
	return bytes >= KC_TUNED_UNSETTLED ? KC_TUNED_NEVER : (uint32_t)bytes;
}

/* It is about the driver that the kernel lists, whichever one a session got. */
static void note(void *arg, size_t i, const struct kc_probed *probed)
{
	struct kc_fact *fact = kc_tuned_add_fact(tuned, tuning.candidate[i]);
	const struct kc_candidate *c = &probed->candidate;

	(void)arg;
	show(i + 1);
	fact->reason = c->reason == KC_SLOWER ? KC_OK : c->reason;
	if (fact->reason != KC_OK)
		return;
	for (int k = 0; k < KC_PREFER_COUNT * 2; k++)
		fact->threshold[k / 2][k % 2] = as_fact(probed->found[k / 2][k % 2]);
	fact->session_bytes = as_fact(atomic_load(&c->terms.session_bytes));
	fact->once_ns = atomic_load(&c->terms.once_ns);
	fact->kib_ns = atomic_load(&c->terms.kib_ns);
}

void kc_tuning_list(struct kc_tuning *t, const struct kc_policy *policy)
{
	size_t n = kc_probe_list(policy, t->candidate);

	for (size_t i = 0; i < n; i++)
		if (t->candidate[i]->driver[0])
			t->candidate[t->n++] = t->candidate[i];
}

/* Wall time is what a candidate's own clock has to measure. */
static int measure(void)
{
	for (size_t i = 0; i < tuning.n; i++)
		tuning.candidate[i]->terms.counts_cpu = false;
	show(0);
	if (!begin_file() || !kc_probe_each(tuning.candidate, tuning.n, seconds, note, NULL))
		return kc_failure("out of memory, or cannot start another process");
	kc_tuned_seal(tuned);
	kc_tuning_print(tuned, json);
	return KC_EXIT_OK;
}

static int tune(const struct kc_config *config, const char *path)
{
	static struct kc_policy policy;
	int err;

	kc_policy_load(&policy, config);
	kc_tuning_list(&tuning, &policy);
	if (if_stale && kc_tuning_is_fresh(&tuning, path)) {
		printf("%s is up to date\n", path);
		return KC_EXIT_OK;
	}
	err = dry_run ? KC_EXIT_OK : kc_tuning_may_write(path);
	if (!err)
		err = measure();
	return err || dry_run ? err : kc_tuning_write(tuned, path);
}

static int run(const struct kc_args *args)
{
	static struct kc_conf conf;
	static struct kc_config config;
	static char path[PATH_MAX];

	(void)args;
	kc_config_init(&config);
	kc_conf_read(&conf, config_file, &config);
	if (config_file && conf.error[0])
		return kc_failure(conf.error);
	snprintf(path, sizeof(path), "%s", output ? output : config.tune_file);
	/* What an earlier run left must not be what this one finds. */
	config.tune_file[0] = '\0';
	/* If this runs under a filter, such as a service's, the filter was made for it. */
	config.trusts_seccomp = true;
	return tune(&config, path);
}

const struct kc_command kc_cmd_tune = {
	.name = "tune",
	.about = "measures this machine once, so that processes need not",
	.options = options,
	.run = run,
};
