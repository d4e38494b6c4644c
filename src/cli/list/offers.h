/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms that applications get: the policy's decisions for a configuration, corrected by a
 * child process, the probe and running programs.
 */
#ifndef KC_CLI_LIST_OFFERS_H
#define KC_CLI_LIST_OFFERS_H

#include <stdbool.h>

#include "cli/conf.h"
#include "cli/reach.h"
#include "policy/policy.h"

struct kc_listed {
	struct kc_config config; /* from kc_conf_read() */
	struct kc_policy policy;
	struct kc_reach reach;
	bool is_missing; /* the policy offers some that do not reach applications */
};

/* OpenSSL's number of an algorithm that the engine has too; NID_undef for all others. */
int kc_nid_of(const struct kc_alg *alg);

/*
 * Fills in the policy for the configuration that @conf was read from. @tries: try drivers, in a
 * child, and ask for AF_ALG.
 */
void kc_offers_find(struct kc_listed *offers, const struct kc_conf *conf, bool tries);

/* Asks the kernel: does this backend use software no matter which driver is asked for? */
bool kc_hides_hardware(const struct kc_candidate *candidate);

#endif
