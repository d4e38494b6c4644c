/* SPDX-License-Identifier: Apache-2.0 */
/* The report of kcrypto list as JSON; its text shows parts of it. */
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

#endif
