/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto list: what applications get, row by row, and notes on obstacles. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "cli/list/report.h"
#include "cli/list/summary.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "engine/dump_info.h"

static bool all, json, no_trial, engine_format;
static const char *file;

static const struct kc_option options[] = {
	{ "all", NULL, "prints every row, with all columns", .flag = &all },
	{ "json", NULL, "prints every row as JSON", .flag = &json },
	{ "engine-format", NULL, "prints the output of the engine's DUMP_INFO",
	  .flag = &engine_format, .is_instead = true },
	{ "no-trial", NULL, "tries no driver, and measures nothing", .flag = &no_trial },
	{ "config", "FILE", "reads FILE, not the openssl.cnf that programs read", .text = &file },
	{ NULL },
};

/* What is wrong between the file and the provider, as kcrypto doctor says it. */
static void note_file(struct json_object *report, const struct kc_found *found)
{
	static struct kc_diagnosis d;

	kc_diagnosis_run(&d, found, true);
	for (size_t i = 0; i < d.n; i++)
		if (d.v[i].state == KC_STATE_BROKEN || strcmp(d.v[i].link, "engine") == 0)
			kc_report_note(report, "%s", d.v[i].text);
}

/* What the kernel and the tune file have to do with it. */
static void note_machine(struct json_object *report, const struct kc_listed *offers)
{
	const struct kc_policy *policy = &offers->policy;
	const struct kc_reason_text *why = &kc_reasons[policy->tuned];

	if (offers->hides_hardware)
		kc_report_note(report,
			       "AF_ALG uses software on this kernel, no matter which driver is "
			       "asked for, as on Linux 7.2 and later; %s",
			       policy->n_backends > 1 ?
				       "the device that exists here does not" :
				       "install kcrypto's kernel module, whose /dev/kcrypto "
				       "reaches accelerators here");
	if (!policy->offers_any)
		kc_report_note(report, "nothing goes to the kernel");
	if (policy->tuned == KC_OK)
		kc_report_note(report,
			       "%s: drivers and lengths are as kcrypto tune left them there",
			       offers->config.tune_file);
	else if (policy->tuned != KC_TUNED_ABSENT)
		kc_report_note(report, "%s: %s; %s", offers->config.tune_file, why->text,
			       why->advice);
}

static void print(struct json_object *report, const struct kc_listed *offers)
{
	char summary[KC_SUMMARY_SIZE];

	if (all)
		kc_report_print_all(report);
	else
		kc_report_print_used(&offers->policy);
	kc_report_print_remarks(report, offers);
	kc_summarize(summary, &offers->policy,
		     offers->hides_hardware && offers->policy.n_backends == 1);
	putchar('\n');
	kc_say(stdout, KC_BOLD, "In short", summary);
}

static int run(const struct kc_args *args)
{
	static struct kc_found found;
	struct kc_listed *offers = &found.offers;
	struct json_object *report;
	struct kc_keys_probe keys;

	(void)args;
	kc_config_init(&offers->config);
	kc_conf_read(&found.conf, file, &offers->config);
	if (file && found.conf.error[0])
		return kc_failure(found.conf.error);
	if (engine_format) {
		kc_dump(stdout, &offers->config, kc_nid_of);
		return KC_EXIT_OK;
	}
	found.has_providers = OpenSSL_version_num() >= 0x30000000;
	kc_offers_find(offers, &found.conf, !no_trial);
	found.is_reached = true;
	if (!no_trial)
		kc_keys_probe(&keys, fopen("/proc/crypto", "re"));
	report = kc_report_make(&found.conf, offers, no_trial ? NULL : &keys);
	note_file(report, &found);
	note_machine(report, offers);
	if (!json)
		print(report, offers);
	kc_json_finish(stdout, report, json);
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_list = {
	.name = "list",
	.about = "shows what programs get from the kernel, and why not more",
	.options = options,
	.run = run,
};
