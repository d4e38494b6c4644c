/* SPDX-License-Identifier: Apache-2.0 */
/* The list: one object per row, of which people see some columns; and remarks. Decides nothing. */
#include "cli/list/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list/summary.h"
#include "cli/screen.h"
#include "cli/table.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NAMES	      6 /* the column of drivers and algorithms that are not used */
#define MAX_NAMES     8

static void add_size(struct json_object *o, const char *key, bool is_known, size_t n)
{
	kc_json_add(o, key, is_known && n != SIZE_MAX ? json_object_new_int64((int64_t)n) : NULL);
}

static struct json_object *row(const struct kc_candidate *c)
{
	static const char *const sources[] = { "", "configured", "tuned", "measured" };
	struct json_object *o = json_object_new_object();
	enum kc_source source = kc_source_of(c);
	bool is_known = source != KC_SOURCE_NONE;
	char name[KC_ALG_NAME_SIZE];

	kc_json_text(o, "name", kc_alg_name(c->alg, name, sizeof(name)));
	add_size(o, "key_bits", c->alg->key_len != 0, c->alg->key_len * 8);
	kc_json_text(o, "backend", c->backend->name);
	kc_json_text(o, "kernel_name", c->alg->kernel_name);
	kc_json_text(o, "driver", c->driver);
	kc_json_add(o, "priority", c->driver[0] ? json_object_new_int(c->priority) : NULL);
	/* A row without a driver is offered if the kernel makes one on request. */
	kc_json_text(o, "kind", c->driver[0] || c->is_offered ? kc_nature_word(c->nature) : "");
	add_size(o, "threshold", is_known, atomic_load(&c->terms.threshold[KC_ENCRYPT]));
	add_size(o, "threshold_decrypt", is_known && !kc_alg_is_hash(c->alg),
		 atomic_load(&c->terms.threshold[KC_DECRYPT]));
	kc_json_text(o, "threshold_source", sources[source]);
	kc_json_bool(o, "offered", c->is_offered);
	kc_json_bool(o, "tried", atomic_load(&c->trust) != KC_UNTRIED);
	add_size(o, "trial_us", atomic_load(&c->trial_us) != 0, atomic_load(&c->trial_us));
	kc_json_text(o, "reason", kc_reasons[c->reason].word);
	kc_json_text(o, "reason_text", c->reason == KC_OK ? "" : kc_reasons[c->reason].text);
	return o;
}

static struct json_object *problem(const struct kc_problem *p)
{
	struct json_object *o = json_object_new_object();

	kc_json_text(o, "key", p->key);
	kc_json_text(o, "word", p->word);
	kc_json_text(o, "reason", kc_reasons[p->reason].word);
	kc_json_text(o, "text", kc_reasons[p->reason].text);
	kc_json_text(o, "nearest", p->nearest);
	return o;
}

struct json_object *kc_report_make(const struct kc_conf *conf, const struct kc_listed *offers,
				   const struct kc_keys_probe *keys)
{
	struct json_object *o = json_object_new_object(), *array;

	kc_json_text(o, "version", KC_VERSION);
	kc_json_text(o, "openssl_conf", conf->file);
	kc_json_text(o, "section", conf->section);
	kc_json_text(o, "engine", conf->engine);
	array = kc_json_array(o, "backends");
	for (size_t i = 0; kc_backends[i]; i++)
		json_object_array_add(array, json_object_new_string(kc_backends[i]->name));
	array = kc_json_array(o, "algorithms");
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = offers->policy.row[i]; c; c = c->next)
			json_object_array_add(array, row(c));
	kc_json_add(o, "kernel_keys", keys ? kc_keys_json(keys) : NULL);
	array = kc_json_array(o, "problems");
	for (size_t i = 0; i < offers->config.n_problems; i++)
		json_object_array_add(array, problem(&offers->config.problems[i]));
	kc_json_array(o, "notes");
	return o;
}

void kc_report_note(struct json_object *report, const char *format, ...)
{
	char note[PATH_MAX + 512];
	va_list args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
	json_object_array_add(json_object_object_get(report, "notes"),
			      json_object_new_string(note));
}

void kc_report_print_all(struct json_object *report)
{
	static const struct kc_column columns[] = {
		{ "ALGORITHM", "name" },	  { "KEY", "key_bits" },
		{ "BACKEND", "backend" },	  { "DRIVER", "driver" },
		{ "PRIORITY", "priority" },	  { "KIND", "kind" },
		{ "THRESHOLD", "threshold" },	  { "DECRYPTION", "threshold_decrypt" },
		{ "SOURCE", "threshold_source" }, { "TRIED", "tried" },
		{ "OFFERED", "offered" },	  { "WHY", "reason_text" },
	};

	kc_table_print(stdout, columns, ARRAY_SIZE(columns),
		       json_object_object_get(report, "algorithms"));
	putchar('\n');
}

static void head(const char *words)
{
	kc_paint(stdout, KC_BOLD, 0, words);
	putchar('\n');
}

/* First the rows that are known to pay. */
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
	struct json_object *rows = json_object_new_array();

	for (int pays = 1; pays >= 0; pays--)
		for (size_t i = 0; i < KC_ALG_COUNT; i++) {
			const struct kc_candidate *c = kc_candidate_now(policy->row[i]);

			if (c && (kc_least_request(c) != SIZE_MAX) == pays)
				json_object_array_add(rows, row(c));
		}
	if (json_object_array_length(rows)) {
		head("Used, for requests of this many bytes or more:");
		kc_table_print(stdout, columns, ARRAY_SIZE(columns), rows);
		putchar('\n');
	}
	json_object_put(rows);
}

/* An accelerator that could be used is shown, but not if it was left out on purpose. */
static bool is_shown(const struct kc_candidate *c)
{
	return c->nature == KC_HARDWARE && c->reason != KC_NEVER && c->reason != KC_SLOWER &&
	       !kc_is_left_out(c);
}

/* Prints the algorithms that have the driver of the first; returns how many others are left. */
static size_t print_driver(const struct kc_candidate **v, size_t n)
{
	char said[MAX_NAMES * (KC_ALG_NAME_SIZE + 2) + 160], name[KC_ALG_NAME_SIZE];
	const struct kc_candidate *first = v[0];
	size_t left = 0, named = 0;
	int len = snprintf(said, sizeof(said), "%s (hardware):", first->driver);

	for (size_t i = 0; i < n; i++) {
		if (v[i]->backend != first->backend || strcmp(v[i]->driver, first->driver) != 0)
			v[left++] = v[i];
		else if (named++ < MAX_NAMES)
			len += snprintf(said + len, sizeof(said) - (size_t)len, "%s %s",
					named > 1 ? "," : "",
					kc_alg_name(v[i]->alg, name, sizeof(name)));
	}
	if (named > MAX_NAMES)
		snprintf(said + len, sizeof(said) - (size_t)len, " and %zu more",
			 named - MAX_NAMES);
	printf("%*s", NAMES, "");
	kc_wrap(stdout, NAMES, NAMES + 2, said);
	return left;
}

/* Counts the rows that are not used for this reason, if it is one @of_hardware. */
static void print_reason(const struct kc_policy *policy, enum kc_reason reason, bool of_hardware)
{
	const struct kc_candidate *shown[KC_ALG_COUNT];
	size_t n_shown = 0;
	unsigned n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *c = kc_unused(policy->row[i]);

		if (!c || c->reason != reason)
			continue;
		n++;
		if (is_shown(c))
			shown[n_shown++] = c;
	}
	if (!n || (n_shown > 0) != of_hardware)
		return;
	printf("%*u  %s\n", NAMES - 2, n, kc_reasons[reason].text);
	while (n_shown)
		n_shown = print_driver(shown, n_shown);
}

void kc_report_print_used(const struct kc_policy *policy)
{
	print_used(policy);
	head("Not used, see kcrypto list --all:");
	for (int of_hardware = 1; of_hardware >= 0; of_hardware--)
		for (enum kc_reason r = KC_OK + 1; r < KC_REASON_COUNT; r++)
			print_reason(policy, r, of_hardware);
	putchar('\n');
}

/* Prints each element of an array of the report, which @say puts into words. */
static void print_each(struct json_object *report, const char *key, enum kc_colour colour,
		       const char *label, void (*say)(FILE *out, struct json_object *o))
{
	struct json_object *array = json_object_object_get(report, key);

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		char said[PATH_MAX + 512] = "";
		FILE *out = fmemopen(said, sizeof(said), "w");

		if (!out)
			return;
		say(out, json_object_array_get_idx(array, i));
		fclose(out);
		kc_say(stdout, colour, label, said);
	}
}

static void say_problem(FILE *out, struct json_object *o)
{
	const char *word = json_object_get_string(json_object_object_get(o, "word"));

	fprintf(out, "%s: '%s': %s", kc_json_get(o, "key"), word ? word : "",
		kc_json_get(o, "text"));
	if (json_object_object_get(o, "nearest"))
		fprintf(out, "; nearest known: %s", kc_json_get(o, "nearest"));
}

static void say_type(FILE *out, struct json_object *o)
{
	bool is_taken = json_object_get_boolean(json_object_object_get(o, "taken"));

	fprintf(out, "%s: %s", kc_json_get(o, "type"), is_taken ? "taken" : kc_json_get(o, "why"));
}

static void say_text(FILE *out, struct json_object *o)
{
	fputs(json_object_get_string(o), out);
}

/* Is advice useful? Yes with hardware, or if the configuration names this very algorithm. */
static bool is_worth_advice(const struct kc_candidate *c, const struct kc_config_row *row)
{
	if (c->reason == KC_NOT_LISTED && kc_is_left_out(c))
		return false;
	return c->nature == KC_HARDWARE || row->is_named;
}

/*
 * A row has a candidate for each backend that exists; drivers may be listed even if none does. A
 * row that is not listed tells nothing.
 */
static bool lacks_interface(const struct kc_policy *policy)
{
	bool is_lacking = !policy->n_backends;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next) {
			if (c->reason != KC_NO_INTERFACE && c->reason != KC_NOT_LISTED)
				return false;
			is_lacking |= c->reason == KC_NO_INTERFACE;
		}
	return is_lacking;
}

/* Prints advice, once for each reason that occurs. */
static void print_advice(const struct kc_config *config, const struct kc_policy *policy)
{
	bool is_given[KC_REASON_COUNT] = { false };
	char said[512];

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			is_given[c->reason] |= is_worth_advice(c, &config->row[i]);
	is_given[KC_NO_INTERFACE] = lacks_interface(policy);
	is_given[KC_TUNED_ABSENT] =
		policy->offers_any && config->tune_file[0] && policy->tuned == KC_TUNED_ABSENT;
	for (size_t i = 0; i < config->n_problems; i++)
		is_given[config->problems[i].reason] = true;
	for (size_t i = 0; i < KC_REASON_COUNT; i++)
		if (is_given[i] && kc_reasons[i].advice) {
			snprintf(said, sizeof(said), "%s: %s", kc_reasons[i].text,
				 kc_reasons[i].advice);
			kc_say(stdout, KC_GREEN, "advice", said);
		}
}

void kc_report_print_remarks(struct json_object *report, const struct kc_listed *offers)
{
	struct json_object *keys = json_object_object_get(report, "kernel_keys");
	char where[PATH_MAX + 128];

	snprintf(where, sizeof(where), "%s, section: %s", kc_json_get(report, "openssl_conf"),
		 kc_json_get(report, "section"));
	kc_say(stdout, KC_BOLD, "configuration", where);
	print_each(report, "problems", KC_RED, "problem", say_problem);
	print_each(report, "notes", KC_YELLOW, "note", say_text);
	print_advice(&offers->config, &offers->policy);
	if (!keys)
		return;
	print_each(keys, "types", KC_BOLD, "keys of the kernel", say_type);
	print_each(keys, "protected", KC_BOLD, "driver of wrapped keys", say_text);
}
