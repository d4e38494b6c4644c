/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto list: what applications get, row by row, and notes on obstacles. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdio.h>

#include "cli/conf.h"
#include "cli/list/offers.h"
#include "cli/list/report.h"
#include "cli/list/summary.h"
#include "cli/list/text.h"
#include "cli/screen.h"
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

static int all, json, no_trial, engine_format;
static const char *file;

/* 0, or an exit code. */
static int read_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "all", no_argument, &all, 1 },
		{ "json", no_argument, &json, 1 },
		{ "no-trial", no_argument, &no_trial, 1 },
		{ "engine-format", no_argument, &engine_format, 1 },
		{ "config", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "unknown, or lacks its value");
		if (c == 'c')
			file = optarg;
	}
	return optind < argc ? kc_usage_error(argv[optind], "too much") : KC_EXIT_OK;
}

static void print(const struct kc_conf *conf, const struct kc_offers *offers,
		  const struct kc_keys_probe *keys, bool is_hidden)
{
	struct json_object *report = kc_report_make(conf, &offers->config, &offers->policy, keys);
	char summary[KC_SUMMARY_SIZE];

	if (json) {
		puts(json_object_to_json_string_ext(
			report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	} else {
		if (all)
			kc_text_all(report);
		else
			kc_text_used(&offers->policy);
		kc_text_remarks(conf, &offers->config, &offers->policy);
		if (keys)
			kc_text_keys(keys);
		kc_summarize(summary, &offers->policy, is_hidden);
		putchar('\n');
		kc_say(stdout, KC_BOLD, "In short", summary);
	}
	json_object_put(report);
}

int kc_cmd_list(int argc, char **argv)
{
	static struct kc_conf conf;
	static struct kc_offers offers;
	struct kc_keys_probe keys;
	int err = read_options(argc, argv);
	bool is_hidden = false;

	if (err)
		return err;
	kc_config_init(&offers.config);
	kc_conf_read(&conf, file, &offers.config);
	if (file && conf.error[0])
		return kc_failure(conf.error);
	if (engine_format) {
		kc_dump(stdout, &offers.config, kc_nid_of);
		return KC_EXIT_OK;
	}
	kc_offers_find(&offers, &conf, !no_trial);
	if (!no_trial)
		is_hidden = note_hidden_hardware(&conf, &offers.policy);
	if (!offers.policy.offers_any)
		kc_conf_note(&conf, "nothing goes to the kernel");
	note_tune_file(&conf, &offers.config, &offers.policy);
	if (!no_trial)
		kc_keys_probe(&keys, fopen("/proc/crypto", "re"));
	print(&conf, &offers, no_trial ? NULL : &keys, is_hidden);
	return KC_EXIT_OK;
}
