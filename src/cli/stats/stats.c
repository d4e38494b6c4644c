/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto stats: shows the counts of running programs, or runs one command and shows its counts. */
#include "cli/stats/stats.h"

#include <math.h>
#include <pwd.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/run/command.h"
#include "cli/table.h"

#define OF_PROCESS 3 /* columns that say which process a line is of */

static const struct {
	const char *word, *text;
} whys[KC_SOFT_COUNT] = {
	[KC_SOFT_SMALL] = { "below-threshold", "software, below threshold" },
	[KC_SOFT_NO_SESSION] = { "no-session", "software, no session" },
	[KC_SOFT_REDONE] = { "done-again", "software, again" },
};

static void add_counts(struct json_object *o, const struct kc_stats_work *w)
{
	uint64_t n = kc_count_read(&w->timed);

	kc_json(o, "requests=%ju bytes=%ju mean_us=%g", kc_count_read(&w->requests),
		kc_count_read(&w->bytes),
		n ? (double)kc_count_read(&w->ns) / (double)n / 1e3 : NAN);
}

/* Nothing is added if nothing happened. */
static void add_backend(struct json_object *to, const struct kc_stats_backend *w, const char *name)
{
	struct json_object *errors = json_object_new_object();

	for (unsigned i = 0; i < KC_STATS_ERRORS; i++)
		if (kc_count_read(&w->error[i]))
			json_object_object_add(
				errors, kc_reasons[kc_stats_reasons[i]].word,
				json_object_new_int64((int64_t)kc_count_read(&w->error[i])));
	if (kc_count_read(&w->work.requests) || json_object_object_length(errors))
		add_counts(kc_json(kc_json_row(to), "backend=%s by=%s errors=%p", name, name,
				   json_object_get(errors)),
			   &w->work);
	json_object_put(errors);
}

static void add_row(struct json_object *to, const struct kc_stats_row *row,
		    const struct kc_alg *alg)
{
	struct json_object *o = kc_json(NULL, "algorithm=%s", kc_alg_name(alg));
	struct json_object *kernel = kc_json_array(o, "kernel");
	struct json_object *software = kc_json_array(o, "software");

	for (unsigned i = 0; kc_backends[i]; i++)
		add_backend(kernel, &row->backend[i], kc_backends[i]->names[0]);
	for (unsigned i = 0; i < KC_SOFT_COUNT; i++)
		if (kc_count_read(&row->soft[i].requests))
			add_counts(kc_json(kc_json_row(software), "reason=%s by=%s", whys[i].word,
					   whys[i].text),
				   &row->soft[i]);
	if (json_object_array_length(kernel) + json_object_array_length(software))
		json_object_array_add(to, o);
	else
		json_object_put(o);
}

struct json_object *kc_count_rows(const struct kc_stats *stats)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; stats && i < KC_ALG_COUNT; i++)
		add_row(rows, &stats->row[i], &kc_algs[i]);
	return rows;
}

static const struct kc_column columns[] = {
	{ .head = "PID", .key = "pid", .is_number = true },
	{ .head = "USER", .key = "user" },
	{ .head = "PROGRAM", .key = "program" },
	{ .head = "ALGORITHM", .key = "algorithm" },
	{ .head = "DONE BY", .key = "by" },
	{ .head = "REQUESTS", .key = "requests", .is_number = true },
	{ .head = "BYTES", .key = "bytes", .is_number = true },
	{ .head = "MEAN us", .key = "mean_us", .is_number = true },
	{ .head = "ERRORS", .key = "errors" },
};

void kc_count_print(FILE *out, struct json_object *rows, bool has_processes)
{
	struct json_object *lines = kc_table_lines(rows);
	size_t first = has_processes ? 0 : OF_PROCESS;

	if (json_object_array_length(lines))
		kc_table_print(out, columns + first, sizeof(columns) / sizeof(*columns) - first,
			       lines);
	json_object_put(lines);
}

static bool json;
static const char *file;

static const struct kc_option options[] = {
	{ "json", NULL, "prints JSON", .flag = &json },
	{ "config", "FILE", "takes FILE as the original of the command's openssl.cnf",
	  .text = &file, .calls = KC_CALL_COMMAND },
	{ NULL },
};

static void add_process(void *to, const struct kc_running *r)
{
	const struct passwd *user = getpwuid(r->uid);

	kc_json(kc_json_row(to), "pid=%d uid=%u user=%s program=%s algorithms=%p", r->pid, r->uid,
		user ? user->pw_name : NULL, r->program, kc_count_rows(&r->stats));
}

static void print_text(struct json_object *processes, const struct kc_not_shown *not_shown)
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
		print_text(processes, &not_shown);
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
/* Of the file that the command reads by itself: kcrypto was turned on for this one run. */
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

/* Without this run's help, the command may do without kcrypto. */
static void print_diagnosis(FILE *out)
{
	const struct kc_symptom *first = kc_diagnosis_worst(&diagnosis);
	const char *label = first ? "broken" : "off";

	if (!first)
		first = kc_diagnosis_off(&diagnosis);
	if (first)
		fputs("kcrypto was turned on for this run only.\n", out);
	if (first)
		kc_symptom_print(first, label, out);
}

/* Not on standard output, which belongs to the command. */
static void print_summary(const char *program)
{
	const struct kc_stats *stats = kc_counters_all();
	struct json_object *rows = kc_count_rows(stats);

	if (!json)
		kc_count_print(stderr, rows, false);
	if (!json && !json_object_array_length(rows))
		fprintf(stderr, "kcrypto: %s%s\n",
			"the command asked for nothing that kcrypto has here",
			stats ? "" : ", or does not use this system's libcrypto");
	if (!json)
		print_diagnosis(stderr);
	kc_json_finish(stderr,
		       kc_diagnosis_json(&diagnosis,
					 kc_json(NULL, "version=%s program=%s algorithms=%p",
						 KC_VERSION, program, rows)),
		       json);
}

static int run_command(char *const *argv)
{
	const struct kc_symptom *worst;
	struct kc_ended ended;
	const char *problem;

	diagnose(argv);
	problem = kc_command_count(argv, file, KC_WITH_STATS, &ended);
	worst = kc_diagnosis_worst(&diagnosis);
	if (problem && worst)
		kc_symptom_print(worst, "broken", stderr);
	if (problem)
		return kc_failure("%s", problem);
	print_summary(argv[0]);
	return ended.code;
}

static int run(const struct kc_args *args)
{
	if (args->command)
		return run_command(args->command);
	print_running();
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_stats = {
	.name = "stats",
	.about = "counts the work of the kernel and of software",
	.options = options,
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.run = run,
};
