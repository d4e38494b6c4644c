/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the policy, the child that loads the configuration, the probe and the counters, in this
 * order.
 */
#include "cli/list/offers.h"

#include "cli/probe.h"
#include "session/session.h"
#include "stats/shared.h"

/* Takes what running processes have found out, if they count into a file that is known here too. */
static void take_lies(struct kc_policy *policy)
{
	static struct kc_stats stats;
	bool is_known = kc_stats_read(&stats);

	for (size_t i = 0; is_known && i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->reason == KC_OK &&
			    kc_stats_errors_of(&stats.row[i].backend[c->backend_number], KC_LIED))
				c->reason = KC_LIED;
}

/* An engine has fewer algorithms than the provider. */
static enum kc_reason why_unreached(const struct kc_conf *conf, const struct kc_alg *alg)
{
	return conf->engine[0] && !kc_nid_of(alg) ? KC_NOT_BY_ENGINE : KC_NOT_REACHED;
}

/* Withdraws rows that the policy offers but applications do not get. */
static void take_unreached(struct kc_listed *o, const struct kc_conf *conf)
{
	o->policy.offers_any = false;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = o->policy.row[i]; c; c = c->next) {
			if (c->is_offered && !o->reach.row[i]) {
				c->reason = why_unreached(conf, c->alg);
				c->is_offered = false;
				o->is_missing |= c->reason == KC_NOT_REACHED;
			}
			o->policy.offers_any |= c->is_offered;
		}
}

/* Drivers may be listed even if no program can reach them. */
static void take_absent(struct kc_policy *policy, const struct kc_backend *backend)
{
	if (!backend->exists || backend->exists(true))
		return;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->backend == backend && c->reason != KC_NOT_LISTED) {
				c->reason = KC_NO_INTERFACE;
				c->is_offered = false;
			}
}

void kc_offers_find(struct kc_listed *o, const struct kc_conf *conf, bool tries)
{
	kc_policy_load(&o->policy, &o->config);
	for (size_t i = 0; tries && kc_backends[i]; i++)
		take_absent(&o->policy, kc_backends[i]);
	kc_reach_ask(&o->reach, conf);
	take_unreached(o, conf);
	if (o->policy.offers_any && tries)
		kc_probe_run(&o->policy);
	take_lies(&o->policy);
	/* A row may have no driver at all, and then no trial tells. */
	for (const struct kc_candidate *c = tries ? o->policy.row[0] : NULL; c; c = c->next)
		o->hides_hardware |= kc_session_is_software(c);
}
