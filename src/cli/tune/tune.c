/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto tune: measures once what each process would measure for itself, and writes it to a file.
 * Only a child uses drivers, because a call that hangs in one can't be left.
 */
#include "cli/tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/conf.h"
#include "cli/probe/probe.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "core/clock.h"
#include "policy/tune_file.h"

#define DEFAULT_SECONDS 60
#define EXAMINED	3 /* the part of the time in which drivers are examined */
#define GRACE_NS	30000000000
#define SLOW_KIB_NS	10000000 /* a KiB at 100 KB/s */
#define PLACES		(KC_PREFER_COUNT * 2)

/* The candidates to try. */
static struct {
	struct kc_candidate *candidate[KC_MAX_CANDIDATES];
	size_t n;
} tuning;
static struct kc_tuned *tuned, *old; /* the new file, and the last one or NULL */
static uint32_t kept;		     /* from kc_tune_kept_backends() */
static struct kc_evidence *evidence; /* by fact */
static unsigned seconds = DEFAULT_SECONDS;
static bool dry_run, json, if_stale, forget;
static const char *output, *config_file;

static const struct kc_option options[] = {
	{ "if-stale", NULL, "does nothing if the file is still valid here", .flag = &if_stale },
	{ "seconds", "N", "approximate time for all drivers, by default 60", .number = &seconds,
	  .max = 86400 },
	{ "forget", NULL, "drops rows of backends that cannot be opened now", .flag = &forget },
	{ "dry-run", NULL, "writes no file", .flag = &dry_run },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "output", "FILE", "writes FILE instead of the one that the configuration names",
	  .text = &output },
	{ "config", "FILE", "reads FILE instead of the openssl.cnf that programs read",
	  .text = &config_file },
	{ NULL },
};

/* Finds a backend's drivers, if necessary in the last file. False: it has none. */
static bool find_drivers(unsigned i, struct kc_drivers *drivers)
{
	const struct kc_backend *b = kc_backends[i];

	kc_drivers_init(drivers, NULL);
	if (kept >> i & 1)
		return kc_tuned_drivers(old, b, drivers);
	return kc_backend_exists(b, false) && b->discover(drivers) == 0;
}

/* Lists each backend's drivers again, because a policy keeps only the best ones. */
static void begin_file(void)
{
	struct kc_drivers *drivers = kc_must(calloc(KC_MAX_BACKENDS, sizeof(*drivers)));
	bool is_there[KC_MAX_BACKENDS] = { false };
	size_t n = 0, facts = tuning.n + kc_tune_kept(old, kept);

	for (unsigned i = 0; kc_backends[i]; i++) {
		is_there[i] = find_drivers(i, &drivers[i]);
		n += drivers[i].n;
	}
	tuned = kc_must(kc_tuned_new(n, facts));
	evidence = kc_must(calloc(facts + 1, sizeof(*evidence)));
	for (size_t i = 0; kc_backends[i]; i++)
		if (is_there[i])
			kc_tuned_add_drivers(tuned, kc_backends[i], &drivers[i]);
	free(drivers);
	kc_tune_keep_facts(tuned, old, kept);
	for (size_t i = 0; i < tuned->n_facts; i++)
		evidence[i].by = (enum kc_doer)kc_tuned_facts(tuned)[i].done_by;
}

static void show(size_t done)
{
	if (done < tuning.n)
		kc_progress("measuring: %3zu %%, %s by %s", done * 100 / tuning.n,
			    kc_row_name(tuning.candidate[done]->alg, tuning.candidate[done]->whole),
			    tuning.candidate[done]->driver);
	else
		kc_progress_end();
}

/* The fact is about the driver that the kernel lists, whichever one a session got. */
static void note(const struct kc_candidate *listed, const struct kc_probed *probed)
{
	struct kc_fact *fact = kc_tuned_add_fact(tuned, listed);

	evidence[fact - kc_tuned_facts(tuned)] = probed->evidence;
	kc_tune_fact(fact, probed);
	fact->left_out = fact->reason == KC_OK && !listed->is_examined;
}

/* Lists the candidates whose driver has a name: a file can be about these. */
static void list_candidates(const struct kc_policy *policy)
{
	size_t n = kc_probe_list(policy, tuning.candidate);

	for (size_t i = 0; i < n; i++)
		if (tuning.candidate[i]->driver[0] &&
		    !(kept >> tuning.candidate[i]->backend_number & 1))
			tuning.candidate[tuning.n++] = tuning.candidate[i];
}

/* For lack of time: programs try the driver themselves. */
static void leave_out(size_t i, struct kc_probed *probed)
{
	memset(probed, 0, sizeof(*probed));
	probed->candidate = *tuning.candidate[i];
	for (int k = 0; k < PLACES; k++)
		probed->found.threshold[k / 2][k % 2] = KC_UNSETTLED;
	probed->found.longest = SIZE_MAX;
	tuning.candidate[i]->is_examined = false;
}

/* The last candidate that was measured, and its price. */
static struct {
	const struct kc_candidate *candidate;
	unsigned kib_ns;
} last;

/* A busy machine gets a little more time, but not for a slow device, for which it would not do. */
static bool may_be_measured(size_t i, uint64_t now, uint64_t end)
{
	const struct kc_candidate *c = tuning.candidate[i];

	if (!i || now < end)
		return true;
	if (last.kib_ns > SLOW_KIB_NS && kc_probe_shares_driver(last.candidate, c))
		return false;
	return now < end + GRACE_NS;
}

/* @end: of all; each candidate gets its part of the rest. */
static bool measure_one(size_t i, uint64_t end, struct kc_probed *probed)
{
	uint64_t now = kc_now_ns();
	bool is_started;

	if (!may_be_measured(i, now, end)) {
		leave_out(i, probed);
		return true;
	}
	is_started = kc_probe_one(tuning.candidate, tuning.n, i, seconds,
				  now + (now < end ? (end - now) / (tuning.n - i) : 0),
				  KC_LOOK_CLOSELY, probed);
	last.candidate = tuning.candidate[i];
	last.kib_ns = atomic_load(&probed->candidate.terms.kib_ns);
	return is_started;
}

/* A candidate's own clock has to measure wall time. */
static int measure(void)
{
	uint64_t end = kc_now_ns() + (uint64_t)seconds * 1000000000;
	unsigned cpu_seconds = kc_probe_cpu_seconds(tuning.n);
	struct kc_probed probed;

	begin_file();
	if (!kc_tune_examine(tuning.candidate, tuning.n, seconds / EXAMINED))
		return kc_failure("memory or processes are short");
	for (size_t i = 0; i < tuning.n; i++) {
		show(i);
		tuning.candidate[i]->terms.prefer = KC_PREFER_THROUGHPUT;
		if (!measure_one(i, end, &probed))
			return kc_failure("cannot start another process");
		note(tuning.candidate[i], &probed);
	}
	show(tuning.n);
	kc_tuned_seal(tuned);
	kc_tune_print(tuned, evidence, cpu_seconds > seconds ? cpu_seconds : 0, json);
	return KC_EXIT_OK;
}

static int cannot_write(const char *path, int err)
{
	bool is_denied = geteuid() != 0 && (err == EACCES || err == EPERM);

	return kc_failure("%s can't be written: %s", path,
			  is_denied ? "run this as root, or name another file with --output" :
				      strerror(err));
}

/* Makes the directory if it is missing, but not its parent. Everyone must be able to read in it. */
static int prepare_directory(const char *path)
{
	char copy[PATH_MAX];
	const char *dir;

	if (snprintf(copy, sizeof(copy), "%s", path) >= PATH_MAX)
		return cannot_write(path, ENAMETOOLONG);
	dir = dirname(copy);
	umask(022);
	if (mkdir(dir, 0755) != 0 && errno != EEXIST)
		return cannot_write(path, errno);
	if (access(dir, W_OK | X_OK) == 0)
		return KC_EXIT_OK;
	return cannot_write(path, errno);
}

/* For people; on standard error if the output is JSON. */
static void print_kept(void)
{
	for (unsigned i = 0; kc_backends[i]; i++)
		if (kept >> i & 1)
			fprintf(json ? stderr : stdout,
				"%s cannot be opened now: its rows of the last file are kept\n",
				kc_backends[i]->names[0]);
}

/* A file without facts would only hide an older one's. 0 or -errno. */
static int write_file(const char *path)
{
	struct kc_text text = { (char *)tuned, tuned->size, 0 };

	if (tuned->n_facts)
		return kc_files_replace(AT_FDCWD, path, &text, -1, false);
	if (forget && unlink(path) != 0 && errno != ENOENT)
		return -errno;
	return 0;
}

/* The file says so, too, and thereby keeps programs from such a driver. */
static int verdict(void)
{
	const struct kc_fact *fact = kc_tuned_facts(tuned);

	for (size_t n = tuned->n_facts; n; n--, fact++)
		if (kc_reason_blames_driver(fact->reason))
			return KC_EXIT_FAILED;
	return KC_EXIT_OK;
}

static int tune(const struct kc_config *config, const char *path)
{
	static struct kc_policy policy;
	int err;

	if (if_stale && kc_tune_is_fresh(config, path)) {
		printf("%s is up to date\n", path);
		return KC_EXIT_OK;
	}
	if (!forget && kc_tuned_read(path, &old) != KC_OK)
		old = NULL;
	kept = kc_tune_kept_backends(old);
	kc_policy_load(&policy, config);
	list_candidates(&policy);
	err = dry_run ? KC_EXIT_OK : prepare_directory(path);
	if (!err)
		err = measure();
	if (err)
		return err;
	print_kept();
	err = dry_run ? 0 : write_file(path);
	if (err)
		return cannot_write(path, -err);
	if (!json)
		kc_tune_conclude(tuned, dry_run ? NULL : path);
	return verdict();
}

static int run(const struct kc_args *args)
{
	static struct kc_conf conf;
	static char path[PATH_MAX];

	(void)args;
	if (kc_conf_open(&conf, config_file))
		return KC_EXIT_FAILED;
	snprintf(path, sizeof(path), "%s", output ? output : conf.config.tune_file);
	/* An earlier run's result must not influence this one's. */
	conf.config.tune_file[0] = '\0';
	/* If this runs under a filter, such as a service's, the filter was made for it. */
	conf.config.trusts_seccomp = true;
	kc_field_begin(conf.module, true);
	return tune(&conf.config, path);
}

const struct kc_command kc_cmd_tune = {
	.name = "tune",
	.about = "measures this machine once, so that processes need not",
	.options = options,
	.run = run,
};
