/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's table of commands and its dispatch. Each command is in a file of its own. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: kcrypto list [--json | --engine-format] [--no-trial] [--config FILE]\n"
	"       kcrypto doctor [--json] [-- COMMAND [ARGUMENT...]]\n"
	"       kcrypto bench [--algorithms LIST] [--sizes LIST] [--seconds N] [--threads N]\n"
	"                     [--processes N] [--decrypt] [--json | --csv] [--config FILE]\n"
	"       kcrypto bench [--runs N] [--json] [--config FILE] -- COMMAND [ARGUMENT...]\n"
	"       kcrypto tune [--if-stale] [--seconds N] [--dry-run] [--json] [--output FILE]\n"
	"                    [--config FILE]\n"
	"       kcrypto selftest [--all] [--rounds N] [--seed N] [--config FILE]\n"
	"       kcrypto run [--config FILE] -- COMMAND [ARGUMENT...]\n"
	"       kcrypto stats [--watch] [--json]\n"
	"       kcrypto stats [--json] [--config FILE] -- COMMAND [ARGUMENT...]\n"
	"       kcrypto config show | check [--root DIR] [--config FILE]\n"
	"       kcrypto config enable | disable | convert [--ktls] [--dry-run] [--root DIR]\n"
	"                      [--config FILE]\n"
	"       kcrypto engine-names install | remove [--dir DIR]\n"
	"       kcrypto version | help\n"
	"See kcrypto(1), and kcrypto-provider(7) for the configuration.\n";

static int cmd_version(int argc, char **argv)
{
	if (argc > 1)
		return kc_usage_error(argv[1], "too much");
	printf("kcrypto %s, with %s\n", KC_VERSION, OpenSSL_version(OPENSSL_VERSION));
	return KC_EXIT_OK;
}

static int cmd_help(int argc, char **argv)
{
	int err = cmd_version(argc, argv);

	if (!err)
		fputs(usage, stdout);
	return err;
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
	{ "config", kc_cmd_config },
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
	fprintf(stderr, "kcrypto: %s\n", why);
	return KC_EXIT_FAILED;
}

int kc_usage_error(const char *word, const char *what)
{
	fprintf(stderr, "kcrypto: '%s' is %s\nTry 'kcrypto help'.\n", word, what);
	return KC_EXIT_USAGE;
}

static int run(const char *word, int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(word, commands[i].name) == 0)
			return commands[i].run(argc, argv);
	return kc_usage_error(word, "no command");
}

static bool asks_for_help(const char *word)
{
	return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

int main(int argc, char **argv)
{
	int code;

	if (argc < 2) {
		fputs(usage, stderr);
		return KC_EXIT_USAGE;
	}
	/* The tool reads openssl.cnf as text: the configuration must not affect the tool itself. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	if (argc == 3 && asks_for_help(argv[2]))
		code = cmd_help(1, argv);
	else
		code = run(argv[1], argc - 1, argv + 1);
	if (fflush(stdout) != 0 || ferror(stdout))
		code = kc_failure("cannot write to standard output");
	return code;
}
