/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the commands that compare providers, where OpenSSL has none yet. */
#include "cli/cli.h"

static int needs_providers(void)
{
	return kc_failure("this command needs OpenSSL 3.0 or later");
}

int kc_cmd_bench(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return needs_providers();
}

int kc_cmd_run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return needs_providers();
}

int kc_cmd_tune(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return needs_providers();
}
