/* SPDX-License-Identifier: Apache-2.0 */
/* How the commands are called. */
#ifndef KC_CLI_HELP_H
#define KC_CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the calls of all commands. */
void kc_help_all(FILE *out);

/* Prints a command's calls and options to standard output. False: there is no such command. */
bool kc_help_one(const char *command);

#endif
