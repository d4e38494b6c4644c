/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto list for people. */
#ifndef KC_CLI_LIST_TEXT_H
#define KC_CLI_LIST_TEXT_H

#include <json-c/json.h>

#include "cli/conf.h"
#include "cli/keys/probe.h"
#include "policy/policy.h"

/* Prints every column of every row of @report; as wide as it gets. */
void kc_text_all(struct json_object *report);

/* Prints the rows that are used, in 80 columns, and counts the others by reason. */
void kc_text_used(const struct kc_policy *policy);

/* Prints the configuration, problems, notes and advice. */
void kc_text_remarks(const struct kc_conf *conf, const struct kc_config *config,
		     const struct kc_policy *policy);

/* Prints a line about keys of the kernel, and one about drivers of wrapped keys. */
void kc_text_keys(const struct kc_keys_probe *keys);

#endif
