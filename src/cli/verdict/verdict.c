/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto verdict: its options, the order of its work, and its exit status. */
#include "cli/verdict/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/software.h"
#include "cli/bench/field.h"
#include "cli/cli.h"
#include "cli/conf.h"
#include "cli/run/counters.h"
#include "cli/verdict/subject.h"
#include "policy/policy.h"

/* Only for kcrypto verdict. */
enum { RELIABLE = 0, UNRELIABLE = 1, BLIND = 2 };

#define DEFAULT_SECONDS 10

static struct kc_verdict verdict = { .seconds = DEFAULT_SECONDS };
static const struct kc_backend *backend;
static const char *driver;
static bool json;

static int read_backend(char *word)
{
	backend = kc_subject_backend(word);
	return backend ? KC_EXIT_OK : kc_usage_error("unknown kernel interface '%s'", word);
}

static const struct kc_option options[] = {
	{ "backend", "NAME", "asks it through AF_ALG or /dev/crypto only", .read = read_backend },
	{ "seconds", "N", "parallel sessions, and again speed; by default 10",
	  .number = &verdict.seconds, .max = 86400 },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ NULL },
};

/* Not a failure of the command: it could not look. */
static int blind(const char *why)
{
	fprintf(stderr, "kcrypto: %s\n", why);
	return BLIND;
}

static int list(void)
{
	return kc_subject_list(json) ? RELIABLE :
				       blind("the kernel lists no driver for kcrypto's algorithms");
}

/* A driver that hangs before the first request has had its verdict. */
static int tell_unasked(enum kc_ruling ruling, const char *why)
{
	fprintf(stderr, "kcrypto: the driver %s could not be asked\n%s", driver, why);
	return ruling == KC_HANGS ? UNRELIABLE : BLIND;
}

static int judge(void)
{
	static struct kc_subject subject;
	static struct kc_config config;
	static struct kc_conf conf;
	char why[1024];
	enum kc_ruling ruling = kc_subject_find(&subject, driver, backend, why, sizeof(why));

	if (ruling != KC_IS_RIGHT)
		return tell_unasked(ruling, why);
	if (!kc_base_open(true))
		return blind("OpenSSL's default provider cannot be loaded");
	kc_config_init(&config);
	kc_conf_read(&conf, NULL, &config);
	kc_field_set_module(conf.module);
	if (!kc_counters_begin())
		subject.no_module = "no file can be made to count the module's requests in";
	verdict.subject = &subject;
	if (!kc_verdict_run(&verdict))
		return blind("memory or processes are short");
	if (json)
		kc_verdict_print_json(&verdict);
	else
		kc_verdict_print(&verdict);
	return kc_verdict_is_bad(&verdict)  ? UNRELIABLE :
	       kc_verdict_is_good(&verdict) ? RELIABLE :
					      BLIND;
}

static int run(const struct kc_args *args)
{
	int err;

	/* If this runs under a filter, the filter was made for it. */
	kc_policy_loaded(true);
	driver = args->n ? args->words[0] : NULL;
	err = driver ? judge() : list();
	kc_counters_end();
	return err;
}

const struct kc_command kc_cmd_verdict = {
	.name = "verdict",
	.about = "examines one driver: is it reliable?",
	.options = options,
	.calls = { { .end = "[DRIVER]" } },
	.max_words = 1,
	.run = run,
};
