/* SPDX-License-Identifier: Apache-2.0 */
/* The report of kcrypto list, as JSON and for people. */
#ifndef KC_CLI_LIST_REPORT_H
#define KC_CLI_LIST_REPORT_H

#include <json-c/json.h>

#include "cli/conf.h"
#include "cli/keys/probe.h"
#include "policy/policy.h"

/* The whole report as JSON; the caller releases it. @keys: NULL if they were not tried. */
struct json_object *kc_report_make(const struct kc_conf *conf, const struct kc_config *config,
				   const struct kc_policy *policy,
				   const struct kc_keys_probe *keys);

/* Prints every column of every row; as wide as it gets. */
void kc_report_print_all(struct json_object *report);

/* Prints the rows that are used, in 80 columns, and counts the others by reason. */
void kc_report_print_used(const struct kc_policy *policy);

/* Prints the configuration, problems, notes and advice. */
void kc_report_print_remarks(const struct kc_conf *conf, const struct kc_config *config,
			     const struct kc_policy *policy);

/* Prints a line about keys of the kernel, and one about drivers of wrapped keys. */
void kc_report_print_keys(const struct kc_keys_probe *keys);

#endif
