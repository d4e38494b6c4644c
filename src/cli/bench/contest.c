/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enters the contenders for one algorithm: software, each backend by itself and kcrypto as it is
 * configured; of TLS records software, kcrypto and kTLS. One that cannot be had, or did not do the
 * work by itself, has a line with the reason and no figures.
 */
#include "cli/bench/bench.h"

#include <string.h>
#include <unistd.h>

#include "cli/bench/field.h"
#include "cli/selftest/ktls.h"
#include "cli/tls/connection.h"
#include "policy/config_keys.h"
#include "policy/policy.h"

struct contest {
	const struct kc_alg *alg;
	struct kc_field field;
	struct kc_bench_line line[KC_MAX_CONTENDERS];
	size_t n; /* lines */
};

static struct kc_bench_line *add_line(struct contest *c, const char *label)
{
	c->line[c->n] = (struct kc_bench_line){ label, "", "", NULL, -1 };
	return &c->line[c->n++];
}

/* The contender was added last. False leaves the line without one. */
static bool enter(struct contest *c, struct kc_bench_line *line, bool is_added)
{
	if (is_added)
		line->contender = (int)c->field.n - 1;
	return is_added;
}

/* The algorithm's candidates as the provider finds them if every driver is admitted. */
static const struct kc_candidate *candidates(const struct kc_alg *alg)
{
	static struct kc_policy policy;
	static struct kc_config config;

	if (!policy.n_backends) {
		kc_config_init(&config);
		config.legacy = true;
		config.admit = KC_ADMIT_ALL;
		config.tune_file[0] = '\0';
		for (size_t i = 0; i < KC_ALG_COUNT; i++)
			config.row[i].on = true;
		kc_policy_load(&policy, &config);
	}
	return policy.row[alg - kc_algs];
}

/* Every request through @backend, or NULL for the best one. */
static bool enter_backend(struct contest *c, struct kc_bench_line *line,
			  const struct kc_backend *backend)
{
	const struct kc_candidate *found = candidates(c->alg);
	bool is_absent;

	while (found && backend && found->backend != backend)
		found = found->next;
	is_absent = !found || (found->backend->exists && !found->backend->exists(true));
	if (is_absent || !found->is_offered) {
		line->why = kc_reasons[is_absent ? KC_NO_INTERFACE : found->reason].text;
		return false;
	}
	line->driver = found->driver;
	line->kind = kc_nature_word(found->nature);
	if (enter(c, line, kc_field_add_backend(&c->field, c->alg, found->backend->name, "")))
		return true;
	line->why = "kcrypto's module cannot be loaded";
	return false;
}

static void enter_for_requests(struct contest *c, const struct kc_bench *bench)
{
	enter(c, add_line(c, "software"), kc_field_add_software(&c->field));
	for (size_t i = 0; kc_backends[i] && c->n < KC_MAX_CONTENDERS - 1; i++)
		if (!kc_backends[i]->exists || kc_backends[i]->exists(false))
			enter_backend(c, add_line(c, kc_backends[i]->name), kc_backends[i]);
	enter(c, add_line(c, "as configured"), kc_field_add_file(&c->field, bench->file));
}

/* The contender passes a record, or its line says why not. */
static void try_record(struct contest *c, struct kc_bench_line *line, bool is_ktls)
{
	struct kc_contender *contender = &c->field.contender[line->contender];

	contender->is_ktls = is_ktls;
	kc_tls_close(kc_tls_open(contender->lib, c->alg, is_ktls, &line->why));
}

/* kTLS asks for an algorithm and gets the driver of the highest priority. */
static void name_ktls_driver(struct contest *c, struct kc_bench_line *line)
{
	static struct kc_drivers drivers;
	const struct kc_driver *best = NULL;

	for (size_t i = 0; kc_backends[i] && !drivers.n; i++)
		kc_backends[i]->discover(&drivers);
	for (size_t i = 0; i < drivers.n; i++)
		if (strcmp(drivers.v[i].name, c->alg->kernel_name) == 0 &&
		    (!best || drivers.v[i].priority > best->priority))
			best = &drivers.v[i];
	if (!best)
		return;
	line->driver = best->driver;
	line->kind = kc_nature_word(kc_driver_nature(best, c->alg->key_len));
}

/* Lines in the order of KC_BY_SOFTWARE and so on. Wrong records count for nothing. */
static void enter_for_records(struct contest *c)
{
	struct kc_bench_line *software = add_line(c, "software");
	struct kc_bench_line *kcrypto = add_line(c, "kcrypto"), *ktls = add_line(c, "kTLS");

	if (enter(c, software, kc_field_add_software(&c->field)))
		try_record(c, software, false);
	if (enter_backend(c, kcrypto, NULL))
		try_record(c, kcrypto, false);
	if (kc_ktls_check(false, &ktls->why) != KC_KTLS_RIGHT ||
	    !enter(c, ktls, kc_field_add_software(&c->field)))
		return;
	try_record(c, ktls, true);
	if (!ktls->why)
		name_ktls_driver(c, ktls);
}

/*
 * Software's speed in a line of the kernel's would be a lie. Each record goes through the module
 * twice; with CBC, there is a little more of it than text.
 */
static void judge(const struct contest *c, const struct kc_task *task, size_t i,
		  struct kc_bench_line *line, struct kc_result *r)
{
	bool is_ktls = task->is_record && i == KC_BY_KTLS;

	if (task->is_record)
		r->kernel_share = is_ktls ? 1 : r->kernel_share / 2;
	if (task->is_record && r->kernel_share > 1)
		r->kernel_share = 1;
	if (!r->is_known && !line->why && line->contender >= 0)
		line->why = "a request failed, or was not answered in time";
	if (is_ktls || !c->line[i].kind[0] || !r->is_known || kc_result_is_kernels(r, task))
		return;
	r->is_known = false;
	line->why = "not all of the work went to the kernel";
}

static bool measure(const struct kc_bench *bench, struct contest *c, size_t size,
		    struct json_object *report)
{
	bool has_text = c->alg->kind == KC_CIPHER || c->alg->kind == KC_AEAD;
	const struct kc_task task = { c->alg, has_text && bench->decrypts ? KC_DECRYPT : KC_ENCRYPT,
				      size, bench->is_tls };
	struct kc_result measured[KC_MAX_CONTENDERS];
	struct kc_result result[KC_MAX_CONTENDERS] = { { .is_known = false } };
	struct kc_advice advice;

	if (!kc_compare(c->field.contender, c->field.n, &task, &bench->load, measured))
		return false;
	for (size_t i = 0; i < c->n; i++) {
		struct kc_bench_line line = c->line[i];

		if (line.contender >= 0)
			result[i] = measured[line.contender];
		judge(c, &task, i, &line, &result[i]);
		kc_bench_report_add(report, &task, &line, &result[i]);
	}
	if (!bench->is_tls)
		return true;
	advice = kc_bench_advise(result);
	kc_bench_report_advise(report, &task, advice.best < 0 ? "" : c->line[advice.best].label,
			       &advice);
	return true;
}

void kc_bench_progress(const struct kc_bench *bench)
{
	static size_t done;
	size_t all = bench->n_algs * bench->n_sizes;

	if (isatty(STDERR_FILENO))
		fprintf(stderr, done < all ? "\r%3zu %%" : "\r\033[K", done * 100 / all);
	done++;
}

bool kc_bench_contest(const struct kc_bench *bench, const struct kc_alg *alg,
		      struct json_object *report)
{
	struct contest contest = { .alg = alg }, *c = &contest;
	bool ok = true;

	if (bench->is_tls)
		enter_for_records(c);
	else
		enter_for_requests(c, bench);
	for (size_t s = 0; ok && s < bench->n_sizes; s++) {
		kc_bench_progress(bench);
		ok = measure(bench, c, bench->sizes[s], report);
	}
	kc_field_clear(&c->field);
	return ok;
}
