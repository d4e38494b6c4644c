/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the configuration whose value is a list of algorithms. */
#ifndef KC_POLICY_CONFIG_LIST_H
#define KC_POLICY_CONFIG_LIST_H

#include "policy/config.h"

/* Sets all rows of @kinds, bits of enum kc_kind, from the list of this @key. */
void kc_list_set(struct kc_config *config, const char *key, unsigned kinds, const char *value);

#endif
