/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces kcrypto run's function, for kcrypto stats, where OpenSSL has no providers. */
#include "cli/run/command.h"

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
