/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto list: what applications get, row by row, and notes on obstacles. */
#include "cli/list/offers.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/text.h"
#include "engine/engine_ids.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NAMES	      6 /* the column of algorithms that are not used */
#define MAX_NAMES     8

static bool all, json, no_trial, engine_format;
static unsigned seconds = KC_TRIAL_SECONDS;
static const char *file;

static const struct kc_option options[] = {
	{ "all", NULL, "prints every row, with all columns", .flag = &all },
	{ "json", NULL, "prints every row as JSON", .flag = &json },
	{ "engine-format", NULL, "prints the output of the engine's DUMP_INFO",
	  .flag = &engine_format, .is_instead = true },
	{ "no-trial", NULL, "tries no driver, and measures nothing", .flag = &no_trial },
	{ "seconds", "N", "time after which no further driver is tried, by default 60",
	  .number = &seconds, .max = 86400 },
	{ "config", "FILE", "reads FILE instead of the openssl.cnf that programs read",
	  .text = &file },
	{ NULL },
};

static void add_note(struct json_object *report, const char *text)
{
	json_object_array_add(json_object_object_get(report, "notes"),
			      json_object_new_string(text));
}

/* A missing tune file is no obstacle. */
static bool is_noted(const struct kc_symptom *f)
{
	if (f->state == KC_STATE_BROKEN || f->state == KC_STATE_OFF)
		return true;
	if (!kc_has_word("engine mask tune", f->link))
		return false;
	return strcmp(f->word, kc_reasons[KC_TUNED_ABSENT].word) != 0;
}

/*
 * Adds what kcrypto doctor finds wrong on the way to the provider, about AF_ALG and the tune file.
 */
static void note_findings(struct json_object *report, const struct kc_found *found)
{
	static struct kc_diagnosis d;

	kc_diagnose(&d, found, KC_OF_LIST);
	for (size_t i = 0; i < d.n; i++)
		if (is_noted(&d.v[i]))
			add_note(report, kc_symptom_text(&d.v[i]));
	kc_verdict_json(&d, report);
	if (!found->offers.policy.offers_any)
		add_note(report, "nothing goes to the kernel; kcrypto doctor says why");
}

/* Slow drivers may leave no time for others. */
static void note_untried(struct json_object *report, const struct kc_policy *policy)
{
	char text[120];
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			n += c->is_offered && atomic_load(&c->trust) == KC_UNTRIED;
	snprintf(text, sizeof(text),
		 "rows not tried because the time was up: %zu; "
		 "--seconds gives more",
		 n);
	if (n)
		add_note(report, text);
}

static void head(const char *words)
{
	kc_paint(stdout, KC_BOLD, 0, words);
	putchar('\n');
}

/* Prints both ends of the lengths that pay. */
static void print_rows(const struct kc_column *columns, size_t n, struct json_object *rows)
{
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);

		kc_json_range(o, "threshold", "longest");
		kc_json_range(o, "threshold_decrypt", "longest");
		kc_json_range(o, "blocks_threshold", "blocks_longest");
	}
	kc_table_print(stdout, columns, n, rows);
}

static void print_all(struct json_object *rows)
{
	static const struct kc_column columns[] = {
		{ "ALGORITHM", "name" },
		{ "KEY", "key_bits" },
		{ "BACKEND", "backend" },
		{ "DRIVER", "driver" },
		{ "PRIORITY", "priority" },
		{ "KIND", "kind" },
		{ "THRESHOLD", "threshold" },
		{ "DECRYPTION", "threshold_decrypt" },
		{ "SOURCE", "threshold_source" },
		{ "TRIED", "tried" },
		{ "IN BLOCKS", "blocks_threshold" },
		{ "DEVICE FROM", "hardware_from" },
		{ "TO", "hardware_to" },
		{ "DONE BY", "done_by" },
		{ "EVIDENCE", "evidence" },
		{ "OFFERED", "offered" },
		{ "WHY", "reason_text" },
	};

	print_rows(columns, ARRAY_SIZE(columns), rows);
	putchar('\n');
}

static void print_doubt(bool is_doubtful)
{
	if (is_doubtful)
		kc_wrap(stdout, 0, 0,
			"hardware?: by the driver's name; the device was not seen at work. "
			"kcrypto list --all and kcrypto tune look closer.");
}

/* Prints rows that are known to pay first. */
static void print_used(const struct kc_policy *policy)
{
	static const struct kc_column columns[] = {
		{ "ALGORITHM", "name" },
		{ "BACKEND", "backend" },
		{ "DRIVER", "driver", .is_cut = true },
		{ "KIND", "kind" },
		{ "FROM", "threshold", .is_number = true },
		{ "DECRYPT", "threshold_decrypt", .is_number = true },
	};
	struct json_object *used = json_object_new_array();
	bool is_doubtful = false;

	for (int pays = 1; pays >= 0; pays--)
		for (size_t i = 0; i < KC_ALG_COUNT; i++) {
			const struct kc_candidate *c = kc_candidate_now(policy->row[i]);

			if (!c || (kc_least_request(c) != SIZE_MAX) != pays)
				continue;
			json_object_array_add(used, kc_offer_json(c));
			is_doubtful |= c->nature == KC_HARDWARE && !kc_is_seen(c);
		}
	if (json_object_array_length(used)) {
		head("Used, for requests of this many bytes or more:");
		print_rows(columns, ARRAY_SIZE(columns), used);
		print_doubt(is_doubtful);
		putchar('\n');
	}
	json_object_put(used);
}

/* True for an accelerator that could be used, unless it was left out on purpose. */
static bool is_shown(const struct kc_candidate *c)
{
	if (c->nature != KC_HARDWARE || kc_is_left_out(c))
		return false;
	return c->reason != KC_NEVER && c->reason != KC_SLOWER;
}

/* Counts the rows that are not used for this reason, and names the first ones @of_hardware. */
static void print_reason(const struct kc_policy *policy, enum kc_reason reason, bool of_hardware)
{
	char text[MAX_NAMES * (KC_ALG_NAME_SIZE + KC_DRIVER_NAME_SIZE + 4) + 32] =
		"accelerators' drivers: ";
	struct kc_list names = { text, sizeof(text), .len = strlen(text) };
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *c = kc_unused(policy->row[i]);

		if (!c || c->reason != reason)
			continue;
		n++;
		if (is_shown(c) && shown++ < MAX_NAMES)
			kc_list_add(&names, ", ", "%s (%s)", kc_alg_name(c->alg), c->driver);
	}
	if (!n || (shown > 0) != of_hardware)
		return;
	if (shown > MAX_NAMES)
		kc_list_add(&names, " and ", "%zu more", shown - MAX_NAMES);
	printf("%*zu  %s\n", NAMES - 2, n, kc_reasons[reason].text);
	if (!shown)
		return;
	printf("%*s", NAMES, "");
	kc_wrap(stdout, NAMES, NAMES + 2, text);
}

static void print_unused(const struct kc_policy *policy)
{
	head("Not used, see kcrypto list --all:");
	for (int of_hardware = 1; of_hardware >= 0; of_hardware--)
		for (enum kc_reason r = KC_OK + 1; r < KC_REASON_COUNT; r++)
			print_reason(policy, r, of_hardware);
	putchar('\n');
}

static void print_problem(const struct kc_problem *p)
{
	char said[1024];

	snprintf(said, sizeof(said), "%s: '%s': %s%s%s", p->key, p->word,
		 kc_reasons[p->reason].text, kc_lead("; nearest known: ", p->nearest), p->nearest);
	kc_say(stdout, KC_RED, "problem", said);
}

/* Prints the configuration and the notes on it. */
static void print_remarks(struct json_object *report, const struct kc_config *config)
{
	struct json_object *notes = json_object_object_get(report, "notes");
	char text[PATH_MAX + 128];

	snprintf(text, sizeof(text), "%s, section: %s", kc_json_get(report, "openssl_conf"),
		 kc_json_get(report, "section"));
	kc_say(stdout, KC_BOLD, "configuration", text);
	for (size_t i = 0; i < config->n_problems; i++)
		print_problem(&config->problems[i]);
	for (size_t i = 0; i < json_object_array_length(notes); i++)
		kc_say(stdout, KC_YELLOW, "note",
		       json_object_get_string(json_object_array_get_idx(notes, i)));
}

static void print_list(struct json_object *report, const struct kc_found *found)
{
	const struct kc_policy *policy = &found->offers.policy;
	char *summary = kc_summary(policy);

	if (all) {
		print_all(json_object_object_get(report, "algorithms"));
	} else {
		print_used(policy);
		print_unused(policy);
	}
	print_remarks(report, &found->conf.config);
	putchar('\n');
	kc_say(stdout, KC_BOLD, "In short", summary);
	free(summary);
}

/* True if a driver that was tried, now or by tune, is wrong or does not answer. */
static bool blames_driver(const struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (kc_reason_blames_driver(c->reason))
				return true;
	return false;
}

static int list(struct kc_found *found)
{
	enum kc_look look = KC_LOOK_BRIEFLY;
	struct json_object *report;

	found->root = "";
	if (no_trial)
		seconds = 0;
	else
		kc_found_kernel(found);
	if (all)
		look = KC_LOOK_QUICKLY;
	kc_offers_find(&found->offers, &found->conf, seconds, look);
	report = kc_offers_report(&found->conf, &found->offers);
	note_findings(report, found);
	if (!no_trial)
		note_untried(report, &found->offers.policy);
	if (!json)
		print_list(report, found);
	kc_json_finish(stdout, report, json);
	if (blames_driver(&found->offers.policy))
		return KC_EXIT_FAILED;
	return KC_EXIT_OK;
}

static int run_list(const struct kc_args *args)
{
	static struct kc_found found;

	(void)args;
	kc_found_conf(&found, file);
	if (file && found.conf.error[0])
		return kc_failure("%s", found.conf.error);
	if (!engine_format)
		return list(&found);
	kc_dump(stdout, &found.conf.config, kc_nid_of);
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_list = {
	.name = "list",
	.about = "lists what goes to the kernel, and why the rest does not",
	.options = options,
	.run = run_list,
};
