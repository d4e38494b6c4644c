/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto run: runs a command with kcrypto, and leaves the system's configuration untouched. */
#include "cli/cli.h"

#include <getopt.h>
#include <stddef.h>

#include "cli/run/command.h"

int kc_cmd_run(int argc, char **argv)
{
	static const struct option table[] = {
		{ "config", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	const char *file = NULL;
	struct kc_ended ended;
	const char *problem;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+", table, NULL)) != -1) {
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "unknown, or lacks its value");
		file = optarg;
	}
	if (optind == argc)
		return kc_usage_error(argv[0], "missing a command to run");
	problem = kc_command_run(argv + optind, file, KC_WITH, false, &ended);
	return problem ? kc_failure(problem) : ended.code;
}
