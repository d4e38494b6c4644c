/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tool says about its commands: the calls, which bash's completion reads, and a line for
 * each option. The man page has the same; tests compare them.
 */
#include "cli/help.h"

#include <string.h>

#define CONFIG "  --config FILE      reads FILE, not the openssl.cnf that programs read\n"
#define OTHER  "  --config FILE      takes FILE as the original of the command's openssl.cnf\n"

static const struct {
	const char *name, *about;
	const char *calls; /* lines */
	const char *options;
} helps[] = {
	{ "list", "shows what programs get from the kernel, and why not more",
	  "kcrypto list [--all] [--json | --engine-format] [--no-trial]\n"
	  "             [--config FILE]\n",
	  "  --all              prints every row, with all columns\n"
	  "  --json             prints every row as JSON\n"
	  "  --engine-format    prints what the engine's DUMP_INFO prints\n"
	  "  --no-trial         tries no driver, and measures nothing\n" CONFIG },
	{ "doctor", "names the first thing that is wrong, and its mend",
	  "kcrypto doctor [--json] [--key NAME] [-- COMMAND [ARGUMENT...]]\n",
	  "  --json             prints everything, for a bug report\n"
	  "  --key NAME         examines this key of the kernel, too\n" },
	{ "bench", "compares software and kernel, in turns",
	  "kcrypto bench [--algorithms LIST] [--sizes LIST] [--seconds N]\n"
	  "              [--threads N] [--processes N] [--decrypt]\n"
	  "              [--json | --csv] [--config FILE]\n"
	  "kcrypto bench --tls [--algorithms LIST] [--sizes LIST] [--seconds N]\n"
	  "              [--threads N] [--processes N] [--json | --csv]\n"
	  "              [--config FILE]\n"
	  "kcrypto bench [--runs N] [--json] [--config FILE]\n"
	  "              -- COMMAND [ARGUMENT...]\n",
	  "  --algorithms LIST  by default AES-128-CBC,AES-256-CBC\n"
	  "  --sizes LIST       bytes in a request\n"
	  "  --seconds N        approximate time for the table, by default 60\n"
	  "  --threads N        threads at a time\n"
	  "  --processes N      processes at a time\n"
	  "  --decrypt          measures decryption\n"
	  "  --tls              measures TLS records: software, kcrypto, kTLS\n"
	  "  --runs N           pairs of runs of the command, by default 5\n"
	  "  --json             prints JSON\n"
	  "  --csv              prints comma-separated values\n" CONFIG },
	{ "tune", "measures this machine once, so that processes need not",
	  "kcrypto tune [--if-stale] [--seconds N] [--dry-run] [--json]\n"
	  "             [--output FILE] [--config FILE]\n",
	  "  --if-stale         does nothing if the file is still valid here\n"
	  "  --seconds N        approximate time for all drivers, by default 60\n"
	  "  --dry-run          writes no file\n"
	  "  --json             prints JSON\n"
	  "  --output FILE      writes FILE, not the one that the configuration names\n" CONFIG },
	{ "selftest", "tests every driver for right answers",
	  "kcrypto selftest [--all] [--rounds N] [--seed N] [--config FILE]\n",
	  "  --all              tests all algorithms with all drivers, software too\n"
	  "  --rounds N         random messages in all, by default 1000\n"
	  "  --seed N           repeats the messages of the run that printed N\n" CONFIG },
	{ "verdict", "examines one driver: is it reliable?",
	  "kcrypto verdict [--backend NAME] [--seconds N] [--json] [DRIVER]\n",
	  "  --backend NAME     asks it through AF_ALG or /dev/crypto only\n"
	  "  --seconds N        parallel sessions, and again speed; by default 10\n"
	  "  --json             prints JSON\n" },
	{ "run", "runs a command with kcrypto",
	  "kcrypto run [--config FILE] -- COMMAND [ARGUMENT...]\n", OTHER },
	{ "stats", "counts the work of the kernel and of software",
	  "kcrypto stats [--watch] [--json]\n"
	  "kcrypto stats [--json] [--config FILE] -- COMMAND [ARGUMENT...]\n",
	  "  --watch            prints the table every second\n"
	  "  --json             prints JSON\n" OTHER },
	{ "config", "shows, checks or changes the configuration that turns kcrypto on",
	  "kcrypto config show | check [--root DIR] [--config FILE]\n"
	  "kcrypto config enable | disable | convert [--ktls] [--dry-run]\n"
	  "               [--root DIR] [--config FILE]\n",
	  "  --ktls             turns on the kernel's own TLS as well\n"
	  "  --dry-run          prints the changes as a diff, and writes nothing\n"
	  "  --root DIR         works on the files of a system below DIR\n"
	  "  --config FILE      works on FILE, not on the openssl.cnf that programs read\n" },
	{ "keys", "shows which keys of the kernel's keyring can be used", "kcrypto keys [--json]\n",
	  "  --json             prints JSON\n" },
	{ "engine-names", "puts the engine in place under old names, or removes it",
	  "kcrypto engine-names install | remove [--dir DIR]\n",
	  "  --dir DIR          works in DIR, not in OpenSSL's directory of engines\n" },
	{ "version", "prints its version and OpenSSL's", "kcrypto version\n", "" },
	{ "help", "shows how all commands are called, or one", "kcrypto help [COMMAND]\n", "" },
};

#define N_HELPS (sizeof(helps) / sizeof(helps[0]))

/* Only the very first call has the word itself. */
static void print_calls(FILE *out, const char *calls, const char *word)
{
	for (size_t len; *calls; calls += len) {
		len = strcspn(calls, "\n") + 1;
		fprintf(out, "%-7s%.*s", word, (int)len, calls);
		word = "";
	}
}

void kc_help_all(FILE *out)
{
	for (size_t i = 0; i < N_HELPS; i++)
		print_calls(out, helps[i].calls, i ? "" : "usage:");
	fputs("'kcrypto COMMAND --help' says more, and kcrypto(1) all. For the configuration,\n"
	      "see kcrypto-provider(7).\n",
	      out);
}

bool kc_help_one(const char *command)
{
	for (size_t i = 0; i < N_HELPS; i++) {
		if (strcmp(command, helps[i].name) != 0)
			continue;
		printf("kcrypto %s %s.\n\n", command, helps[i].about);
		print_calls(stdout, helps[i].calls, "usage:");
		printf("%s%s\nkcrypto(1) says more.\n", helps[i].options[0] ? "\n" : "",
		       helps[i].options);
		return true;
	}
	return false;
}
