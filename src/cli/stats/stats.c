/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto stats: shows the counts of running programs, or runs one command and shows its counts. */
#include "cli/cli.h"

#include <ctype.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/command.h"
#include "cli/run/counters.h"
#include "cli/stats/count.h"
#include "stats/stats_dir.h"

#define WATCH_SECONDS 1
#define NAME_SIZE     17 /* of a program, as cut by the kernel, with a newline */

static bool json, watch;
static const char *file;

static const struct kc_option options[] = {
	{ "watch", NULL, "prints the table every second", .flag = &watch, .calls = 1 },
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "config", "FILE", "takes FILE as the original of the command's openssl.cnf",
	  .text = &file, .calls = 2 },
	{ NULL },
};

/* A program may use any name. */
static void read_program(pid_t pid, char name[NAME_SIZE])
{
	char path[32];
	FILE *comm;

	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
	comm = fopen(path, "re");
	if (!comm || !fgets(name, NAME_SIZE, comm))
		strcpy(name, "?");
	if (comm)
		fclose(comm);
	name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
}

static void add_process(void *to, uid_t uid, pid_t pid, const struct kc_stats *stats)
{
	struct json_object *o = json_object_new_object();
	const struct passwd *user = getpwuid(uid);
	char name[NAME_SIZE];

	read_program(pid, name);
	json_object_object_add(o, "pid", json_object_new_int64(pid));
	json_object_object_add(o, "uid", json_object_new_int64(uid));
	json_object_object_add(o, "user", user ? json_object_new_string(user->pw_name) : NULL);
	json_object_object_add(o, "program", json_object_new_string(name));
	json_object_object_add(o, "algorithms", kc_count_rows(stats));
	json_object_array_add(to, o);
}

static void print_json(FILE *out, struct json_object *o)
{
	int form = watch ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY;

	fprintf(out, "%s\n",
		json_object_to_json_string_ext(o, form | JSON_C_TO_STRING_NOSLASHESCAPE));
}

static int by_pid(const void *a, const void *b)
{
	struct json_object *x = *(struct json_object *const *)a,
			   *y = *(struct json_object *const *)b;
	int64_t p = json_object_get_int64(json_object_object_get(x, "pid"));
	int64_t q = json_object_get_int64(json_object_object_get(y, "pid"));

	return (p > q) - (p < q);
}

static void print_process(struct json_object *o)
{
	struct json_object *user = json_object_object_get(o, "user");
	struct json_object *rows = json_object_object_get(o, "algorithms");
	char first[64];

	snprintf(first, sizeof(first), "%8s %-10.10s %-15s ",
		 json_object_get_string(json_object_object_get(o, "pid")),
		 json_object_get_string(user ? user : json_object_object_get(o, "uid")),
		 json_object_get_string(json_object_object_get(o, "program")));
	if (json_object_array_length(rows))
		kc_count_print(stdout, rows, first, "                                    ");
	else
		printf("%snothing yet\n", first);
}

static void print_text(struct json_object *processes, unsigned foreign)
{
	char head[64];

	snprintf(head, sizeof(head), "%8s %-10s %-15s ", "PID", "USER", "PROGRAM");
	if (json_object_array_length(processes))
		kc_count_head(stdout, head);
	else
		puts("No running program counts its requests: set stats = yes in its "
		     "configuration.");
	for (size_t i = 0; i < json_object_array_length(processes); i++)
		print_process(json_object_array_get_idx(processes, i));
	if (foreign)
		printf("%u more have another version of kcrypto.\n", foreign);
}

static void print_once(void)
{
	struct json_object *report = json_object_new_object(), *processes = json_object_new_array();
	unsigned foreign = kc_stats_dir_walk(add_process, processes);

	json_object_array_sort(processes, by_pid);
	json_object_object_add(report, "version", json_object_new_string(KC_VERSION));
	json_object_object_add(report, "processes", processes);
	json_object_object_add(report, "other_versions", json_object_new_int64(foreign));
	if (json)
		print_json(stdout, report);
	else
		print_text(processes, foreign);
	json_object_put(report);
}

/* Until it is interrupted, or nothing reads its output. */
static void print_again_and_again(void)
{
	bool clears = !json && isatty(STDOUT_FILENO);

	for (;;) {
		if (clears)
			fputs("\033[H\033[2J", stdout);
		print_once();
		if (fflush(stdout) != 0)
			return;
		sleep(WATCH_SECONDS);
	}
}

/* Not on standard output, which belongs to the command. */
static void print_summary(const char *program)
{
	const struct kc_stats *stats = kc_counters_all();
	struct json_object *report = json_object_new_object();
	struct json_object *rows = stats ? kc_count_rows(stats) : json_object_new_array();

	json_object_object_add(report, "version", json_object_new_string(KC_VERSION));
	json_object_object_add(report, "program", json_object_new_string(program));
	json_object_object_add(report, "algorithms", rows);
	if (json) {
		print_json(stderr, report);
	} else if (json_object_array_length(rows)) {
		kc_count_head(stderr, "");
		kc_count_print(stderr, rows, "", "");
	} else {
		fprintf(stderr, "kcrypto: %s\n",
			stats ? "the command asked for nothing that kcrypto has here" :
				"the command asked for nothing that kcrypto has here, or does not "
				"use this system's libcrypto");
	}
	json_object_put(report);
}

static int run_command(char *const *argv)
{
	struct kc_ended ended;
	const char *problem = "cannot make a file for the counters";

	unsetenv("KCRYPTO_STATS");
	if (kc_counters_begin()) {
		problem = kc_command_run(argv, file, KC_WITH_STATS, false, &ended);
		if (!problem)
			print_summary(argv[0]);
		kc_counters_end();
	}
	return problem ? kc_failure(problem) : ended.code;
}

static int run(const struct kc_args *args)
{
	if (args->command)
		return run_command(args->command);
	if (watch)
		print_again_and_again();
	else
		print_once();
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_stats = {
	.name = "stats",
	.about = "counts the work of the kernel and of software",
	.options = options,
	.calls = { { .end = NULL }, { .end = "-- COMMAND [ARGUMENT...]" } },
	.run = run,
};
