/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the commands of the tool. A command is a row in kcrypto.c's table: its name, its
 * options and its function. Parsing, the help, and with it bash's completion, come from that row;
 * a test compares the man page with it.
 */
#ifndef KC_CLI_CLI_H
#define KC_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes. Having nothing to offer is not a failure. */
enum { KC_EXIT_OK, KC_EXIT_FAILED, KC_EXIT_USAGE };

#define KC_MAX_CALLS 3

/* One of the ways to call a command. */
struct kc_call {
	const char *begin; /* before the options: an option, or the actions "show | check" */
	const char *end;   /* after them */
};

/* What is given after the options. */
struct kc_args {
	char **words;	/* operands */
	size_t n;	/* words */
	char **command; /* after two dashes; NULL if there is none */
};

/* The value goes to the one pointer that is set. */
struct kc_option {
	const char *name;  /* without the dashes */
	const char *value; /* its name in the help; NULL: the option has none */
	const char *help;
	bool *flag;
	const char **text;
	unsigned *number; /* from 1 to @max */
	unsigned max;
	int (*read)(char *word); /* returns an exit code */
	unsigned calls;		 /* a bit for each call that has it; 0: all have it */
	bool is_instead;	 /* it excludes the option before it */
};

struct kc_command {
	const char *name, *about;
	const struct kc_option *options; /* up to one without a name; at most 32 */
	struct kc_call calls[KC_MAX_CALLS];
	unsigned max_words;
	bool is_wrapper; /* its first operand is the command, even without two dashes */
	int (*run)(const struct kc_args *args); /* returns an exit code */
};

extern const struct kc_command kc_cmd_list, kc_cmd_doctor, kc_cmd_bench, kc_cmd_stats, kc_cmd_run,
	kc_cmd_tune, kc_cmd_selftest, kc_cmd_config, kc_cmd_keys, kc_cmd_engine_names;

/* Reads the options and calls the command. @argv[0] is the command's name. Returns an exit code. */
int kc_command_call(const struct kc_command *command, int argc, char **argv);

/* Prints how a command is called; @label stands before the first call, blanks before the others. */
void kc_usage_print(FILE *out, const struct kc_command *command, const char *label);

/* Prints the calls and explains the options. */
void kc_help_print(const struct kc_command *command);

/* Reports on standard error why the command failed. KC_EXIT_FAILED. */
int kc_failure(const char *why);

/* Reports on standard error what is wrong with the command line. KC_EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int kc_usage_error(const char *format, ...);

/* Reads a whole number from 1 to @max. An exit code; reports like the above. */
int kc_option_number(const char *word, unsigned max, unsigned *number);

#endif
