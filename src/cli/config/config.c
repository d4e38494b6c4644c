/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto config: its options, and the choice of an action. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/config/setup.h"

static const struct {
	const char *name;
	int (*run)(struct kc_setup *setup);
} actions[] = {
	{ "show", kc_config_show },	  { "check", kc_config_check },
	{ "enable", kc_config_enable },	  { "disable", kc_config_disable },
	{ "convert", kc_config_convert },
};

/* Paths from the command line, absolute and without links. */
static char root[PATH_MAX], file[PATH_MAX];

/* 0, or an exit code. */
static int set_root(struct kc_setup *setup, const char *path)
{
	if (!realpath(path, root)) {
		fprintf(stderr, "kcrypto: %s: %s\n", path, strerror(errno));
		return KC_EXIT_FAILED;
	}
	if (strcmp(root, "/") != 0)
		setup->files.root = root;
	return KC_EXIT_OK;
}

/* With a root, the file is inside it. It need not exist. */
static int set_file(struct kc_setup *setup, const char *path)
{
	char *dir = NULL;
	int n;

	if (path[0] != '/' && !*setup->files.root)
		dir = realpath(".", NULL);
	n = snprintf(file, sizeof(file), "%s/%s", dir ? dir : "", path);
	free(dir);
	setup->file = file;
	return n < PATH_MAX ? KC_EXIT_OK : kc_usage_error(path, "too long");
}

/* 0, or an exit code. */
static int read_options(struct kc_setup *setup, int argc, char **argv)
{
	static const struct option table[] = {
		{ "root", required_argument, NULL, 'r' },
		{ "config", required_argument, NULL, 'c' },
		{ "dry-run", no_argument, NULL, 'd' },
		{ "ktls", no_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 },
	};
	const char *path = NULL;
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "unknown, or lacks its value");
		if (c == 'r')
			err = set_root(setup, optarg);
		else if (c == 'c')
			path = optarg;
		setup->is_dry_run |= c == 'd';
		setup->wants_ktls |= c == 'k';
	}
	if (!err && path)
		err = set_file(setup, path);
	if (!err && optind + 1 < argc)
		err = kc_usage_error(argv[optind + 1], "too much");
	return err;
}

static int run(struct kc_setup *setup, const char *action)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(action, actions[i].name) == 0)
			return kc_setup_read(setup) ? kc_failure(setup->error) :
						      actions[i].run(setup);
	return kc_usage_error(action, "not an action of 'kcrypto config'");
}

int kc_cmd_config(int argc, char **argv)
{
	static struct kc_setup setup = { .files.root = "" };
	int code = read_options(&setup, argc, argv);

	if (!code)
		code = run(&setup, optind < argc ? argv[optind] : "");
	kc_setup_free(&setup);
	return code;
}
