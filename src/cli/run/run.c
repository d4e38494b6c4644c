/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto run: runs a command with kcrypto, and leaves the system's configuration untouched. */
#include "cli/cli.h"

#include "cli/run/command.h"

static const char *file;

static const struct kc_option options[] = {
	{ "config", "FILE", "takes FILE as the original of the command's openssl.cnf",
	  .text = &file },
	{ NULL },
};

static int run(const struct kc_args *args)
{
	struct kc_ended ended;
	const char *problem = kc_command_run(args->command, file, KC_WITH, false, &ended);

	return problem ? kc_failure(problem) : ended.code;
}

const struct kc_command kc_cmd_run = {
	.name = "run",
	.about = "runs a command with kcrypto",
	.options = options,
	.calls = { { .end = "-- COMMAND [ARGUMENT...]" } },
	.is_wrapper = true,
	.run = run,
};
