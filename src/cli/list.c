/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto list: what an application gets, row by row, as a table or as JSON. The facts come from
 * the configuration, the policy and the probe; nothing is decided here.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/conf.h"
#include "cli/probe.h"
#include "core/policy.h"

struct report {
	struct kc_conf conf;
	struct kc_config config;
	struct kc_policy policy;
	struct kc_notes notes;
};

struct options {
	const char *file;
	bool json, no_trial;
};

enum { ALGORITHM, KEY, KERNEL_NAME, DRIVER, PRIORITY, KIND, THRESHOLD, OFFERED, COLUMNS };

struct line {
	char cell[COLUMNS][128];
};

static bool is_offered(const struct kc_choice *c)
{
	return c->backend != NULL;
}

static bool is_measured(const struct kc_choice *c)
{
	return !c->threshold_fixed &&
	       (c->reason == KC_SLOWER || atomic_load(&c->trust) == KC_TRUSTED);
}

static bool is_tried(const struct kc_choice *c)
{
	return atomic_load(&c->trust) != KC_UNTRIED;
}

/* A choice without a driver is offered where the kernel makes one when it is asked. */
static const char *kind(const struct kc_choice *c)
{
	return c->driver[0] || is_offered(c) ? kc_nature_word(c->nature) : "-";
}

static const char *bytes(char *buf, size_t size, size_t n)
{
	if (n == SIZE_MAX)
		snprintf(buf, size, "never");
	else
		snprintf(buf, size, "%zu", n);
	return buf;
}

static void write_threshold(char *cell, size_t size, const struct kc_choice *c)
{
	size_t encrypt = atomic_load(&c->threshold[KC_ENCRYPT]);
	size_t decrypt = atomic_load(&c->threshold[KC_DECRYPT]);
	char e[24], d[24];

	if (c->threshold_fixed)
		bytes(cell, size, encrypt);
	else if (is_measured(c) && encrypt == decrypt)
		snprintf(cell, size, "measured %s", bytes(e, sizeof(e), encrypt));
	else if (is_measured(c))
		snprintf(cell, size, "measured %s/%s", bytes(e, sizeof(e), encrypt),
			 bytes(d, sizeof(d), decrypt));
	else
		snprintf(cell, size, "%s", is_offered(c) ? "measured" : "-");
}

static void write_offered(char *cell, size_t size, const struct kc_choice *c, bool was_tried)
{
	if (!is_offered(c))
		snprintf(cell, size, "no: %s", kc_reasons[c->reason].text);
	else if (was_tried && !is_tried(c))
		snprintf(cell, size, "yes, but it was not tried");
	else
		snprintf(cell, size, "yes");
}

static void write_line(struct line *line, const struct kc_choice *c, bool was_tried)
{
	const size_t size = sizeof(line->cell[0]);

	kc_alg_name(c->alg, line->cell[ALGORITHM], size);
	snprintf(line->cell[KEY], size, "%u", c->alg->key_len * 8);
	snprintf(line->cell[KERNEL_NAME], size, "%s", c->alg->kernel_name);
	snprintf(line->cell[DRIVER], size, "%s", c->driver[0] ? c->driver : "-");
	snprintf(line->cell[PRIORITY], size, c->driver[0] ? "%d" : "-", c->priority);
	snprintf(line->cell[KIND], size, "%s", kind(c));
	write_threshold(line->cell[THRESHOLD], size, c);
	write_offered(line->cell[OFFERED], size, c, was_tried);
}

static void print_table(const struct report *r, bool was_tried)
{
	struct line lines[1 + KC_ALG_COUNT] = { { {
		"ALGORITHM", "KEY", "KERNEL NAME", "DRIVER", "PRIORITY", "KIND", "THRESHOLD",
		"OFFERED" } } };
	int width[COLUMNS] = { 0 };

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		write_line(&lines[i + 1], &r->policy.row[i], was_tried);
	for (size_t i = 0; i <= KC_ALG_COUNT; i++)
		for (int k = 0; k < OFFERED; k++)
			if (width[k] < (int)strlen(lines[i].cell[k]))
				width[k] = (int)strlen(lines[i].cell[k]);
	for (size_t i = 0; i <= KC_ALG_COUNT; i++) {
		for (int k = 0; k < OFFERED; k++)
			printf("%-*s  ", width[k], lines[i].cell[k]);
		printf("%s\n", lines[i].cell[OFFERED]);
	}
}

static unsigned kept_problems(const struct kc_config *config)
{
	return config->n_problems < KC_MAX_PROBLEMS ? config->n_problems : KC_MAX_PROBLEMS;
}

static void print_problems(const struct kc_config *config)
{
	unsigned kept = kept_problems(config);

	for (unsigned i = 0; i < kept; i++) {
		const struct kc_problem *p = &config->problems[i];

		printf("problem: %s: '%s': %s", p->key, p->word, kc_reasons[p->reason].text);
		if (p->nearest[0])
			printf("; did you mean '%s'?", p->nearest);
		printf("\n");
	}
	if (config->n_problems > kept)
		printf("problem: and %u more\n", config->n_problems - kept);
}

/* What can be done, once for each reason that was given above. */
static void print_advice(const struct report *r)
{
	bool given[KC_REASON_COUNT] = { false };

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		given[r->policy.row[i].reason] = true;
	for (unsigned i = 0; i < kept_problems(&r->config); i++)
		given[r->config.problems[i].reason] = true;
	for (size_t i = 0; i < KC_REASON_COUNT; i++)
		if (given[i] && kc_reasons[i].advice)
			printf("advice: %s: %s\n", kc_reasons[i].text, kc_reasons[i].advice);
}

static void print_text(const struct report *r, const struct options *options)
{
	print_table(r, !options->no_trial);
	printf("\nconfiguration: %s", r->conf.file[0] ? r->conf.file : "no file");
	if (r->conf.section[0])
		printf(", section [%s]\n", r->conf.section);
	else
		printf("; the table shows the defaults\n");
	print_problems(&r->config);
	for (size_t i = 0; i < r->notes.n; i++)
		printf("note: %s\n", r->notes.line[i]);
	print_advice(r);
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text[0] ? json_object_new_string(text) : NULL);
}

static void add_threshold(struct json_object *o, const char *key, const struct kc_choice *c,
			  enum kc_dir dir)
{
	size_t n = atomic_load(&c->threshold[dir]);
	bool is_known = (c->threshold_fixed || is_measured(c)) && n != SIZE_MAX;

	json_object_object_add(o, key, is_known ? json_object_new_int64((int64_t)n) : NULL);
}

static struct json_object *json_row(const struct kc_choice *c)
{
	struct json_object *o = json_object_new_object();
	char name[KC_ALG_NAME_SIZE];

	add_text(o, "name", kc_alg_name(c->alg, name, sizeof(name)));
	json_object_object_add(o, "key_bits", json_object_new_int((int)c->alg->key_len * 8));
	add_text(o, "kernel_name", c->alg->kernel_name);
	add_text(o, "driver", c->driver);
	json_object_object_add(o, "priority",
			       c->driver[0] ? json_object_new_int(c->priority) : NULL);
	add_text(o, "kind", c->driver[0] || is_offered(c) ? kind(c) : "");
	add_threshold(o, "threshold", c, KC_ENCRYPT);
	add_threshold(o, "threshold_decrypt", c, KC_DECRYPT);
	add_text(o, "threshold_source", c->threshold_fixed ? "configured" : "measured");
	json_object_object_add(o, "offered", json_object_new_boolean(is_offered(c)));
	json_object_object_add(o, "tried", json_object_new_boolean(is_tried(c)));
	add_text(o, "reason", kc_reasons[c->reason].word);
	add_text(o, "reason_text", kc_reasons[c->reason].text);
	return o;
}

static struct json_object *json_problem(const struct kc_problem *p)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "key", p->key);
	json_object_object_add(o, "word", json_object_new_string(p->word));
	add_text(o, "reason", kc_reasons[p->reason].word);
	add_text(o, "text", kc_reasons[p->reason].text);
	add_text(o, "nearest", p->nearest);
	return o;
}

static void add_array(struct json_object *o, const char *key, struct json_object **array)
{
	*array = json_object_new_array();
	json_object_object_add(o, key, *array);
}

static void print_json(const struct report *r)
{
	struct json_object *o = json_object_new_object(), *array;

	add_text(o, "version", KC_VERSION);
	add_text(o, "openssl_conf", r->conf.file);
	add_text(o, "section", r->conf.section);
	add_array(o, "backends", &array);
	for (size_t i = 0; kc_backends[i]; i++)
		json_object_array_add(array, json_object_new_string(kc_backends[i]->name));
	add_array(o, "algorithms", &array);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		json_object_array_add(array, json_row(&r->policy.row[i]));
	add_array(o, "problems", &array);
	for (unsigned i = 0; i < kept_problems(&r->config); i++)
		json_object_array_add(array, json_problem(&r->config.problems[i]));
	add_array(o, "notes", &array);
	for (size_t i = 0; i < r->notes.n; i++)
		json_object_array_add(array, json_object_new_string(r->notes.line[i]));
	printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

/* 0, or an exit code. */
static int read_options(int argc, char **argv, struct options *options)
{
	static const struct option table[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "no-trial", no_argument, NULL, 'n' },
		{ "config", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", table, NULL)) != -1) {
		if (c == 'j')
			options->json = true;
		else if (c == 'n')
			options->no_trial = true;
		else if (c == 'c')
			options->file = optarg;
		else
			return kc_usage_error("list: %s %s", argv[optind - 1],
					      c == ':' ? "needs a value" : "is no option");
	}
	return optind < argc ? kc_usage_error("list: '%s' is too much", argv[optind]) : KC_EXIT_OK;
}

static int fill(struct report *r, const struct options *options)
{
	int err;

	kc_config_init(&r->config);
	kc_conf_read(&r->conf, options->file, &r->config, &r->notes);
	if (options->file && !r->conf.is_read) {
		fprintf(stderr, "kcrypto: %s\n", r->notes.line[0]);
		return KC_EXIT_FAILED;
	}
	kc_policy_load(&r->policy, &r->config);
	err = options->no_trial ? 0 : kc_probe_run(&r->policy, &r->notes);
	if (err) {
		fprintf(stderr, "kcrypto: no process to try the drivers in: %s\n", strerror(-err));
		return KC_EXIT_FAILED;
	}
	if (!r->policy.offers_any)
		kc_note(&r->notes, "nothing goes to the kernel; OpenSSL works as if kcrypto were "
			"not there");
	return KC_EXIT_OK;
}

int kc_cmd_list(int argc, char **argv)
{
	static struct report report;
	struct options options = { .file = NULL };
	int code = read_options(argc, argv, &options);

	if (code == KC_EXIT_OK)
		code = fill(&report, &options);
	if (code != KC_EXIT_OK)
		return code;
	if (options.json)
		print_json(&report);
	else
		print_text(&report, &options);
	return KC_EXIT_OK;
}
