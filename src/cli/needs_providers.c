/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the commands that compare providers, for an OpenSSL that has no providers. */
#include "cli/cli.h"
#include "cli/run/command.h"

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

int kc_cmd_doctor(int argc, char **argv)
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

/* Replaces kcrypto run's function, for kcrypto stats. */
const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended)
{
	(void)argv;
	(void)file;
	(void)with;
	(void)is_quiet;
	(void)ended;
	return "a command can be run only with OpenSSL 3.0 or later";
}

int kc_cmd_tune(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return needs_providers();
}

int kc_cmd_selftest(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return needs_providers();
}

int kc_cmd_verdict(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return needs_providers();
}
