/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of kcrypto list. The report is built as JSON; the table for people shows columns of
 * it. Decides nothing.
 */
#include "cli/list/report.h"

#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void add(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	add(o, key, text[0] ? json_object_new_string(text) : NULL);
}

static void add_size(struct json_object *o, const char *key, bool is_known, size_t n)
{
	add(o, key, is_known && n != SIZE_MAX ? json_object_new_int64((int64_t)n) : NULL);
}

static struct json_object *row(const struct kc_candidate *c)
{
	struct json_object *o = json_object_new_object();
	bool decrypts = c->alg->kind == KC_CIPHER || c->alg->kind == KC_AEAD;
	bool is_tried = atomic_load(&c->trust) != KC_UNTRIED;
	bool is_known = c->threshold_fixed || c->is_tuned || atomic_load(&c->trust) == KC_TRUSTED;
	char name[KC_ALG_NAME_SIZE];

	add_text(o, "name", kc_alg_name(c->alg, name, sizeof(name)));
	add_size(o, "key_bits", c->alg->key_len != 0, c->alg->key_len * 8);
	add_text(o, "backend", c->backend->name);
	add_text(o, "kernel_name", c->alg->kernel_name);
	add_text(o, "driver", c->driver);
	add(o, "priority", c->driver[0] ? json_object_new_int(c->priority) : NULL);
	/* A row without a driver is offered if the kernel makes one on request. */
	add_text(o, "kind", c->driver[0] || c->is_offered ? kc_nature_word(c->nature) : "");
	add_size(o, "threshold", is_known, atomic_load(&c->threshold[KC_ENCRYPT]));
	add_size(o, "threshold_decrypt", is_known && decrypts,
		 atomic_load(&c->threshold[KC_DECRYPT]));
	add_text(o, "threshold_source",
		 c->threshold_fixed ? "configured" :
		 c->is_tuned	    ? "tuned" :
		 is_known	    ? "measured" :
				      "");
	add(o, "offered", json_object_new_boolean(c->is_offered));
	add(o, "tried", json_object_new_boolean(is_tried));
	add_size(o, "trial_us", atomic_load(&c->trial_us) != 0, atomic_load(&c->trial_us));
	add_text(o, "reason", kc_reasons[c->reason].word);
	add_text(o, "reason_text", c->reason == KC_OK ? "" : kc_reasons[c->reason].text);
	return o;
}

static struct json_object *problem(const struct kc_problem *p)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "key", p->key);
	add_text(o, "word", p->word);
	add_text(o, "reason", kc_reasons[p->reason].word);
	add_text(o, "text", kc_reasons[p->reason].text);
	add_text(o, "nearest", p->nearest);
	return o;
}

static struct json_object *add_array(struct json_object *o, const char *key)
{
	struct json_object *array = json_object_new_array();

	add(o, key, array);
	return array;
}

struct json_object *kc_report_make(const struct kc_conf *conf, const struct kc_config *config,
				   const struct kc_policy *policy)
{
	struct json_object *o = json_object_new_object(), *array;

	add_text(o, "version", KC_VERSION);
	add_text(o, "openssl_conf", conf->file);
	add_text(o, "section", conf->section);
	add_text(o, "engine", conf->engine);
	array = add_array(o, "backends");
	for (size_t i = 0; kc_backends[i]; i++)
		json_object_array_add(array, json_object_new_string(kc_backends[i]->name));
	array = add_array(o, "algorithms");
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			json_object_array_add(array, row(c));
	array = add_array(o, "problems");
	for (size_t i = 0; i < config->n_problems; i++)
		json_object_array_add(array, problem(&config->problems[i]));
	array = add_array(o, "notes");
	for (size_t i = 0; i < conf->n_notes; i++)
		json_object_array_add(array, json_object_new_string(conf->notes[i]));
	return o;
}

static const struct {
	const char *header, *key;
} columns[] = {
	{ "ALGORITHM", "name" },	  { "KEY", "key_bits" },
	{ "BACKEND", "backend" },	  { "DRIVER", "driver" },
	{ "PRIORITY", "priority" },	  { "KIND", "kind" },
	{ "THRESHOLD", "threshold" },	  { "DECRYPTION", "threshold_decrypt" },
	{ "SOURCE", "threshold_source" }, { "TRIED", "tried" },
	{ "OFFERED", "offered" },	  { "WHY", "reason_text" },
};

static const char *text(struct json_object *o, const char *key)
{
	struct json_object *value = json_object_object_get(o, key);

	if (json_object_is_type(value, json_type_boolean))
		return json_object_get_boolean(value) ? "yes" : "no";
	return value ? json_object_get_string(value) : "-";
}

/* Row 0 is the header. */
static const char *cell(struct json_object *rows, size_t i, size_t k)
{
	return i ? text(json_object_array_get_idx(rows, i - 1), columns[k].key) : columns[k].header;
}

static void print_table(struct json_object *rows)
{
	size_t n = json_object_array_length(rows), last = ARRAY_SIZE(columns) - 1;
	int width[ARRAY_SIZE(columns)] = { 0 };

	for (size_t i = 0; i <= n; i++)
		for (size_t k = 0; k < last; k++)
			if (width[k] < (int)strlen(cell(rows, i, k)))
				width[k] = (int)strlen(cell(rows, i, k));
	for (size_t i = 0; i <= n; i++)
		for (size_t k = 0; k <= last; k++)
			printf("%-*s%s", width[k], cell(rows, i, k), k < last ? "  " : "\n");
}

static void print_problems(struct json_object *problems)
{
	for (size_t i = 0; i < json_object_array_length(problems); i++) {
		struct json_object *p = json_object_array_get_idx(problems, i);

		bool is_near = json_object_object_get(p, "nearest");

		printf("problem: %s: '%s': %s%s%s\n", text(p, "key"), text(p, "word"),
		       text(p, "text"), is_near ? "; nearest known: " : "",
		       is_near ? text(p, "nearest") : "");
	}
}

/*
 * Is advice useful? Yes with hardware, or if the configuration names this very algorithm. But ECB,
 * digests and MACs are left out on purpose.
 */
static bool is_worth_advice(const struct kc_candidate *c, const struct kc_config_row *row)
{
	if (c->reason == KC_NOT_LISTED && (c->alg->kind > KC_AEAD || c->alg->named_only))
		return false;
	return c->nature == KC_HARDWARE || row->is_named;
}

/* A row has a candidate for each backend that exists; drivers may be listed even if none does. */
static bool has_interface(const struct kc_policy *policy)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->reason != KC_NO_INTERFACE && c->reason != KC_NOT_LISTED)
				return true;
	return false;
}

/* Prints advice, once for each reason that occurs. */
static void print_advice(const struct kc_config *config, const struct kc_policy *policy)
{
	bool is_given[KC_REASON_COUNT] = { false };

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = policy->row[i]; c; c = c->next)
			is_given[c->reason] |= is_worth_advice(c, &config->row[i]);
	is_given[KC_NO_INTERFACE] = !has_interface(policy);
	is_given[KC_TUNED_ABSENT] =
		policy->offers_any && config->tune_file[0] && policy->tuned == KC_TUNED_ABSENT;
	for (size_t i = 0; i < config->n_problems; i++)
		is_given[config->problems[i].reason] = true;
	for (size_t i = 0; i < KC_REASON_COUNT; i++)
		if (is_given[i] && kc_reasons[i].advice)
			printf("advice: %s: %s\n", kc_reasons[i].text, kc_reasons[i].advice);
}

static void print_text(struct json_object *o, const struct kc_conf *conf)
{
	print_table(json_object_object_get(o, "algorithms"));
	printf("\nconfiguration: %s, section: %s\n", text(o, "openssl_conf"), text(o, "section"));
	print_problems(json_object_object_get(o, "problems"));
	for (size_t i = 0; i < conf->n_notes; i++)
		printf("note: %s\n", conf->notes[i]);
}

void kc_report_print(const struct kc_conf *conf, const struct kc_config *config,
		     const struct kc_policy *policy, bool json)
{
	struct json_object *o = kc_report_make(conf, config, policy);

	if (json) {
		puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	} else {
		print_text(o, conf);
		print_advice(config, policy);
	}
	json_object_put(o);
}
