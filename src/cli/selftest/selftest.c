/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto selftest: is it right, now, on this machine? In the Test Anything Protocol. */
#include <errno.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench/field.h"
#include "cli/cli.h"
#include "cli/conf.h"
#include "cli/probe.h"
#include "cli/run/counters.h"
#include "cli/screen.h"
#include "cli/selftest/ktls.h"
#include "cli/selftest/rounds.h"

static unsigned rounds = 1000, seed;
static bool all;
static const char *file;

static const struct kc_option options[] = {
	{ "all", NULL, "tests all algorithms with all drivers, software too", .flag = &all },
	{ "rounds", "N", "random messages in all, by default 1000", .number = &rounds,
	  .max = 100000000 },
	{ "seed", "N", "repeats the messages of the run that printed N", .number = &seed,
	  .max = 100000000 },
	{ "config", "FILE", "reads FILE, not the openssl.cnf that programs read", .text = &file },
	{ NULL },
};

static unsigned tests, failures;

__attribute__((format(printf, 2, 3))) static void tell(bool ok, const char *format, ...)
{
	va_list args;

	failures += !ok;
	kc_paint(stdout, ok ? KC_GREEN : KC_RED, 0, ok ? "ok" : "not ok");
	printf(" %u - ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static void skip(const char *what, const char *why)
{
	kc_paint(stdout, KC_YELLOW, 0, "ok");
	printf(" %u - %s # SKIP %s\n", ++tests, what, why);
}

static void tell_rounds(const struct kc_candidate *c, const char *what, unsigned n)
{
	uint64_t from = (uint64_t)seed << 32 | (uint64_t)(c->alg - kc_algs) << 24;
	struct kc_rounds r = kc_rounds_run(c, n, from);

	tell(r.done == n && !r.wrong && r.requests,
	     "%s: %u random messages, %llu requests to the kernel", what, r.done,
	     (unsigned long long)r.requests);
	if (r.wrong)
		printf("# message %u is wrong; again: --seed %u --rounds %u\n", r.done, seed,
		       rounds);
	else if (r.has_no_answer)
		printf("# no answer within %d seconds\n", KC_ROUNDS_SECONDS);
	else if (!r.began)
		printf("# the module can't be loaded, or does not offer it\n");
	else if (!r.requests)
		printf("# no request reached the kernel\n");
}

/* After the probe. @n: messages. */
static void test_driver(const struct kc_candidate *c, unsigned n)
{
	bool is_right = c->reason == KC_OK || c->reason == KC_SLOWER;
	const char *why = kc_reasons[c->reason].text;
	char name[KC_ALG_NAME_SIZE], what[KC_ALG_NAME_SIZE + KC_DRIVER_NAME_SIZE + 64];

	kc_alg_name(c->alg, name, sizeof(name));
	snprintf(what, sizeof(what), "%s by %s, driver %s", name, c->backend->name,
		 c->driver[0] ? c->driver : "unknown");
	/* Where the kernel lists no driver it is asked for one all the same, and may have none. */
	if (!is_right && !c->driver[0] && c->reason != KC_WRONG_ANSWER) {
		skip(what, why);
		return;
	}
	tell(is_right, "%s: known answers", what);
	if (is_right)
		tell_rounds(c, what, n);
	else
		printf("# %s\n", why);
}

static void tell_ktls(bool is_13)
{
	const char *why;
	enum kc_ktls result = kc_ktls_check(is_13, &why);

	if (result == KC_KTLS_ABSENT)
		skip(is_13 ? "kTLS 1.3" : "kTLS 1.2", why);
	else
		tell(result == KC_KTLS_RIGHT, "kTLS 1.%d with AES-128-GCM: known records",
		     is_13 ? 3 : 2);
	if (result == KC_KTLS_WRONG)
		printf("# %s\n", why);
}

/* Marks the candidates that are offered; the probe may take that back. */
static unsigned mark_offered(const struct kc_policy *policy,
			     bool is_marked[KC_ALG_COUNT][KC_MAX_BACKENDS])
{
	unsigned n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			n += is_marked[i][c->backend_number] = c->is_offered;
	return n;
}

static void admit_all(struct kc_config *config)
{
	config->admit = KC_ADMIT_ALL;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		config->row[i].on |= !kc_algs[i].named_only;
}

static void test_drivers(const struct kc_config *config)
{
	static bool is_marked[KC_ALG_COUNT][KC_MAX_BACKENDS];
	static struct kc_policy policy;
	unsigned n;

	kc_policy_load(&policy, config);
	n = mark_offered(&policy, is_marked);
	if (!n) {
		skip("drivers", "nothing goes to the kernel; kcrypto list says why");
		return;
	}
	kc_probe_run(&policy);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy.row[i]; c; c = c->next)
			if (is_marked[i][c->backend_number])
				test_driver(c, rounds / n + (rounds % n != 0));
}

static int run(const struct kc_args *args)
{
	static struct kc_conf conf;
	static struct kc_config config;

	(void)args;
	if (!seed)
		seed = (unsigned)time(NULL) % 1000000 + 1;
	kc_config_init(&config);
	kc_conf_read(&conf, file, &config);
	if (file && conf.error[0])
		return kc_failure(conf.error);
	kc_field_set_module(conf.module);
	if (!kc_counters_begin())
		return kc_failure("no file can be made to count in");
	/* What tune found out before is not asked. */
	config.tune_file[0] = '\0';
	if (all)
		admit_all(&config);
	printf("TAP version 13\n# seed %u\n", seed);
	test_drivers(&config);
	tell_ktls(false);
	tell_ktls(true);
	printf("1..%u\n", tests);
	kc_counters_end();
	return failures ? KC_EXIT_FAILED : KC_EXIT_OK;
}

const struct kc_command kc_cmd_selftest = {
	.name = "selftest",
	.about = "tests every driver for right answers",
	.options = options,
	.run = run,
};
