/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms that applications get: the policy's decisions for a configuration, corrected by a
 * child process, the probe and running programs. Also their report, and the sentence about what a
 * machine gains from kcrypto.
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
	bool hides_hardware; /* a backend uses software whichever driver is asked for */
};

#define KC_TRIAL_SECONDS 60 /* enough to try all drivers but slow ones */

/*
 * Fills in the policy for the configuration that @conf was read from. @seconds: time to try drivers
 * in a child; after that none is begun; 0: no driver is tried, and AF_ALG is not asked. @look: how
 * closely to look for evidence of who does the requests.
 */
void kc_offers_find(struct kc_listed *offers, const struct kc_conf *conf, unsigned seconds,
		    enum kc_look look);

/* Returns a row; the caller releases it. */
struct json_object *kc_offer_json(const struct kc_candidate *candidate);

/* Returns every row, and the problems of the configuration; the caller releases it. */
struct json_object *kc_offers_report(const struct kc_conf *conf, const struct kc_listed *offers);

/* Returns a word for the source of the candidate's threshold; NULL if it is not known. */
const char *kc_source_of(const struct kc_candidate *candidate);

/* Returns the shorter of both directions' thresholds in bytes; SIZE_MAX: unknown, or never. */
size_t kc_least_request(const struct kc_candidate *candidate);

/*
 * Returns NULL if a candidate of this row is used; otherwise the one that best tells why none is.
 */
const struct kc_candidate *kc_unused(struct kc_candidate *row);

/* True if its device was seen at work. If not, only the driver's name says hardware. */
bool kc_is_seen(const struct kc_candidate *candidate);

/* True if left out on purpose: ECB, digests and MACs unless listed by name, and legacy ciphers. */
bool kc_is_left_out(const struct kc_candidate *candidate);

/* Returns the sentence; the caller frees it. */
char *kc_summary(const struct kc_policy *policy);

#endif
