/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto list: what an application gets, row by row. The policy's decisions come first; what a
 * child process, the probe and running programs found out takes from them.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <openssl/objects.h>
#include <stdio.h>
#include <string.h>

#include "cli/conf.h"
#include "cli/probe.h"
#include "cli/reach.h"
#include "cli/report.h"
#include "request/whole_blocks.h"
#include "engine/dump_info.h"
#include "stats/stats.h"
#include "stats/stats_read.h"
#include "policy/config_keys.h"

/* What running processes found out, where they count into a file that is known here too. */
static void take_lies(struct kc_policy *policy)
{
	static struct kc_stats stats;
	bool is_known = kc_stats_read(&stats);

	for (size_t i = 0; is_known && i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->reason == KC_OK &&
			    kc_stats_errors_of(&stats.row[i].backend[c->backend_number], KC_LIED))
				c->reason = KC_LIED;
}

/* A row may have no driver at all, and no trial says why: so the question is asked by itself. */
static void note_hidden_hardware(struct kc_conf *conf, const struct kc_policy *policy)
{
	for (const struct kc_candidate *c = policy->row[0]; c; c = c->next)
		if (c->backend->hides_hardware && c->backend->hides_hardware(c->software) == 1)
			kc_conf_note(conf,
				     "AF_ALG is software on this kernel, whatever driver is asked "
				     "for, as on Linux 7.2 and later; %s",
				     policy->n_backends > 1 ?
					     "/dev/crypto, which is there, is not" :
					     "install cryptodev-linux: by the /dev/crypto that it "
					     "makes accelerators are reached here");
}

/* Whether processes take from the tune file what they would have to find out. */
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

/* OpenSSL's number of what the engine has too. */
static int nid_of(const struct kc_alg *alg)
{
	const char *names = alg->names;
	char name[KC_ALG_NAME_SIZE];
	int nid = NID_undef;

	while (nid == NID_undef && *names && (alg->kind == KC_DIGEST || kc_blocks_fits(alg))) {
		size_t n = strcspn(names, ":");

		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		nid = OBJ_txt2nid(name);
		names += n + (names[n] == ':');
	}
	return nid;
}

/* An engine has fewer algorithms than the provider. */
static enum kc_reason why_unreached(const struct kc_conf *conf, const struct kc_alg *alg)
{
	return conf->engine[0] && !nid_of(alg) ? KC_NOT_BY_ENGINE : KC_NOT_REACHED;
}

/* Takes back what the policy offers and applications do not get. True if anything was. */
static bool take_unreached(struct kc_policy *policy, const struct kc_conf *conf,
			   const struct kc_reach *reach)
{
	bool is_missing = false;

	policy->offers_any = false;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next) {
			if (c->is_offered && !reach->row[i]) {
				c->reason = why_unreached(conf, c->alg);
				c->is_offered = false;
				is_missing |= c->reason == KC_NOT_REACHED;
			}
			policy->offers_any |= c->is_offered;
		}
	}
	return is_missing;
}

/* Drivers may be listed though no program can reach them. */
static void take_absent(struct kc_policy *policy, const struct kc_backend *backend)
{
	if (!backend->is_absent || !backend->is_absent())
		return;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next) {
			if (c->backend != backend || c->reason == KC_NOT_LISTED)
				continue;
			c->reason = KC_NO_INTERFACE;
			c->is_offered = false;
		}
	}
}

static int json, no_trial, engine_format;
static const char *file;

/* 0, or an exit code. */
static int read_options(int argc, char **argv)
{
	static const struct option table[] = {
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
			return kc_usage_error(argv[optind - 1], "no option, or lacks its value");
		if (c == 'c')
			file = optarg;
	}
	return optind < argc ? kc_usage_error(argv[optind], "too much") : KC_EXIT_OK;
}

int kc_cmd_list(int argc, char **argv)
{
	static struct kc_conf conf;
	static struct kc_policy policy;
	struct kc_config config;
	struct kc_reach reach;
	int err = read_options(argc, argv);

	if (err)
		return err;
	kc_config_init(&config);
	kc_conf_read(&conf, file, &config);
	if (file && conf.error[0])
		return kc_failure(conf.error);
	if (engine_format) {
		kc_dump(stdout, &config, nid_of);
		return KC_EXIT_OK;
	}
	kc_policy_load(&policy, &config);
	for (size_t i = 0; !no_trial && kc_backends[i]; i++)
		take_absent(&policy, kc_backends[i]);
	kc_reach_ask(&reach, &conf, nid_of);
	kc_reach_explain(&conf, &reach, take_unreached(&policy, &conf, &reach));
	if (policy.offers_any && !no_trial)
		kc_probe_run(&policy);
	take_lies(&policy);
	if (!no_trial)
		note_hidden_hardware(&conf, &policy);
	if (!policy.offers_any)
		kc_conf_note(&conf, "nothing goes to the kernel");
	note_tune_file(&conf, &config, &policy);
	kc_report_print(&conf, &config, &policy, json);
	return KC_EXIT_OK;
}
