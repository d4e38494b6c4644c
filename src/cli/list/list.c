/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto list: what applications get, row by row, and notes on obstacles. */
#include "cli/cli.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "cli/list/offers.h"
#include "cli/list/report.h"
#include "cli/list/summary.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "engine/dump_info.h"
#include "policy/config_keys.h"

/*
 * A row may have no driver at all, and then no trial tells: so this is asked separately. Is all
 * hardware hidden?
 */
static bool note_hidden_hardware(struct kc_conf *conf, const struct kc_policy *policy)
{
	bool hides = false;

	for (const struct kc_candidate *c = policy->row[0]; c; c = c->next)
		if (kc_hides_hardware(c)) {
			hides = true;
			kc_conf_note(conf,
				     "AF_ALG uses software on this kernel, no matter which driver "
				     "is asked for, as on Linux 7.2 and later; %s",
				     policy->n_backends > 1 ?
					     "/dev/crypto, which exists here, does not" :
					     "install cryptodev-linux, whose /dev/crypto reaches "
					     "accelerators here");
		}
	return hides && policy->n_backends == 1;
}

/* Notes whether processes get from the tune file what they would otherwise have to measure. */
static void note_tune_file(struct kc_conf *conf, const struct kc_config *config,
			   const struct kc_policy *policy)
{
	const struct kc_reason_text *why = &kc_reasons[policy->tuned];

	if (policy->tuned == KC_OK)
		kc_conf_note(conf, "%s: drivers and lengths are as kcrypto tune left them there",
			     config->tune_file);
	else if (policy->tuned != KC_TUNED_ABSENT)
		kc_conf_note(conf, "%s: %s; %s", config->tune_file, why->text, why->advice);
}

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

static void print(const struct kc_conf *conf, const struct kc_listed *offers,
		  const struct kc_keys_probe *keys, bool is_hidden)
{
	struct json_object *report = kc_report_make(conf, &offers->config, &offers->policy, keys);
	char summary[KC_SUMMARY_SIZE];

	if (json) {
		kc_json_print(stdout, report);
		return;
	}
	if (all)
		kc_report_print_all(report);
	else
		kc_report_print_used(&offers->policy);
	json_object_put(report);
	kc_report_print_remarks(conf, &offers->config, &offers->policy);
	if (keys)
		kc_report_print_keys(keys);
	kc_summarize(summary, &offers->policy, is_hidden);
	putchar('\n');
	kc_say(stdout, KC_BOLD, "In short", summary);
}

/* What is wrong between the file and the provider, as kcrypto doctor says it. */
static void note_file(struct kc_conf *conf, const struct kc_found *found)
{
	static struct kc_diagnosis d;

	kc_diagnosis_run_file(&d, found);
	for (size_t i = 0; i < d.n; i++)
		if (d.v[i].state == KC_STATE_BROKEN || strcmp(d.v[i].link, "engine") == 0)
			kc_conf_note(conf, "%s", d.v[i].text);
}

static int run(const struct kc_args *args)
{
	static struct kc_found found;
	struct kc_listed *offers = &found.offers;
	struct kc_keys_probe keys;
	bool is_hidden = false;

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
	kc_found_modules(&found);
	note_file(&found.conf, &found);
	if (!no_trial)
		is_hidden = note_hidden_hardware(&found.conf, &offers->policy);
	if (!offers->policy.offers_any)
		kc_conf_note(&found.conf, "nothing goes to the kernel");
	note_tune_file(&found.conf, &offers->config, &offers->policy);
	if (!no_trial)
		kc_keys_probe(&keys, fopen("/proc/crypto", "re"));
	print(&found.conf, offers, no_trial ? NULL : &keys, is_hidden);
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_list = {
	.name = "list",
	.about = "shows what programs get from the kernel, and why not more",
	.options = options,
	.run = run,
};
