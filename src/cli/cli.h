/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands of the tool share. A command is one file with one function, and one line of
 * the table in kcrypto.c.
 */
#ifndef KC_CLI_CLI_H
#define KC_CLI_CLI_H

#include <stddef.h>

/* Exit codes. Nothing to offer is no failure. */
enum { KC_EXIT_OK, KC_EXIT_FAILED, KC_EXIT_USAGE };

/* @argv[0] is the command's name. They return an exit code. */
int kc_cmd_list(int argc, char **argv);

/* Sentences for the user, in the order in which they were found out. Zeroed: none. */
struct kc_notes {
	char line[24][320];
	size_t n;	/* what does not fit is dropped */
};

void kc_note(struct kc_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says on standard error what is wrong with a command line, and how to ask for help. */
int kc_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
