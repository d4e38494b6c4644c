/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto config: its options, and the choice of an action. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/config.h"

static const struct {
	const char *name;
	int (*run)(struct kc_setup *setup);
	bool may_be_broken; /* the configuration need not be readable */
} actions[] = {
	{ "show", kc_config_show },
	{ "check", kc_config_check, .may_be_broken = true },
	{ "enable", kc_config_enable },
	{ "disable", kc_config_disable, .may_be_broken = true },
};

/* Paths from the command line, absolute and without links. */
static char root[PATH_MAX], file[PATH_MAX];
static const char *given_root, *given_file;
static struct kc_setup setup = { .files.root = "" };

static const struct kc_option options[] = {
	{ "ktls", NULL, "turns on kTLS, the kernel's own TLS, as well", .flag = &setup.wants_ktls,
	  .calls = 2 },
	{ "dry-run", NULL, "prints the lines that change, and writes nothing",
	  .flag = &setup.is_dry_run, .calls = 2 },
	{ "root", "DIR", "works on the files of a system below DIR", .text = &given_root },
	{ "config", "FILE", "works on FILE, not on the openssl.cnf that programs read",
	  .text = &given_file },
	{ NULL },
};

/* 0, or an exit code. */
static int set_root(void)
{
	if (!realpath(given_root, root)) {
		fprintf(stderr, "kcrypto: %s: %s\n", given_root, strerror(errno));
		return KC_EXIT_FAILED;
	}
	if (strcmp(root, "/") != 0)
		setup.files.root = root;
	return KC_EXIT_OK;
}

/* With a root, the file is inside it. It need not exist. */
static int set_file(void)
{
	char *dir = NULL;
	int n;

	if (given_file[0] != '/' && !*setup.files.root)
		dir = realpath(".", NULL);
	n = snprintf(file, sizeof(file), "%s/%s", dir ? dir : "", given_file);
	free(dir);
	setup.file = file;
	return n < PATH_MAX ? KC_EXIT_OK : kc_usage_error("'%s' is too long", given_file);
}

static int act(const char *action)
{
	int err;

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(action, actions[i].name) != 0)
			continue;
		err = kc_setup_read(&setup);
		if (err && (err == -ENXIO || !actions[i].may_be_broken))
			return kc_failure(setup.error);
		return actions[i].run(&setup);
	}
	return KC_EXIT_USAGE;
}

static int run(const struct kc_args *args)
{
	int code = given_root ? set_root() : KC_EXIT_OK;

	if (!code && given_file)
		code = set_file();
	if (!code)
		code = act(args->words[0]);
	kc_setup_free(&setup);
	return code;
}

const struct kc_command kc_cmd_config = {
	.name = "config",
	.about = "shows, checks or changes the configuration that turns kcrypto on",
	.options = options,
	.calls = { { .begin = "show | check" }, { .begin = "enable | disable" } },
	.max_words = 1,
	.run = run,
};
