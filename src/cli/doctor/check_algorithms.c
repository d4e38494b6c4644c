/* SPDX-License-Identifier: Apache-2.0 */
/* The results of the chain: each algorithm, the keys about it, and better ways to the same end. */
#include "cli/doctor/doctor.h"

#include <inttypes.h>
#include <openssl/opensslconf.h>
#include <stdatomic.h>
#include <string.h>

#ifdef OPENSSL_NO_KTLS
enum { HAS_KTLS = false };
#else
enum { HAS_KTLS = true };
#endif

void kc_check_keys(struct kc_diagnosis *d)
{
	const struct kc_config *config = &d->found->offers.config;
	char subject[3 * KC_WORD_SIZE];

	for (size_t i = 0; i < config->n_problems; i++) {
		const struct kc_problem *p = &config->problems[i];

		snprintf(subject, sizeof(subject), "%s: '%s'", p->key, p->word);
		kc_find_reason(d, subject, p->reason);
	}
	if (!config->n_problems && d->found->conf.section[0])
		kc_fine(d, "each line of the section %s is understood", d->found->conf.section);
}

static const char *source_of(const struct kc_candidate *c)
{
	return c->threshold_fixed ? "configured" : c->is_tuned ? "tuned" : "measured";
}

static void tell_offered(struct kc_diagnosis *d, const struct kc_candidate *c, const char *name)
{
	size_t threshold = atomic_load(&c->threshold[KC_ENCRYPT]);
	const char *driver = c->driver[0] ? c->driver : "the kernel's choice";

	if (threshold == SIZE_MAX)
		kc_fine(d, "%s: %s through %s, %s; each process learns from which length", name,
			driver, c->backend->name, kc_nature_word(c->nature));
	else
		kc_fine(d, "%s: %s through %s, %s, from %zu bytes on (%s)", name, driver,
			c->backend->name, kc_nature_word(c->nature), threshold, source_of(c));
}

/* Algorithms that are not offered for the same reason: one line for all. */
struct unused {
	char first[128];
	size_t n;
};

/*
 * Is it asked for, or could hardware do it? ECB, digests and MACs are left out of lists on purpose.
 */
static bool matters(const struct kc_candidate *c, const struct kc_config_row *row)
{
	if (c->reason == KC_NOT_LISTED)
		return c->nature == KC_HARDWARE && c->alg->kind <= KC_AEAD && !c->alg->named_only;
	return c->is_offered || row->is_named || c->nature == KC_HARDWARE;
}

static void check_candidate(struct kc_diagnosis *d, const struct kc_candidate *c,
			    struct unused unused[KC_REASON_COUNT])
{
	struct unused *u = &unused[c->reason];
	char name[KC_ALG_NAME_SIZE];

	kc_alg_name(c->alg, name, sizeof(name));
	if (c->is_offered)
		tell_offered(d, c, name);
	else if (!u->n++)
		snprintf(u->first, sizeof(u->first), "%s: %s%sthrough %s", name, c->driver,
			 c->driver[0] ? " " : "", c->backend->name);
}

/* A row that another backend serves is spared. */
static void check_row(struct kc_diagnosis *d, size_t row, struct unused unused[2][KC_REASON_COUNT])
{
	const struct kc_listed *offers = &d->found->offers;
	bool is_offered = false;

	for (const struct kc_candidate *c = offers->policy.row[row]; c; c = c->next)
		is_offered |= c->is_offered;
	for (const struct kc_candidate *c = offers->policy.row[row]; c; c = c->next)
		if (matters(c, &offers->config.row[row]))
			check_candidate(d, c, unused[is_offered]);
}

void kc_check_algorithms(struct kc_diagnosis *d)
{
	struct unused unused[2][KC_REASON_COUNT] = { { { .n = 0 } } };
	char subject[160];

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		check_row(d, i, unused);
	for (int spared = 0; spared < 2; spared++)
		for (enum kc_reason r = 0; r < KC_REASON_COUNT; r++) {
			const struct unused *u = &unused[spared][r];

			d->is_spared = spared;
			snprintf(subject, sizeof(subject), u->n > 1 ? "%s, and %zu more" : "%s",
				 u->first, u->n - 1);
			if (u->n)
				kc_find_reason(d, subject, r);
		}
}

void kc_check_tune(struct kc_diagnosis *d)
{
	const struct kc_listed *o = &d->found->offers;

	if (!o->config.tune_file[0])
		return;
	if (o->policy.tuned == KC_OK && !d->found->is_tune_fresh)
		kc_fault(d, TUNE_OLD, o->config.tune_file);
	else if (o->policy.tuned == KC_OK)
		kc_fine(d, "%s knows this kernel and its drivers", o->config.tune_file);
	else if (o->policy.offers_any || o->policy.tuned != KC_TUNED_ABSENT)
		kc_find_reason(d, o->config.tune_file, o->policy.tuned);
}

void kc_check_cpu(struct kc_diagnosis *d)
{
	if (d->found->cpu_word[0])
		kc_fault(d, FAST_CPU, d->found->cpu_word);
	else
		kc_fine(d, "this CPU has no known AES instructions");
}

void kc_check_ktls(struct kc_diagnosis *d)
{
	const struct kc_found *found = d->found;
	bool is_on = found->conf.parts.has_ktls;
	bool is_worth_it = kc_has_hardware(found, "gcm");

	if (is_on && !found->kernel.has_tls)
		kc_fault(d, KTLS_NO_MODULE);
	else if (is_on)
		kc_fine(d, "the kernel does TLS records with its best driver for GCM");
	else if (is_worth_it && HAS_KTLS)
		kc_fault(d, KTLS_OFF);
	else if (is_worth_it)
		kc_fault(d, KTLS_NOT_BUILT);
}
