/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's table of commands and its dispatch. Each command is in a folder of its own. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <string.h>

static const struct kc_command version, help;

static const struct kc_command *const commands[] = {
	&kc_cmd_list,
#ifdef KC_HAS_PROVIDER
	&kc_cmd_doctor, &kc_cmd_bench,	&kc_cmd_tune, &kc_cmd_selftest,	    &kc_cmd_run,
#endif
	&kc_cmd_stats,	&kc_cmd_config, &kc_cmd_keys, &kc_cmd_engine_names, &version,	 &help,
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct kc_command *find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
	return NULL;
}

static int run_version(const struct kc_args *args)
{
	(void)args;
	printf("kcrypto %s, with %s\n", KC_VERSION, OpenSSL_version(OPENSSL_VERSION));
	return KC_EXIT_OK;
}

static void print_calls(FILE *out)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		kc_usage_print(out, commands[i], i ? "" : "usage:");
	fputs("'kcrypto COMMAND --help' says more, and kcrypto(1) all. For the configuration,\n"
	      "see kcrypto-provider(7).\n",
	      out);
}

static int run_help(const struct kc_args *args)
{
	const struct kc_command *about = args->word ? find(args->word) : NULL;

	if (args->word && !about)
		return kc_usage_error("unknown command '%s'", args->word);
	if (about) {
		kc_help_print(about);
	} else {
		run_version(args);
		print_calls(stdout);
	}
	return KC_EXIT_OK;
}

static const struct kc_command version = {
	.name = "version",
	.about = "prints the versions of kcrypto and OpenSSL",
	.run = run_version,
};

static const struct kc_command help = {
	.name = "help",
	.about = "shows how to call all commands, or one",
	.operands = "[COMMAND]",
	.run = run_help,
};

/* As an option, too. */
static const char *without_dashes(const char *word)
{
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
		return help.name;
	return strcmp(word, "--version") == 0 ? version.name : word;
}

int main(int argc, char **argv)
{
	const struct kc_command *command;
	int code;

	if (argc < 2) {
		print_calls(stderr);
		return KC_EXIT_USAGE;
	}
	command = find(without_dashes(argv[1]));
	if (!command)
		return kc_usage_error("unknown command '%s'", argv[1]);
	/* The tool reads openssl.cnf as text: the configuration must not affect the tool itself. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	code = kc_command_call(command, argc - 1, argv + 1);
	if (fflush(stdout) != 0 || ferror(stdout))
		code = kc_failure("cannot write to standard output");
	return code;
}
