/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the commands of the tool. A command is one file with one function, and one line of the
 * table in kcrypto.c.
 */
#ifndef KC_CLI_CLI_H
#define KC_CLI_CLI_H

/* Exit codes. Having nothing to offer is not a failure. */
enum { KC_EXIT_OK, KC_EXIT_FAILED, KC_EXIT_USAGE };

/* @argv[0] is the command's name. Each returns an exit code. */
int kc_cmd_list(int argc, char **argv);
int kc_cmd_doctor(int argc, char **argv);
int kc_cmd_bench(int argc, char **argv);
int kc_cmd_stats(int argc, char **argv);
int kc_cmd_run(int argc, char **argv);
int kc_cmd_tune(int argc, char **argv);
int kc_cmd_selftest(int argc, char **argv);
int kc_cmd_verdict(int argc, char **argv);
int kc_cmd_config(int argc, char **argv);
int kc_cmd_keys(int argc, char **argv);
int kc_cmd_engine_names(int argc, char **argv);

/* Reports on standard error why the command failed. KC_EXIT_FAILED. */
int kc_failure(const char *why);

/* Reports on standard error which word of the command line is wrong, and why. KC_EXIT_USAGE. */
int kc_usage_error(const char *word, const char *what);

/* Reads an option's number of seconds, at most a day. KC_EXIT_OK, or reports like the above. */
int kc_seconds_read(const char *word, unsigned *seconds);

#endif
