/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto engine-names: its options. A script, engine_names.sh, does the work. The tool contains
 * it, and passes it the names.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/engine_ids.h"

#define MAX_IDS 16

static const char script[] =
#include "engine_names.inc"
	;

static const char *dir = KC_ENGINES_DIR;

static const struct kc_option options[] = {
	{ "dir", "DIR", "works in DIR instead of OpenSSL's engine directory", .text = &dir },
	{ NULL },
};

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

static int run_engine_names(const struct kc_args *args)
{
	if (*KC_ENGINE_PACKAGE)
		return kc_failure("the names are files of the package " KC_ENGINE_PACKAGE
				  ": install or remove that");
	if (!*dir)
		return kc_failure(
			"this OpenSSL has no engines; use --dir to name another one's directory");
	return run_script(args->word);
}

const struct kc_command kc_cmd_engine_names = {
	.name = "engine-names",
	.about = "installs the engine under its old names, or removes it",
	.options = options,
	.operands = "install | remove",
	.run = run_engine_names,
};
