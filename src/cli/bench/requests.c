/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto bench: enters software, each backend by itself, and kcrypto as it is configured. */
#include "cli/bench/bench.h"

#include <stdlib.h>

#include "cli/bench/field.h"
#include "policy/config_keys.h"

bool kc_bench_find_driver(struct kc_policy *policy, const struct kc_alg *alg, const char *backend)
{
	char name[KC_ALG_NAME_SIZE];
	struct kc_config config;
	static const char *const lists[KC_KIND_COUNT] = { "ciphers", "ciphers", "digests", "macs" };

	kc_config_init(&config);
	config.legacy = true;
	kc_config_set(&config, "backends", backend);
	kc_config_set(&config, "soft_drivers", "1");
	kc_config_set(&config, lists[alg->kind], kc_alg_name(alg, name, sizeof(name)));
	kc_policy_load(policy, &config);
	return policy->row[alg - kc_algs] && policy->row[alg - kc_algs]->is_offered;
}

/* The contenders for one algorithm, in the order of their lines. */
struct lines {
	struct kc_field field;
	struct kc_bench_line line[KC_MAX_CONTENDERS];
	struct kc_policy policy[KC_MAX_CONTENDERS]; /* owns the lines' words */
};

static void describe(struct lines *l, const struct kc_candidate *candidate)
{
	size_t i = l->field.n - 1;

	l->line[i] = (struct kc_bench_line){ l->field.contender[i].label,
					     candidate ? candidate->driver : "",
					     candidate ? kc_nature_word(candidate->nature) : "" };
}

static void enter_all(struct lines *l, const struct kc_bench *bench, const struct kc_alg *alg)
{
	if (kc_field_add_software(&l->field))
		describe(l, NULL);
	for (size_t i = 0; kc_backends[i] && l->field.n < KC_MAX_CONTENDERS - 1; i++) {
		struct kc_policy *policy = &l->policy[l->field.n];

		if (kc_bench_find_driver(policy, alg, kc_backends[i]->name) &&
		    kc_field_add_backend(&l->field, alg, kc_backends[i]->name, ""))
			describe(l, policy->row[alg - kc_algs]);
	}
	if (kc_field_add_file(&l->field, bench->file))
		describe(l, NULL);
}

/* Software's speed in a backend's line would be a lie, so such a result is dropped. */
static int measure(const struct kc_bench *bench, struct lines *l, const struct kc_alg *alg,
		   size_t size, struct json_object *report)
{
	bool has_text = alg->kind == KC_CIPHER || alg->kind == KC_AEAD;
	const struct kc_task task = { alg, has_text && bench->decrypts ? KC_DECRYPT : KC_ENCRYPT,
				      size };
	struct kc_result results[KC_MAX_CONTENDERS];

	if (!kc_compare(l->field.contender, l->field.n, &task, &bench->load, results))
		return 0;
	for (size_t i = 0; i < l->field.n; i++) {
		if (l->line[i].kind[0] && !kc_result_is_kernels(&results[i], &task))
			results[i].is_known = false;
		kc_bench_report_add(report, &task, &l->line[i], &results[i]);
	}
	return 1;
}

bool kc_bench_requests(struct kc_bench *bench, const struct kc_alg *alg, struct json_object *report)
{
	struct lines *l = calloc(1, sizeof(*l));
	bool ok = l;

	if (!l)
		return false;
	enter_all(l, bench, alg);
	for (size_t s = 0; ok && s < bench->n_sizes; s++) {
		kc_bench_progress(bench);
		ok = measure(bench, l, alg, bench->sizes[s], report);
	}
	kc_field_clear(&l->field);
	for (size_t i = 0; i < KC_MAX_CONTENDERS; i++)
		kc_policy_free(&l->policy[i]);
	free(l);
	return ok;
}
