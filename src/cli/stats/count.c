/* SPDX-License-Identifier: Apache-2.0 */
/* Turns counters into objects, and objects into lines. */
#include "cli/stats/count.h"
#include "stats/stats_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *text;
} whys[KC_SOFT_COUNT] = {
	[KC_SOFT_SMALL] = { "short", "software, short" },
	[KC_SOFT_NO_SESSION] = { "no-session", "software, no session" },
	[KC_SOFT_REDONE] = { "done-again", "software, again" },
};

static void add_number(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)n));
}

static void add_mean(struct json_object *o, const struct kc_count *timed, const struct kc_count *ns)
{
	uint64_t n = kc_count_read(timed);
	char text[32];

	snprintf(text, sizeof(text), "%.2f", n ? (double)kc_count_read(ns) / (double)n / 1e3 : 0);
	json_object_object_add(o, "mean_us", n ? json_object_new_double_s(atof(text), text) : NULL);
}

/* NULL if nothing happened. */
static struct json_object *backend_of(const struct kc_stats_backend *w,
				      const struct kc_backend *backend)
{
	struct json_object *o = json_object_new_object(), *errors = json_object_new_object();
	uint64_t requests = kc_count_read(&w->requests);

	json_object_object_add(o, "backend", json_object_new_string(backend->name));
	add_number(o, "requests", requests);
	add_number(o, "bytes", kc_count_read(&w->bytes));
	add_mean(o, &w->timed, &w->ns);
	for (unsigned i = 0; i < KC_STATS_ERRORS; i++) {
		uint64_t n = kc_count_read(&w->error[i]);

		if (n)
			add_number(errors, kc_reasons[kc_stats_errors[i]].word, n);
	}
	json_object_object_add(o, "errors", errors);
	if (requests || json_object_object_length(errors))
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *soft_of(const struct kc_stats_soft *s, const char *why)
{
	struct json_object *o;

	if (!kc_count_read(&s->requests))
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "reason", json_object_new_string(why));
	add_number(o, "requests", kc_count_read(&s->requests));
	add_number(o, "bytes", kc_count_read(&s->bytes));
	add_mean(o, &s->timed, &s->ns);
	return o;
}

static void append(struct json_object *to, struct json_object *o)
{
	if (o)
		json_object_array_add(to, o);
}

static struct json_object *row_of(const struct kc_stats_row *row, const struct kc_alg *alg)
{
	struct json_object *o = json_object_new_object();
	struct json_object *kernel = json_object_new_array(), *software = json_object_new_array();
	char name[KC_ALG_NAME_SIZE];

	kc_alg_name(alg, name, sizeof(name));
	json_object_object_add(o, "algorithm", json_object_new_string(name));
	json_object_object_add(o, "kernel", kernel);
	json_object_object_add(o, "software", software);
	for (unsigned i = 0; kc_backends[i]; i++)
		append(kernel, backend_of(&row->backend[i], kc_backends[i]));
	for (unsigned i = 0; i < KC_SOFT_COUNT; i++)
		append(software, soft_of(&row->soft[i], whys[i].word));
	if (json_object_array_length(kernel) + json_object_array_length(software))
		return o;
	json_object_put(o);
	return NULL;
}

struct json_object *kc_count_rows(const struct kc_stats *stats)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		append(rows, row_of(&stats->row[i], &kc_algs[i]));
	return rows;
}

void kc_count_head(FILE *out, const char *first)
{
	fprintf(out, "%s%-18s %-20s %12s %16s %10s  %s\n", first, "ALGORITHM", "DONE BY",
		"REQUESTS", "BYTES", "MEAN us", "ERRORS");
}

static const char *text_of(const char *word)
{
	for (unsigned i = 0; i < KC_SOFT_COUNT; i++)
		if (strcmp(whys[i].word, word) == 0)
			return whys[i].text;
	return word;
}

static const char *get(struct json_object *o, const char *key)
{
	struct json_object *value = json_object_object_get(o, key);

	return value ? json_object_get_string(value) : "-";
}

static void print_line(FILE *out, struct json_object *o, const char *first, const char *alg)
{
	struct json_object *reason = json_object_object_get(o, "reason");
	struct json_object *errors = json_object_object_get(o, "errors");
	const char *by = reason ? text_of(json_object_get_string(reason)) : get(o, "backend");

	fprintf(out, "%s%-18s %-20s %12s %16s %10s ", first, alg, by, get(o, "requests"),
		get(o, "bytes"), get(o, "mean_us"));
	if (errors) {
		json_object_object_foreach(errors, word, n)
			fprintf(out, " %s %s", word, json_object_get_string(n));
	}
	fputc('\n', out);
}

void kc_count_print(FILE *out, struct json_object *rows, const char *first, const char *again)
{
	static const char *const parts[] = { "kernel", "software" };

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		const char *alg = get(row, "algorithm");

		for (unsigned p = 0; p < 2; p++) {
			struct json_object *part = json_object_object_get(row, parts[p]);

			for (size_t k = 0; k < json_object_array_length(part); k++) {
				print_line(out, json_object_array_get_idx(part, k), first, alg);
				first = again;
				alg = "";
			}
		}
	}
}
