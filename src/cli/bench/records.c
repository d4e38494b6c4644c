/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto bench --tls: enters software, kcrypto and the kernel's own TLS for each algorithm. One
 * that can't be had, or did not do the work by itself, has a line with the reason and no figures.
 */
#include "cli/bench/bench.h"

#include <stdlib.h>
#include <string.h>

#include "cli/bench/advice.h"
#include "cli/bench/field.h"
#include "cli/selftest/ktls.h"
#include "cli/tls/connection.h"
#include "core/reason.h"
#include "policy/policy.h"

struct contest {
	const struct kc_alg *alg;
	struct kc_field field;
	int way[KC_WAYS]; /* of each contender in the field */
	struct kc_bench_line line[KC_WAYS];
	struct kc_policy policy;   /* owns words of kcrypto's line, */
	struct kc_drivers drivers; /* and this one of kTLS's */
};

/* The contender that was added last passes a record, or its line says why not. */
static void enter(struct contest *c, int way)
{
	struct kc_contender *last = &c->field.contender[c->field.n - 1];

	c->way[c->field.n - 1] = way;
	last->is_ktls = way == KC_BY_KTLS;
	kc_tls_close(kc_tls_open(last->lib, c->alg, last->is_ktls, &c->line[way].why));
}

static void enter_kcrypto(struct contest *c)
{
	struct kc_bench_line *line = &c->line[KC_BY_KCRYPTO];
	const struct kc_candidate *found;

	if (!kc_bench_find_driver(&c->policy, c->alg, "auto")) {
		found = c->policy.row[c->alg - kc_algs];
		line->why = kc_reasons[found ? found->reason : KC_NO_INTERFACE].text;
		return;
	}
	found = c->policy.row[c->alg - kc_algs];
	line->driver = found->driver;
	line->kind = kc_nature_word(found->nature);
	if (kc_field_add_backend(&c->field, c->alg, found->backend->name, ""))
		enter(c, KC_BY_KCRYPTO);
	else
		line->why = "kcrypto's module cannot be loaded";
}

/* kTLS asks for an algorithm and gets the driver of the highest priority. */
static void name_driver(struct contest *c)
{
	const struct kc_driver *best = NULL;

	for (size_t i = 0; kc_backends[i] && !c->drivers.n; i++)
		kc_backends[i]->discover(&c->drivers);
	for (size_t i = 0; i < c->drivers.n; i++) {
		const struct kc_driver *d = &c->drivers.v[i];

		if (strcmp(d->name, c->alg->kernel_name) == 0 &&
		    (!best || d->priority > best->priority))
			best = d;
	}
	if (!best)
		return;
	c->line[KC_BY_KTLS].driver = best->driver;
	c->line[KC_BY_KTLS].kind = kc_nature_word(kc_driver_nature(best, c->alg->key_len));
}

/* Wrong records count for nothing, however fast they are. */
static void enter_ktls(struct contest *c)
{
	if (kc_ktls_check(false, &c->line[KC_BY_KTLS].why) != KC_KTLS_RIGHT ||
	    !kc_field_add_software(&c->field))
		return;
	enter(c, KC_BY_KTLS);
	if (!c->line[KC_BY_KTLS].why)
		name_driver(c);
}

static bool enter_all(struct contest *c)
{
	static const char *const labels[KC_WAYS] = { "software", "kcrypto", "kTLS" };

	for (int way = 0; way < KC_WAYS; way++)
		c->line[way] = (struct kc_bench_line){ labels[way], "", "", NULL };
	if (!kc_field_add_software(&c->field))
		return false;
	enter(c, KC_BY_SOFTWARE);
	enter_kcrypto(c);
	enter_ktls(c);
	return true;
}

/* Each record goes through the module twice; with CBC, there is a little more of it than text. */
static void judge(const struct kc_task *task, int way, struct kc_bench_line *line,
		  struct kc_result *r)
{
	r->kernel_share = way == KC_BY_KTLS ? 1 : r->kernel_share / 2;
	if (r->kernel_share > 1)
		r->kernel_share = 1;
	if (!r->is_known && !line->why)
		line->why = "a record failed";
	if (way != KC_BY_KCRYPTO || !r->is_known || kc_result_is_kernels(r, task))
		return;
	r->is_known = false;
	line->why = "not all of the work went to the kernel";
}

static bool measure(const struct kc_bench *bench, struct contest *c, size_t size,
		    struct json_object *report)
{
	const struct kc_task task = { c->alg, KC_ENCRYPT, size, true };
	struct kc_result measured[KC_MAX_CONTENDERS], result[KC_WAYS] = { { .is_known = false } };
	struct kc_advice advice;

	if (!kc_compare(c->field.contender, c->field.n, &task, &bench->load, measured))
		return false;
	for (size_t i = 0; i < c->field.n; i++)
		result[c->way[i]] = measured[i];
	for (int way = 0; way < KC_WAYS; way++) {
		struct kc_bench_line line = c->line[way];

		judge(&task, way, &line, &result[way]);
		kc_bench_report_add(report, &task, &line, &result[way]);
	}
	advice = kc_bench_advise(result);
	kc_bench_report_advise(report, &task, advice.best < 0 ? "" : c->line[advice.best].label,
			       &advice);
	return true;
}

bool kc_bench_records(struct kc_bench *bench, const struct kc_alg *alg, struct json_object *report)
{
	struct contest *c = calloc(1, sizeof(*c));
	bool ok;

	if (!c)
		return false;
	c->alg = alg;
	ok = enter_all(c);
	for (size_t s = 0; ok && s < bench->n_sizes; s++) {
		kc_bench_progress(bench);
		ok = measure(bench, c, bench->sizes[s], report);
	}
	kc_field_clear(&c->field);
	kc_policy_free(&c->policy);
	free(c);
	return ok;
}
