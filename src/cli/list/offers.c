/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the policy, the child that loads the configuration, the probe and the counters, in this
 * order.
 */
#include "cli/list/offers.h"

#include <stdlib.h>

#include "cli/table.h"
#include "policy/tune_file.h"
#include "session/session.h"
#include "stats/table.h"

/*
 * Takes what running processes have found out, if their counters are in a file that is known here.
 */
static void take_lies(struct kc_policy *policy)
{
	static struct kc_stats stats;
	bool is_known = kc_stats_read(&stats);

	for (size_t i = 0; is_known && i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->reason == KC_OK &&
			    kc_stats_errors_of(&stats.row[i].backend[c->backend_number],
					       KC_STATS_LIED))
				c->reason = KC_LIED;
}

/* An engine has fewer algorithms than the provider. */
static enum kc_reason why_unreached(const struct kc_conf *conf, const struct kc_alg *alg)
{
	if (conf->engine[0] && !kc_nid_of(alg))
		return KC_NOT_BY_ENGINE;
	return KC_NOT_REACHED;
}

/*
 * Withdraws what the policy offers but applications do not get. Drivers of a backend that
 * @is_absent may be listed although no program can reach them.
 */
static void take_unreached(struct kc_listed *o, const struct kc_conf *conf,
			   const bool is_absent[KC_MAX_BACKENDS])
{
	o->policy.offers_any = false;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = o->policy.row[i]; c; c = c->next) {
			if (is_absent[c->backend_number] && c->reason != KC_NOT_LISTED)
				c->reason = KC_NO_INTERFACE;
			else if (c->is_offered && !o->reach.row[i])
				c->reason = why_unreached(conf, c->alg);
			c->is_offered &= c->reason == KC_OK;
			if (c->blocks)
				c->blocks->is_offered &= c->is_offered;
			o->is_missing |= c->reason == KC_NOT_REACHED;
			o->policy.offers_any |= c->is_offered;
		}
}

static void take_doer(struct kc_listed *o, const struct kc_tuned *tuned,
		      const struct kc_candidate *c)
{
	const struct kc_fact *fact = kc_tuned_fact(tuned, c);
	struct kc_evidence *e = &o->evidence[c->alg - kc_algs][kc_evidence_place(c)];

	if (!fact || e->by > KC_DONE_UNKNOWN)
		return;
	if (fact->done_by <= e->by || fact->done_by > KC_DONE_BY_SOFTWARE)
		return;
	e->by = (enum kc_doer)fact->done_by;
	e->text[0] = '\0';
}

/* Takes tune's evidence about drivers for which there is no new evidence. */
static void take_tuned(struct kc_listed *o, const char *path)
{
	struct kc_tuned *tuned;

	if (kc_tuned_read(path, &tuned) != KC_OK)
		return;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = o->policy.row[i]; c; c = c->next) {
			take_doer(o, tuned, c);
			if (c->blocks)
				take_doer(o, tuned, c->blocks);
		}
	free(tuned);
}

/* A driver that left its trial requests to the kernel's software is no hardware. */
static void take_evidence(struct kc_listed *o)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = o->policy.row[i]; c; c = c->next) {
			c->seen = o->evidence[i][kc_evidence_place(c)].by;
			if (c->seen == KC_DONE_BY_SOFTWARE)
				c->nature = KC_SOFTWARE;
		}
}

void kc_offers_find(struct kc_listed *o, const struct kc_conf *conf, unsigned seconds,
		    enum kc_look look)
{
	bool is_absent[KC_MAX_BACKENDS] = { false }, tries = seconds;
	const struct kc_candidate *c = NULL;

	kc_policy_load(&o->policy, &conf->config);
	for (size_t i = 0; tries && kc_backends[i]; i++)
		is_absent[i] = !kc_backend_exists(kc_backends[i], true);
	kc_reach_ask(&o->reach, conf);
	take_unreached(o, conf, is_absent);
	if (o->policy.offers_any && tries)
		kc_probe_run(&o->policy, seconds, look, &o->evidence);
	take_tuned(o, conf->config.tune_file);
	take_evidence(o);
	take_lies(&o->policy);
	/* A row may have no driver at all; then no trial tells. */
	if (tries)
		c = o->policy.row[0];
	for (; c; c = c->next)
		o->hides_hardware |= kc_session_probe_software(c->backend);
}

/* What list prints of a candidate. JSON has null for a figure that is absent. */
#define ABSENT SIZE_MAX

struct figures {
	size_t key_bits, threshold, threshold_decrypt, longest, least, most, trial_us;
};

static void take_terms(struct figures *f, const struct kc_candidate *c)
{
	if (!kc_source_of(c))
		return;
	f->threshold = atomic_load(&c->terms.threshold[KC_ENCRYPT]);
	if (!kc_alg_is_hash(c->alg))
		f->threshold_decrypt = atomic_load(&c->terms.threshold[KC_DECRYPT]);
	f->longest = kc_terms_longest(&c->terms);
}

/* Takes the lengths that the device does, if its driver leaves others to software. */
static void take_limits(struct figures *f, const struct kc_candidate *c)
{
	if (!c->traits || c->nature != KC_HARDWARE)
		return;
	if (kc_traits_least(c->traits))
		f->least = kc_traits_least(c->traits);
	f->most = kc_traits_most(c->traits, c->backend->copies);
}

static struct figures figures_of(const struct kc_candidate *c)
{
	struct figures f = { ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT };
	unsigned trial_us = atomic_load(&c->trial_us);

	if (c->alg->key_len)
		f.key_bits = (size_t)c->alg->key_len * 8;
	take_terms(&f, c);
	take_limits(&f, c);
	if (trial_us)
		f.trial_us = trial_us;
	return f;
}

/* A row without a driver is offered if the kernel makes one on request. */
struct json_object *kc_offer_json(const struct kc_candidate *c)
{
	const struct kc_reason_text *why = &kc_reasons[c->reason];
	const struct figures f = figures_of(c);
	const char *kind = NULL, *reason_text = NULL;
	struct json_object *priority = NULL;
	bool has_blocks = c->blocks && c->blocks->is_offered;

	if (c->driver[0])
		priority = json_object_new_int(c->priority);
	if (c->driver[0] || c->is_offered)
		kind = kc_claim_word(c->nature, (enum kc_doer)c->seen);
	if (c->reason != KC_OK)
		reason_text = why->text;
	return kc_json(NULL,
		       "name=%s key_bits=%zu backend=%s kernel_name=%s driver=%s priority=%p "
		       "kind=%s threshold=%zu threshold_decrypt=%zu longest=%zu "
		       "threshold_source=%s hardware_from=%zu hardware_to=%zu in_blocks=%hhd "
		       "offered=%hhd tried=%hhd trial_us=%zu reason=%s reason_text=%s",
		       kc_alg_name(c->alg), f.key_bits, c->backend->names[0], c->alg->kernel_name,
		       c->driver, priority, kind, f.threshold, f.threshold_decrypt, f.longest,
		       kc_source_of(c), f.least, f.most, has_blocks, c->is_offered,
		       (bool)(atomic_load(&c->trust) != KC_UNTRIED), f.trial_us, why->word,
		       reason_text);
}

/* A digest's blocks have terms of their own. */
static void add_blocks(struct json_object *o, const struct kc_candidate *blocks,
		       const struct kc_evidence *seen)
{
	size_t threshold = ABSENT, longest = ABSENT;

	if (kc_source_of(blocks) && blocks->is_offered) {
		threshold = atomic_load(&blocks->terms.threshold[KC_ENCRYPT]);
		longest = kc_terms_longest(&blocks->terms);
	}
	kc_json(o, "blocks_threshold=%zu blocks_longest=%zu blocks_reason=%s blocks_done_by=%s",
		threshold, longest, kc_reasons[blocks->reason].word, kc_doer_word(seen->by));
}

static struct json_object *row_json(const struct kc_listed *offers, const struct kc_candidate *c)
{
	const struct kc_evidence *seen = offers->evidence[c->alg - kc_algs];
	const struct kc_evidence *e = &seen[kc_evidence_place(c)];
	struct json_object *o =
		kc_json(kc_offer_json(c), "done_by=%s evidence=%s", kc_doer_word(e->by), e->text);

	if (c->blocks)
		add_blocks(o, c->blocks, &seen[kc_evidence_place(c->blocks)]);
	return o;
}

static void add_problems(struct json_object *to, const struct kc_config *config)
{
	for (size_t i = 0; i < config->n_problems; i++) {
		const struct kc_problem *p = &config->problems[i];
		const struct kc_reason_text *why = &kc_reasons[p->reason];

		kc_json(kc_json_row(to), "key=%s word=%s reason=%s text=%s nearest=%s", p->key,
			p->word, why->word, why->text, p->nearest);
	}
}

struct json_object *kc_offers_report(const struct kc_conf *conf, const struct kc_listed *offers)
{
	struct json_object *array,
		*o = kc_json(NULL, "version=%s openssl_conf=%s section=%s engine=%s", KC_VERSION,
			     conf->file, conf->section, conf->engine);

	array = kc_json_array(o, "backends");
	for (size_t i = 0; kc_backends[i]; i++)
		json_object_array_add(array, json_object_new_string(kc_backends[i]->names[0]));
	array = kc_json_array(o, "algorithms");
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (const struct kc_candidate *c = offers->policy.row[i]; c; c = c->next)
			json_object_array_add(array, row_json(offers, c));
	add_problems(kc_json_array(o, "problems"), &conf->config);
	kc_json_array(o, "notes");
	return o;
}
