/* SPDX-License-Identifier: Apache-2.0 */
/* Would kcrypto tune try other drivers than the ones in its file, or has it left one unsettled? */
#include "cli/tune/tune.h"

#include <stdlib.h>
#include <string.h>

static bool is_about(const struct kc_tuned *t, const struct kc_fact *fact,
		     const struct kc_candidate *c)
{
	char name[KC_ALG_NAME_SIZE];

	return fact->backend < t->n_backends &&
	       strncmp(t->backend[fact->backend], c->backend->names[0], sizeof(t->backend[0])) ==
		       0 &&
	       strncmp(fact->driver, c->driver, sizeof(fact->driver)) == 0 &&
	       strncmp(fact->alg, kc_alg_name(c->alg, name, sizeof(name)), sizeof(fact->alg)) == 0;
}

static bool has_answer(const struct kc_tuned *t, const struct kc_candidate *c)
{
	size_t n;
	const struct kc_fact *facts = kc_tuned_facts(t, &n);

	while (n)
		if (is_about(t, &facts[--n], c))
			return facts[n].reason != KC_OK ||
			       kc_fact_is_settled(&facts[n], c->terms.counts_cpu ?
								     KC_PREFER_CPU :
								     KC_PREFER_THROUGHPUT);
	return false;
}

bool kc_tuning_is_fresh(const struct kc_tuning *tuning, const char *path)
{
	struct kc_tuned *t;
	size_t i = 0, n = 0;

	if (kc_tuned_read(path, &t) != KC_OK)
		return false;
	kc_tuned_facts(t, &n);
	while (i < tuning->n && has_answer(t, tuning->candidate[i]))
		i++;
	free(t);
	return i == tuning->n && n == tuning->n;
}
