/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto selftest: is every driver in use right, now, on this machine? Of a named driver: is it
 * reliable? Owns the options, the choice of drivers and the exit status.
 */
#include <time.h>

#include "base/software.h"
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/conf.h"
#include "cli/run/command.h"
#include "cli/tls/tls.h"
#include "cli/selftest/selftest.h"
#include "core/process.h"
#include "policy/config_keys.h"

/* Of a named driver: it could not be examined. */
#define BLIND 2

#define MESSAGES 1000 /* by default, of all drivers in use */
#define OF_EACH	 100  /* of each algorithm of a named driver */

static struct kc_examination all = { .seconds = 10 };
static bool admits_all, json;
static unsigned rounds;
static const char *file, *backend;

static const struct kc_option options[] = {
	{ "all", NULL, "tests all algorithms with all drivers, software too", .flag = &admits_all,
	  .calls = KC_CALL_PLAIN },
	{ "backend", "NAME", "asks only through this one: kcrypto, devcrypto, afalg",
	  .text = &backend, .calls = KC_CALL_WORD },
	{ "seconds", "N", "for parallel sessions, by default 10", .number = &all.seconds,
	  .max = 86400, .calls = KC_CALL_WORD },
	{ "rounds", "N", "random messages in all, by default 1000", .number = &rounds,
	  .max = 100000000 },
	{ "seed", "N", "repeats the messages of the run that printed N", .number = &all.seed,
	  .max = 100000000 },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "config", "FILE", "reads FILE, not the openssl.cnf that programs read", .text = &file },
	{ NULL },
};

static void find_offered(struct kc_config *config)
{
	static struct kc_policy policy;
	size_t n;

	/* What tune found out before is not asked. */
	config->tune_file[0] = '\0';
	if (admits_all)
		config->admit = KC_ADMIT_ALL;
	for (size_t i = 0; admits_all && i < KC_ALG_COUNT; i++)
		config->row[i].on |= !kc_algs[i].named_only;
	kc_policy_load(&policy, config);
	n = kc_probe_list(&policy, all.candidate);
	for (size_t i = 0; i < n; i++)
		if (kc_subject_is_reached(all.candidate[i]->backend))
			all.candidate[all.n++] = all.candidate[i];
}

static void check_ktls(bool is_13)
{
	bool is_absent;
	const char *why = kc_ktls_check(is_13, &is_absent);

	kc_report_add(is_13 ? "kTLS 1.3 with AES-128-GCM: known records" :
			      "kTLS 1.2 with AES-128-GCM: known records",
		      NULL,
		      !why	? KC_IS_RIGHT :
		      is_absent ? KC_NOT_ASKED :
				  KC_IS_WRONG,
		      0, why);
}

static void set_rounds(bool is_named)
{
	if (!all.seed)
		all.seed = (unsigned)time(NULL) % 1000000 + 1;
	if (!rounds)
		rounds = is_named ? OF_EACH * (unsigned)all.n : MESSAGES;
	if (all.n)
		all.rounds = (rounds - 1) / (unsigned)all.n + 1;
}

static int examine(void)
{
	bool is_named = all.listed.driver[0];
	enum kc_ruling verdict;

	set_rounds(is_named);
	kc_report_begin(&all, json);
	if (!all.n)
		kc_report_add("drivers", NULL, KC_NOT_ASKED, 0,
			      "nothing goes to the kernel; kcrypto list says why");
	if (!kc_checks_run(&all))
		return kc_failure("memory or processes are short");
	for (int i = 0; !is_named && i < 2; i++)
		check_ktls(i);
	verdict = kc_report_end(&all);
	return verdict > KC_IS_RIGHT		   ? KC_EXIT_FAILED :
	       !is_named || verdict == KC_IS_RIGHT ? KC_EXIT_OK :
						     BLIND;
}

/* A driver that hangs before the first request has been examined. */
static int find_named(const char *driver)
{
	const char *why[KC_MAX_BACKENDS] = { NULL };
	const struct kc_backend *only = backend ? kc_backend_named(backend) : NULL;
	enum kc_ruling ruling;

	if (backend && !only)
		return kc_usage_error("unknown kernel interface '%s'", backend);
	ruling = kc_subject_find(&all, driver, only, why);
	if (ruling == KC_IS_RIGHT)
		return KC_EXIT_OK;
	kc_failure("the driver %s could not be tested", driver);
	for (size_t i = 0; kc_backends[i]; i++)
		if (why[i])
			fprintf(stderr, "%s: %s\n", kc_backends[i]->names[0], why[i]);
	return ruling == KC_HANGS ? KC_EXIT_FAILED : BLIND;
}

static int run(const struct kc_args *args)
{
	static struct kc_conf conf;
	int err = KC_EXIT_OK;

	/* If this runs under a filter, the filter was made for it. */
	kc_process_begin();
	kc_sandbox_loaded(true);
	if (kc_conf_open(&conf, file))
		return KC_EXIT_FAILED;
	kc_field_begin(conf.module, true);
	if (args->word)
		err = find_named(args->word);
	else
		find_offered(&conf.config);
	if (!err && !kc_base_open(true))
		err = kc_failure("OpenSSL's default provider cannot be loaded");
	if (!err && !kc_counters_begin())
		all.no_module = "no file can be made to count the module's requests in";
	if (!err)
		err = examine();
	return err;
}

const struct kc_command kc_cmd_selftest = {
	.name = "selftest",
	.about = "tests the drivers in use for right answers, or examines one",
	.options = options,
	.operands = "[DRIVER]",
	.run = run,
};
