/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the configuration whose value is a list of algorithms. */
#ifndef KC_POLICY_CONFIG_LIST_H
#define KC_POLICY_CONFIG_LIST_H

#include "policy/config.h"

/* Sets all rows of the kinds that the list of this @key is about. */
void kc_list_set(struct kc_config *config, const char *key, const char *value);

#endif
