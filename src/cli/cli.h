/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the commands of the tool. A command is a row in kcrypto.c's table: its name, options
 * and function. Parsing, help and bash's completion come from that row; a test compares the man
 * page with it.
 */
#ifndef KC_CLI_CLI_H
#define KC_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Exit codes. To have nothing to offer is no failure. */
enum { KC_EXIT_OK, KC_EXIT_FAILED, KC_EXIT_USAGE };

/* How a command is called: without an operand, with one, or with a command to run. */
enum { KC_CALL_PLAIN = 1, KC_CALL_WORD = 2, KC_CALL_COMMAND = 4 };

/* The words after the options. */
struct kc_args {
	char *word;	/* the operand, or NULL, like the next */
	char **command; /* after two dashes */
};

/* The value goes to the one pointer that is set. */
struct kc_option {
	const char *name;  /* without the dashes */
	const char *value; /* the value's name in the help; NULL: there is none */
	const char *help;
	bool *flag;
	const char **text;
	unsigned *number; /* from 1 to @max */
	unsigned max;
	unsigned calls;	 /* that have it: KC_CALL_*, or a bit per action; 0: all */
	bool is_instead; /* excludes the option before it */
};

/*
 * The operands say what a command takes, and are shown in the help. "show | check": one of these
 * actions. "[WORD]": one word or none. "[-- COMMAND]": a command or none. "-- COMMAND": a command,
 * even without the dashes.
 */
struct kc_command {
	const char *name, *about;
	const struct kc_option *options;	/* the last has no name; at most 32 */
	const char *operands;			/* NULL: none */
	int (*run)(const struct kc_args *args); /* returns an exit code */
};

extern const struct kc_command kc_cmd_list, kc_cmd_doctor, kc_cmd_bench, kc_cmd_stats, kc_cmd_run,
	kc_cmd_tune, kc_cmd_selftest, kc_cmd_config, kc_cmd_keys, kc_cmd_engine_names;

/* Reads the options and calls the command. @argv[0] is the command's name. Returns an exit code. */
int kc_command_call(const struct kc_command *command, int argc, char **argv);

/* Prints how a command is called, in one line that begins with @label. */
void kc_usage_print(FILE *out, const struct kc_command *command, const char *label);

/* Prints how a command is called, and explains its options. */
void kc_help_print(const struct kc_command *command);

/* Reports on standard error why the command failed. Returns KC_EXIT_FAILED. */
__attribute__((format(printf, 1, 2))) int kc_failure(const char *format, ...);

/* For the cleanup attribute of KC_FILE. */
static inline void kc_file_close(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* Declares a local file that is closed at the end of its block, if it is open. */
#define KC_FILE __attribute__((cleanup(kc_file_close))) FILE

/* For the cleanup attribute of KC_FD. */
static inline void kc_fd_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Declares a local descriptor that is closed at the end of its block, unless it is negative. */
#define KC_FD __attribute__((cleanup(kc_fd_close))) int

/* Returns @memory; if that is NULL, reports it and ends the process. */
void *kc_must(void *memory);

/* Reports on standard error what is wrong with the command line. Returns KC_EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int kc_usage_error(const char *format, ...);

/* Reads a whole number from 1 to @max. Returns an exit code, and reports an error. */
int kc_option_number(const char *word, unsigned max, unsigned *number);

#endif
