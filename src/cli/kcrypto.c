/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's table of commands and its dispatch. What a command does is its own file's. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);

static int cmd_version(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return kc_usage_error("version takes no argument");
	printf("kcrypto %s, with %s\n", KC_VERSION, OpenSSL_version(OPENSSL_VERSION));
	return KC_EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments, *description;
} commands[] = {
	{ "list", kc_cmd_list, "[--json] [--no-trial] [--config FILE]",
	  "what goes to the kernel, from which size on, and what does not and why" },
	{ "version", cmd_version, "", "the versions of kcrypto and of OpenSSL" },
	{ "help", cmd_help, "", "this text" },
};

static int cmd_help(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return kc_usage_error("help takes no argument");
	printf("usage: kcrypto COMMAND [OPTION ...]\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		printf("  %s%s%s\n      %s\n", commands[i].name, *commands[i].arguments ? " " : "",
		       commands[i].arguments, commands[i].description);
	printf("\nSee kcrypto(1), and kcrypto-provider(7) for the configuration.\n");
	return KC_EXIT_OK;
}

void kc_note(struct kc_notes *notes, const char *format, ...)
{
	va_list ap;

	if (notes->n == sizeof(notes->line) / sizeof(notes->line[0]))
		return;
	va_start(ap, format);
	vsnprintf(notes->line[notes->n++], sizeof(notes->line[0]), format, ap);
	va_end(ap);
}

int kc_usage_error(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "kcrypto: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'kcrypto help'.\n");
	return KC_EXIT_USAGE;
}

/* The commands that may be written as an option. */
static const char *command_of(const char *word)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return "help";
	return strcmp(word, "--version") == 0 ? "version" : word;
}

/* Output that could not be written is a job not done. */
static int finish(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	perror("kcrypto: standard output");
	return KC_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return kc_usage_error("a command is missing");
	/* The tool reads openssl.cnf as text: what that configures must not act on the tool. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(command_of(argv[1]), commands[i].name) == 0)
			return finish(commands[i].run(argc - 1, argv + 1));
	return kc_usage_error("there is no command '%s'", argv[1]);
}
