/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto config: its options and actions, and the check of openssl.cnf. */
#include "cli/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/text.h"

static bool is_verbose, json;

/* Returns "kcrypto is on", or another verdict. */
static const char *say_verdict(const struct kc_diagnosis *d, const struct kc_parts *parts)
{
	if (strcmp(kc_diagnosis_verdict(d), "on") != 0)
		return "kcrypto is off";
	if (parts->is_active)
		return "kcrypto is on";
	return "kcrypto is on as an engine";
}

static void print_check(const struct kc_setup *setup, const struct kc_diagnosis *d)
{
	if (kc_diagnosis_print(d, is_verbose, stdout))
		putchar('\n');
	if (kc_diagnosis_print_worst(d, stdout))
		return;
	kc_paint(stdout, KC_GREEN, 0, "ok");
	printf(": %s%s: %s\n", setup->root, setup->main, say_verdict(d, &setup->found.conf.parts));
}

static int check(struct kc_setup *setup)
{
	struct kc_diagnosis *d = kc_setup_judge(setup);

	kc_diagnosis_advise(d);
	if (json)
		kc_json_finish(stdout,
			       kc_diagnosis_json(d, kc_json(NULL, "version=%s openssl_conf=%s",
							    KC_VERSION, setup->main)),
			       true);
	else
		print_check(setup, d);
	if (kc_diagnosis_worst(d))
		return KC_EXIT_FAILED;
	return KC_EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(struct kc_setup *setup);
	bool may_be_broken; /* works with an unreadable configuration, too */
} actions[] = {
	{ "check", check, .may_be_broken = true },
	{ "fix", kc_config_fix, .may_be_broken = true },
	{ "enable", kc_config_enable },
	{ "disable", kc_config_disable, .may_be_broken = true },
};

/* Paths from the command line, absolute and without links. */
static char root[PATH_MAX], file[PATH_MAX];
static const char *given_root, *given_file;
static struct kc_setup setup; /* large: a static with a value would fill the program's file */

enum {
	IN_CHECK = 1,
	IN_CHANGES = 2 | 4 | 8,
	IN_SWITCHES = 4 | 8
}; /* in the order of the operands */

static const struct kc_option options[] = {
	{ "ktls", NULL, "also turns on kTLS, the kernel's own TLS", .flag = &setup.wants_ktls,
	  .calls = IN_SWITCHES },
	{ "dry-run", NULL, "prints the lines that change, and writes nothing",
	  .flag = &setup.is_dry_run, .calls = IN_CHANGES },
	{ "root", "DIR", "works on the files of a system below DIR", .text = &given_root },
	{ "config", "FILE", "works on FILE instead of the openssl.cnf that programs read",
	  .text = &given_file },
	{ "verbose", NULL, "check also prints what is in order", .flag = &is_verbose,
	  .calls = IN_CHECK },
	{ "json", NULL, "check prints JSON", .flag = &json, .calls = IN_CHECK },
	{ NULL },
};

/* Returns 0 or an exit code. */
static int set_root(void)
{
	if (!realpath(given_root, root))
		return kc_failure("%s: %s", given_root, strerror(errno));
	if (strcmp(root, "/") != 0)
		setup.root = root;
	return KC_EXIT_OK;
}

/* With a root, the file is inside it. The file need not exist. */
static int set_file(void)
{
	char *dir = NULL;
	int n;

	if (given_file[0] != '/' && !*setup.root)
		dir = realpath(".", NULL);
	n = snprintf(file, sizeof(file), "%s/%s", kc_text_or(dir, ""),
		     given_file + (given_file[0] == '/'));
	free(dir);
	setup.file = file;
	setup.found.is_named = true;
	if (n < PATH_MAX)
		return KC_EXIT_OK;
	return kc_usage_error("'%s' is too long", given_file);
}

/* @action is one of the operands below. */
static int act(const char *action)
{
	int err = kc_setup_find(&setup);
	size_t i = 0;

	if (err)
		return kc_failure("there is no openssl.cnf%s%s: %s", kc_lead(" below ", setup.root),
				  setup.root, strerror(-err));
	while (strcmp(action, actions[i].name) != 0)
		i++;
	err = kc_setup_read(&setup);
	if (err && !actions[i].may_be_broken)
		return kc_failure("%s", setup.found.conf.error);
	return actions[i].run(&setup);
}

static int run_config(const struct kc_args *args)
{
	int code = KC_EXIT_OK;

	setup.root = "";
	setup.found.root = "";
	if (given_root)
		code = set_root();
	if (!code && given_file)
		code = set_file();
	else if (!*setup.root)
		setup.found.is_env = secure_getenv("OPENSSL_CONF") != NULL;
	setup.found.is_named |= setup.found.is_env;
	if (!code)
		code = act(args->word);
	kc_conf_free(&setup.found.conf);
	kc_text_free(&setup.before);
	kc_text_free(&setup.after);
	return code;
}

const struct kc_command kc_cmd_config = {
	.name = "config",
	.about = "checks or changes the configuration that turns kcrypto on",
	.options = options,
	.operands = "check | fix | enable | disable",
	.run = run_config,
};
