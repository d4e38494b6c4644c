/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms that applications get: the policy's decisions for a configuration, corrected by a
 * child process, the probe and running programs; their report, and the sentence about what a
 * machine gets out of kcrypto.
 */
#ifndef KC_CLI_LIST_OFFERS_H
#define KC_CLI_LIST_OFFERS_H

#include "cli/conf.h"
#include "cli/probe/probe.h"
#include "cli/reach.h"
#include "policy/policy.h"

struct json_object;

struct kc_listed {
	struct kc_policy policy;
	struct kc_reach reach;
	bool is_missing; /* the policy offers some that do not reach applications */
	kc_evidences evidence;
	bool hides_hardware; /* a backend uses software no matter which driver is asked for */
};

#define KC_TRIAL_SECONDS 60 /* in which all drivers but slow ones are tried */

/*
 * Fills in the policy for the configuration that @conf was read from. @seconds: to try drivers, in
 * a child, after which none is begun; 0: none is tried, nor AF_ALG asked for. @look: for evidence
 * of who does the requests of those that are tried.
 */
void kc_offers_find(struct kc_listed *offers, const struct kc_conf *conf, unsigned seconds,
		    enum kc_look look);

/* A row. The caller releases it. */
struct json_object *kc_offer_json(const struct kc_candidate *candidate);

/* Every row, and the problems of the configuration. The caller releases it. */
struct json_object *kc_offers_report(const struct kc_conf *conf, const struct kc_listed *offers);

/* How the length is known from which requests go to the kernel: a word, or NULL if it is not. */
const char *kc_source_of(const struct kc_candidate *candidate);

/* The shorter of the lengths for both directions; SIZE_MAX: unknown, or never. */
size_t kc_least_request(const struct kc_candidate *candidate);

/* Returns NULL if a candidate of this row is used, or the one that best tells why none is. */
const struct kc_candidate *kc_unused(struct kc_candidate *row);

/* Was its device seen at work? If not, its driver's name is all that says hardware. */
bool kc_is_seen(const struct kc_candidate *candidate);

/* Left out on purpose: ECB, digests and MACs unless listed by name, and legacy ciphers. */
bool kc_is_left_out(const struct kc_candidate *candidate);

/* The sentence. The caller frees it. */
char *kc_summary(const struct kc_policy *policy);

#endif
