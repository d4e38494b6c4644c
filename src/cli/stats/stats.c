/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto stats: shows the counts of running programs, or runs one command and shows its counts. */
#include "cli/stats/stats.h"

#include <pwd.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/run/command.h"
#include "cli/stats/rows.h"
#include "cli/table.h"

static bool json;
static const char *file, *output;
static FILE *report; /* used beside a command */

static const struct kc_option options[] = {
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "config", "FILE", "starts from FILE instead of the command's openssl.cnf", .text = &file,
	  .calls = KC_CALL_COMMAND },
	{ "output", "FILE", "writes to FILE instead of standard error", .text = &output,
	  .calls = KC_CALL_COMMAND },
	{ NULL },
};

static void add_process(void *to, const struct kc_running *r)
{
	const struct passwd *user = getpwuid(r->uid);

	kc_json(kc_json_row(to), "pid=%d uid=%u user=%s program=%s algorithms=%p", r->pid, r->uid,
		user ? user->pw_name : NULL, r->program, kc_count_rows(&r->stats));
}

static void print_processes(struct json_object *processes, const struct kc_not_shown *not_shown)
{
	kc_count_print(stdout, processes, true);
	if (!json_object_array_length(processes))
		puts("No running program counts its requests: set stats = yes in its "
		     "configuration.");
	if (not_shown->foreign)
		printf("Not shown: %u with another version of kcrypto.\n", not_shown->foreign);
	if (not_shown->refused)
		printf("Not shown: %u that use kcrypto, but whose memory may not be read%s.\n",
		       not_shown->refused, geteuid() == 0 ? "" : ", except by root");
	if (not_shown->others)
		puts("Not shown: programs of other users. Root sees them.");
}

static void print_running(void)
{
	struct json_object *processes = json_object_new_array();
	struct kc_not_shown not_shown;

	kc_running_walk(add_process, processes, &not_shown);
	if (!json)
		print_processes(processes, &not_shown);
	kc_json_finish(stdout,
		       kc_json(NULL,
			       "version=%s processes=%p other_versions=%u unreadable=%u "
			       "other_users_processes=%u",
			       KC_VERSION, processes, not_shown.foreign, not_shown.refused,
			       not_shown.others),
		       json);
}

static struct kc_diagnosis diagnosis;

#ifdef KC_HAS_PROVIDER
/* Diagnoses the file that the command itself reads: kcrypto was turned on only for this run. */
static void diagnose(char *const *argv)
{
	static struct kc_found found;

	found.root = "";
	found.program.argv = argv;
	kc_found_program(&found);
	kc_found_conf(&found, file);
	if (!found.conf.cnf.err)
		kc_reach_ask(&found.offers.reach, &found.conf);
	kc_diagnose(&diagnosis, &found, KC_OF_FILE);
}
#else
static void diagnose(char *const *argv)
{
	(void)argv;
}
#endif

/* Without this run's help, the command may not get kcrypto. */
static void print_diagnosis(FILE *out)
{
	const struct kc_symptom *first = kc_diagnosis_worst(&diagnosis);
	const char *label = "broken";

	if (!first) {
		first = kc_diagnosis_off(&diagnosis);
		label = "off";
	}
	if (first)
		fputs("kcrypto was turned on for this run only.\n", out);
	if (first)
		kc_symptom_print(first, label, out);
}

static void print_summary(const char *program)
{
	const struct kc_stats *stats = kc_counters_all();
	struct json_object *rows = kc_count_rows(stats);

	if (!json)
		kc_count_print(report, rows, false);
	if (!json && !json_object_array_length(rows))
		fprintf(report, "kcrypto: %s%s\n",
			"the command used no algorithm that kcrypto offers here",
			stats ? "" : ", or does not use this system's libcrypto");
	if (!json)
		print_diagnosis(report);
	kc_json_finish(report,
		       kc_diagnosis_json(&diagnosis,
					 kc_json(NULL, "version=%s program=%s algorithms=%p",
						 KC_VERSION, program, rows)),
		       json);
}

static int run_counted(char *const *argv)
{
	const struct kc_symptom *worst;
	struct kc_ended ended;
	const char *problem;

	report = kc_report_open(output);
	if (!report)
		return KC_EXIT_FAILED;
	diagnose(argv);
	problem = kc_command_count(argv, file, KC_WITH_STATS, &ended);
	worst = kc_diagnosis_worst(&diagnosis);
	if (problem && json)
		kc_json_finish(report,
			       kc_diagnosis_json(&diagnosis,
						 kc_json(NULL, "version=%s program=%s problem=%s",
							 KC_VERSION, argv[0], problem)),
			       true);
	if (problem && json)
		return KC_EXIT_FAILED;
	if (problem && worst)
		kc_symptom_print(worst, "broken", report);
	if (problem)
		return kc_failure("%s", problem);
	print_summary(argv[0]);
	return ended.code;
}

static int run_stats(const struct kc_args *args)
{
	if (args->command)
		return run_counted(args->command);
	print_running();
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_stats = {
	.name = "stats",
	.about = "counts requests of programs, by kernel and by software",
	.options = options,
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.run = run_stats,
};
