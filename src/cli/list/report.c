/* SPDX-License-Identifier: Apache-2.0 */
/* The list: one object per row, of which people see some columns; and remarks. Decides nothing. */
#include "cli/list/report.h"

#include <stdarg.h>
#include <stdio.h>
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
	add_size(o, "threshold", is_known, atomic_load(&c->threshold[KC_ENCRYPT]));
	add_size(o, "threshold_decrypt", is_known && !kc_alg_is_hash(c->alg),
		 atomic_load(&c->threshold[KC_DECRYPT]));
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

struct json_object *kc_report_make(const struct kc_conf *conf, const struct kc_config *config,
				   const struct kc_policy *policy, const struct kc_keys_probe *keys)
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
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			json_object_array_add(array, row(c));
	kc_json_add(o, "kernel_keys", keys ? kc_keys_json(keys) : NULL);
	array = kc_json_array(o, "problems");
	for (size_t i = 0; i < config->n_problems; i++)
		json_object_array_add(array, problem(&config->problems[i]));
	array = kc_json_array(o, "notes");
	for (size_t i = 0; i < conf->n_notes; i++)
		json_object_array_add(array, json_object_new_string(conf->notes[i]));
	return o;
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

/* Is it unused for the same reason, with the same driver? */
static bool is_alike(const struct kc_candidate *c, const struct kc_candidate *other)
{
	return c && is_shown(c) && c->reason == other->reason && c->backend == other->backend &&
	       strcmp(c->driver, other->driver) == 0;
}

/* Prints the driver's unused algorithms, unless row @first is not the first of them. */
static void print_driver(const struct kc_policy *policy, size_t first)
{
	const struct kc_candidate *c = kc_unused(policy->row[first]);
	char said[MAX_NAMES * (KC_ALG_NAME_SIZE + 2) + 160], name[KC_ALG_NAME_SIZE];
	size_t len = (size_t)snprintf(said, sizeof(said), "%s (hardware):", c->driver), n = 0;

	for (size_t i = 0; i < first; i++)
		if (is_alike(kc_unused(policy->row[i]), c))
			return;
	for (size_t i = first; i < KC_ALG_COUNT; i++)
		if (is_alike(kc_unused(policy->row[i]), c) && n++ < MAX_NAMES)
			len += (size_t)snprintf(said + len, sizeof(said) - len, "%s %s",
						i > first ? "," : "",
						kc_alg_name(&kc_algs[i], name, sizeof(name)));
	if (n > MAX_NAMES)
		snprintf(said + len, sizeof(said) - len, " and %zu more", n - MAX_NAMES);
	printf("%*s", NAMES, "");
	kc_wrap(stdout, NAMES, NAMES + 2, said);
}

static void print_reason(const struct kc_policy *policy, enum kc_reason reason, unsigned n)
{
	if (!n)
		return;
	printf("%*u  %s\n", NAMES - 2, n, kc_reasons[reason].text);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *c = kc_unused(policy->row[i]);

		if (c && c->reason == reason && is_shown(c))
			print_driver(policy, i);
	}
}

/* Reasons with hardware come first. */
static void print_unused(const struct kc_policy *policy)
{
	unsigned n[KC_REASON_COUNT] = { 0 };
	bool has_hardware[KC_REASON_COUNT] = { false };

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_candidate *c = kc_unused(policy->row[i]);

		if (c) {
			n[c->reason]++;
			has_hardware[c->reason] |= is_shown(c);
		}
	}
	head("Not used, see kcrypto list --all:");
	for (int wanted = 1; wanted >= 0; wanted--)
		for (enum kc_reason r = KC_OK + 1; r < KC_REASON_COUNT; r++)
			if (has_hardware[r] == wanted)
				print_reason(policy, r, n[r]);
	putchar('\n');
}

void kc_report_print_used(const struct kc_policy *policy)
{
	print_used(policy);
	print_unused(policy);
}

static void print_problem(const struct kc_problem *p)
{
	char said[4 * KC_WORD_SIZE + 128];

	snprintf(said, sizeof(said), "%s: '%s': %s%s%s", p->key, p->word,
		 kc_reasons[p->reason].text, p->nearest[0] ? "; nearest known: " : "", p->nearest);
	kc_say(stdout, KC_RED, "problem", said);
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

void kc_report_print_remarks(const struct kc_conf *conf, const struct kc_config *config,
			     const struct kc_policy *policy)
{
	char where[sizeof(conf->file) + KC_NAME_SIZE + 16];

	snprintf(where, sizeof(where), "%s, section: %s", conf->file[0] ? conf->file : "-",
		 conf->section[0] ? conf->section : "-");
	kc_say(stdout, KC_BOLD, "configuration", where);
	for (size_t i = 0; i < config->n_problems; i++)
		print_problem(&config->problems[i]);
	for (size_t i = 0; i < conf->n_notes; i++)
		kc_say(stdout, KC_YELLOW, "note", conf->notes[i]);
	print_advice(config, policy);
}

/* Appends, after "; " unless it is the first. */
__attribute__((format(printf, 3, 4))) static void append(char *to, size_t size, const char *format,
							 ...)
{
	size_t n = strlen(to);
	va_list args;

	n += (size_t)snprintf(to + n, size - n, "%s", n ? "; " : "");
	va_start(args, format);
	if (n < size)
		vsnprintf(to + n, size - n, format, args);
	va_end(args);
}

/* Types with the same answer share it. */
static void say_types(const struct kc_keys_probe *keys, char *said, size_t size)
{
	for (size_t i = 0; i < KC_KEY_TYPES; i++) {
		char names[64] = "";
		bool is_said = false;

		for (size_t k = 0; k < KC_KEY_TYPES; k++) {
			if (keys->result[k] != keys->result[i])
				continue;
			is_said |= k < i;
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 names[0] ? ", " : "", kc_keys_type(k));
		}
		if (!is_said)
			append(said, size, "%s: %s", names,
			       keys->result[i] ? kc_keys_why(keys->result[i]) : "taken");
	}
}

void kc_report_print_keys(const struct kc_keys_probe *keys)
{
	char said[768] = "";

	say_types(keys, said, sizeof(said));
	kc_say(stdout, KC_BOLD, "keys of the kernel", said);
	said[0] = '\0';
	for (size_t i = 0; i < keys->n_wrapped; i++)
		append(said, sizeof(said), "%s", keys->wrapped[i]);
	kc_say(stdout, KC_BOLD, "wrapped keys",
	       said[0] ? said : "the kernel lists no driver for cbc(paes) or its like");
}
