/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto engine-names: its options. A script, engine_names.sh, does the work; the tool contains
 * it, and passes it the names.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine_ids.h"

#define MAX_IDS 16

static const char script[] =
#include "engine_names.inc"
	;

static const char *dir = KC_ENGINES_DIR;

/* 0, or an exit code. */
static int read_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "unknown, or lacks its value");
		dir = optarg;
	}
	if (optind + 1 < argc)
		return kc_usage_error(argv[optind + 1], "too much");
	return KC_EXIT_OK;
}

static int run_script(const char *what)
{
	const char *argv[MAX_IDS + 8] = {
		"sh", "-c", script, "kcrypto", what, dir, kc_ids[0].name
	};
	size_t n = 7;

	for (const struct kc_id *id = kc_ids; id->id && n < MAX_IDS + 7; id++)
		argv[n++] = id->id;
	execv("/bin/sh", (char **)argv);
	return kc_failure("/bin/sh could not be started");
}

int kc_cmd_engine_names(int argc, char **argv)
{
	int err = read_options(argc, argv);
	const char *what = err || optind >= argc ? "" : argv[optind];

	if (err)
		return err;
	if (*KC_ENGINE_PACKAGE)
		return kc_failure("the names are files of the package " KC_ENGINE_PACKAGE
				  ": install or remove that");
	if (!*dir)
		return kc_failure(
			"this OpenSSL has no engines; use --dir to name another one's directory");
	if (strcmp(what, "install") != 0 && strcmp(what, "remove") != 0)
		return kc_usage_error(what, "neither install nor remove");
	return run_script(what);
}
