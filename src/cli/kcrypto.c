/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's table of commands and its dispatch. Each command is in a folder of its own. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <string.h>

#include "cli/doctor/verdict.h"
#include "policy/config_value.h"

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

static bool json;

static const struct kc_option version_options[] = {
	{ "json", NULL, "prints JSON", .flag = &json },
	{ NULL },
};

static int run_version(const struct kc_args *args)
{
	(void)args;
	if (json) {
		printf("{\"version\":\"%s\",\"openssl\":\"%s\"}\n", KC_VERSION,
		       OpenSSL_version(OPENSSL_VERSION));
		return KC_EXIT_OK;
	}
	printf("kcrypto %s, with %s\n", KC_VERSION, OpenSSL_version(OPENSSL_VERSION));
	return KC_EXIT_OK;
}

/* Reports an unknown word, with the nearest command if one is near. */
static int tell_unknown(const char *word)
{
	struct kc_problem problem = { .nearest = "" };

	snprintf(problem.word, sizeof(problem.word), "%s", word);
	for (size_t i = 0; i < N_COMMANDS; i++)
		kc_suggest(&problem, commands[i]->name);
	if (problem.nearest[0])
		return kc_usage_error("unknown command '%s'; did you mean '%s'?", word,
				      problem.nearest);
	return kc_usage_error("unknown command '%s'", word);
}

static void print_calls(FILE *out)
{
	const char *label = "usage:";

	fputs("kcrypto without a command says in five lines what this machine gains.\n\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-13s %s\n", commands[i]->name, commands[i]->about);
	putc('\n', out);
	for (size_t i = 0; i < N_COMMANDS; i++, label = "")
		kc_usage_print(out, commands[i], label);
	fputs("'kcrypto COMMAND --help' lists options; kcrypto(1) describes everything, and\n"
	      "kcrypto-provider(7) the configuration.\n",
	      out);
}

static int run_help(const struct kc_args *args)
{
	const struct kc_command *about = NULL;

	if (args->word)
		about = find(args->word);
	if (args->word && !about)
		return tell_unknown(args->word);
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
	.options = version_options,
	.run = run_version,
};

static const struct kc_command help = {
	.name = "help",
	.about = "shows the usage of all commands, or of one",
	.operands = "[COMMAND]",
	.run = run_help,
};

/* A command may also be written as an option. */
static const char *without_dashes(const char *word)
{
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
		return help.name;
	if (strcmp(word, "--version") == 0)
		return version.name;
	return word;
}

#ifdef KC_HAS_PROVIDER
static int run_alone(const struct kc_args *args)
{
	(void)args;
	return kc_verdict_print();
}
#else
static int run_alone(const struct kc_args *args)
{
	(void)args;
	print_calls(stderr);
	return KC_EXIT_USAGE;
}
#endif

int main(int argc, char **argv)
{
	static const struct kc_args none;
	static const struct kc_command alone = { .name = "kcrypto", .run = run_alone };
	const struct kc_command *command = &alone;
	int code;

	if (argc > 1)
		command = find(without_dashes(argv[1]));
	if (!command)
		return tell_unknown(argv[1]);
	/*
	 * The tool reads openssl.cnf as text: that configuration must not affect the tool itself.
	 */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	if (argc > 1)
		code = kc_command_call(command, argc - 1, argv + 1);
	else
		code = command->run(&none);
	if (fflush(stdout) != 0 || ferror(stdout))
		code = kc_failure("cannot write to standard output");
	return code;
}
