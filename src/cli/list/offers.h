/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms that applications get: the policy's decisions for a configuration, corrected by a
 * child process, the probe and running programs.
 */
#ifndef KC_CLI_LIST_OFFERS_H
#define KC_CLI_LIST_OFFERS_H

#include "cli/conf.h"
#include "cli/reach.h"
#include "policy/policy.h"

struct kc_listed {
	struct kc_config config; /* from kc_conf_read() */
	struct kc_policy policy;
	struct kc_reach reach;
	bool is_missing;     /* the policy offers some that do not reach applications */
	bool hides_hardware; /* a backend uses software no matter which driver is asked for */
};

/*
 * Fills in the policy for the configuration that @conf was read from. @tries: try drivers, in a
 * child, and ask for AF_ALG.
 */
void kc_offers_find(struct kc_listed *offers, const struct kc_conf *conf, bool tries);

#endif
