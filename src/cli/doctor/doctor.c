/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto doctor: its options, the order of its work, and its exit status. */
#include "cli/doctor/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/board.h"
#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/stats/rows.h"
#include "cli/text.h"

/* Exit codes of kcrypto doctor alone. */
enum { WELL = 0, IS_BROKEN = 1, BLIND = 2 };

static bool json, is_verbose;
static const char *key_name, *output;

static const struct kc_option options[] = {
	{ "json", NULL, "prints everything as JSON, for a bug report", .flag = &json },
	{ "verbose", NULL, "also prints what is in order", .flag = &is_verbose },
	{ "key", "NAME", "also examines this key of the kernel", .text = &key_name },
	{ "output", "FILE", "writes to FILE instead of standard error", .text = &output,
	  .calls = KC_CALL_COMMAND },
	{ NULL },
};

static void gather(struct kc_found *found)
{
	unsigned seconds = KC_TRIAL_SECONDS;

	found->machine = kc_bench_machine(found->root);
	kc_found_program(found);
	kc_found_conf(found, NULL);
	kc_found_kernel(found);
	/* A process that asks AF_ALG is killed. */
	if (found->kernel.socket_err == KC_KILLED)
		seconds = 0;
	kc_offers_find(&found->offers, &found->conf, seconds, KC_LOOK_BRIEFLY);
	kc_found_devices(found);
}

/*
 * Runs the command with the configuration that it reads, and with counters unless that leads to no
 * provider. Returns the number of its requests that the kernel did.
 */
static uint64_t run_command(struct kc_diagnosis *d, struct kc_found *found)
{
	struct kc_program *p = &found->program;
	bool is_provider_fine =
		strcmp(kc_diagnosis_verdict(d), "on") == 0 && !found->conf.engine[0];
	enum kc_with with = KC_AS_IT_IS;
	const struct kc_stats *stats;
	uint64_t requests = 0;

	if (is_provider_fine && !p->is_set_id)
		with = KC_WITH_STATS;
	p->problem = kc_command_count(p->argv, found->conf.file, with, &p->ended);
	stats = kc_counters_all();
	if (stats)
		p->rows = kc_count_rows(stats);
	for (size_t i = 0; stats && i < KC_ALG_COUNT; i++)
		requests += kc_stats_sum(&stats->row[i]).requests;
	return requests;
}

static void examine_command(struct kc_diagnosis *d, struct kc_found *found)
{
	struct kc_program *p = &found->program;
	char status[16];
	uint64_t requests;

	d->link = "run";
	d->is_spared = false;
	requests = run_command(d, found);
	snprintf(status, sizeof(status), "%d", p->ended.code);
	if (p->problem)
		kc_fault(d, NOT_RUN, p->problem);
	else if (requests)
		kc_fine(d, "the kernel did %" PRIu64 " of the command's requests", requests);
	else if (p->ended.is_filtered)
		kc_fault(d, OWN_FILTER, p->argv[0]);
	else if (p->rows && json_object_array_length(p->rows))
		kc_fault(d, ALL_SOFT);
	else if (!kc_diagnosis_off(d))
		kc_fault(d, NOT_USED);
	if (!p->problem && p->ended.code)
		kc_fault(d, FAILED, status);
	if (!p->rows)
		p->rows = json_object_new_array();
}

/* Standard output is the command's, so its counts are included here. Takes over the machine. */
static struct json_object *report_of(const struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	const struct kc_program *p = &found->program;
	struct json_object *report = kc_diagnosis_json(d, found->machine);

	kc_json(report, "list=%p", kc_offers_report(&found->conf, &found->offers));
	if (p->argv)
		kc_json(report, "run=%p",
			kc_json(NULL, "program=%s status=%d algorithms=%p", p->argv[0],
				p->ended.code, json_object_get(p->rows)));
	return report;
}

/* For a user who has not turned it on: says what is needed, perhaps nothing. */
static void print_off(const struct kc_diagnosis *d, const struct kc_symptom *off, FILE *out)
{
	bool has_hardware = kc_has_hardware(d->found, "");

	kc_say(out, KC_BOLD, "kcrypto is off", off->text);
	if (has_hardware && off->command[0])
		fprintf(out, "To turn it on: %s\n", off->command);
	else if (has_hardware)
		kc_say(out, KC_BOLD, "To turn it on", off->advice);
	else if (!d->found->n_devices)
		kc_say(out, KC_BOLD, "There is nothing to gain here",
		       "this kernel has no accelerator's driver, so software does everything anyway");
}

/* Prints what is wrong first or, if nothing is, what the machine gains. */
static void print_conclusion(const struct kc_diagnosis *d, FILE *out)
{
	const struct kc_symptom *off = kc_diagnosis_off(d);
	char *summary;

	if (kc_diagnosis_print_worst(d, out))
		return;
	fputs("Nothing is broken.\n", out);
	if (off) {
		print_off(d, off, out);
		return;
	}
	summary = kc_summary(&d->found->offers.policy);
	kc_say(out, KC_BOLD, "In short", summary);
	free(summary);
}

/* With a command, standard output belongs to the command. */
static void print_findings(const struct kc_diagnosis *d, FILE *out)
{
	struct json_object *rows = d->found->program.rows;

	if (json) {
		kc_json_finish(out, report_of(d), true);
		return;
	}
	if (rows && json_object_array_length(rows)) {
		kc_count_print(out, rows, false);
		fputc('\n', out);
	}
	if (kc_diagnosis_print(d, is_verbose, out))
		putc('\n', out);
	print_conclusion(d, out);
}

static int run_doctor(const struct kc_args *args)
{
	const char *root = secure_getenv("KCRYPTO_ROOT");
	static struct kc_found found;
	static struct kc_diagnosis d;
	const struct kc_symptom *worst;
	FILE *out = stdout;

	if (args->command)
		out = kc_report_open(output);
	if (!out)
		return BLIND;
	found.root = kc_text_or(root, "");
	found.key = key_name;
	found.program.argv = args->command;
	gather(&found);
	kc_diagnosis_run(&d, &found, KC_OF_DOCTOR);
	if (found.program.path[0])
		examine_command(&d, &found);
	kc_diagnosis_advise(&d);
	print_findings(&d, out);
	fflush(out);
	worst = kc_diagnosis_worst(&d);
	if (!worst)
		return WELL;
	if (worst->state == KC_STATE_BROKEN)
		return IS_BROKEN;
	return BLIND;
}

const struct kc_command kc_cmd_doctor = {
	.name = "doctor",
	.about = "names the first problem, and the command that fixes it",
	.options = options,
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.run = run_doctor,
};
