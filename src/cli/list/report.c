/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON: one object per row, and the notes. Decides nothing. */
#include "cli/list/report.h"

#include "cli/list/summary.h"

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
	static const char *const sources[] = { "", "configured", "tuned", "measured" };
	enum kc_source source = kc_source_of(c);
	bool is_known = source != KC_SOURCE_NONE;
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
	add_text(o, "threshold_source", sources[source]);
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
				   const struct kc_policy *policy, const struct kc_keys_probe *keys)
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
	add(o, "kernel_keys", keys ? kc_keys_json(keys) : NULL);
	array = add_array(o, "problems");
	for (size_t i = 0; i < config->n_problems; i++)
		json_object_array_add(array, problem(&config->problems[i]));
	array = add_array(o, "notes");
	for (size_t i = 0; i < conf->n_notes; i++)
		json_object_array_add(array, json_object_new_string(conf->notes[i]));
	return o;
}
