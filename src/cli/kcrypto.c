/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's table of commands and its dispatch. Each command is in a file of its own. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cli/screen.h"

static int cmd_version(int argc, char **argv)
{
	if (argc > 1)
		return kc_usage_error(argv[1], "too much");
	printf("kcrypto %s, with %s\n", KC_VERSION, OpenSSL_version(OPENSSL_VERSION));
	return KC_EXIT_OK;
}

static int cmd_help(int argc, char **argv)
{
	if (argc > 2)
		return kc_usage_error(argv[2], "too much");
	if (argc == 2)
		return kc_help_one(argv[1]) ? KC_EXIT_OK : kc_usage_error(argv[1], "no command");
	cmd_version(1, argv);
	kc_help_all(stdout);
	return KC_EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "list", kc_cmd_list },
	{ "doctor", kc_cmd_doctor },
	{ "bench", kc_cmd_bench },
	{ "run", kc_cmd_run },
	{ "stats", kc_cmd_stats },
	{ "tune", kc_cmd_tune },
	{ "selftest", kc_cmd_selftest },
	{ "verdict", kc_cmd_verdict },
	{ "config", kc_cmd_config },
	{ "keys", kc_cmd_keys },
	{ "engine-names", kc_cmd_engine_names },
	/* as a word and as an option */
	{ "version", cmd_version },
	{ "--version", cmd_version },
	{ "help", cmd_help },
	{ "--help", cmd_help },
	{ "-h", cmd_help },
};

int kc_failure(const char *why)
{
	kc_paint(stderr, KC_RED, 0, "kcrypto");
	fprintf(stderr, ": %s\n", why);
	return KC_EXIT_FAILED;
}

int kc_usage_error(const char *word, const char *what)
{
	kc_paint(stderr, KC_RED, 0, "kcrypto");
	fprintf(stderr, ": '%s' is %s\nTry 'kcrypto help'.\n", word, what);
	return KC_EXIT_USAGE;
}

int kc_seconds_read(const char *word, unsigned *seconds)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*end || !n || n > 86400)
		return kc_usage_error(word, "not a number of seconds");
	*seconds = (unsigned)n;
	return KC_EXIT_OK;
}

static int run(const char *word, int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(word, commands[i].name) == 0)
			return commands[i].run(argc, argv);
	return kc_usage_error(word, "no command");
}

/* Options end at two dashes, and those of the command 'run' at the first word that is none. */
static bool asks_for_help(int argc, char **argv)
{
	int end = strcmp(argv[1], "run") == 0 && argc > 3 ? 3 : argc;

	for (int i = 2; i < end && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	int code;

	if (argc < 2) {
		kc_help_all(stderr);
		return KC_EXIT_USAGE;
	}
	/* The tool reads openssl.cnf as text: the configuration must not affect the tool itself. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	code = KC_EXIT_OK;
	if (!asks_for_help(argc, argv) || !kc_help_one(argv[1]))
		code = run(argv[1], argc - 1, argv + 1);
	if (fflush(stdout) != 0 || ferror(stdout))
		code = kc_failure("cannot write to standard output");
	return code;
}
