/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto list, for people and as JSON. */
#ifndef KC_CLI_LIST_REPORT_H
#define KC_CLI_LIST_REPORT_H

#include <json-c/json.h>

#include "cli/conf.h"
#include "policy/policy.h"

/* The whole report as JSON; the caller releases it. */
struct json_object *kc_report_make(const struct kc_conf *conf, const struct kc_config *config,
				   const struct kc_policy *policy);

/* Prints to standard output: a table with notes and advice, or with @json the whole as JSON. */
void kc_report_print(const struct kc_conf *conf, const struct kc_config *config,
		     const struct kc_policy *policy, bool json);

#endif
