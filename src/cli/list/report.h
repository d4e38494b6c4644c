/* SPDX-License-Identifier: Apache-2.0 */
/* The report of kcrypto list: one JSON object, from which a person's text is printed, too. */
#ifndef KC_CLI_LIST_REPORT_H
#define KC_CLI_LIST_REPORT_H

#include <json-c/json.h>

#include "cli/keys/keys.h"
#include "cli/list/offers.h"

/* The caller releases it. @keys: NULL if they were not tried. */
struct json_object *kc_report_make(const struct kc_conf *conf, const struct kc_listed *offers,
				   const struct kc_keys_probe *keys);

/* Adds a note on what stands between the file and the provider. */
__attribute__((format(printf, 2, 3))) void kc_report_note(struct json_object *report,
							  const char *format, ...);

/* Prints every column of every row; as wide as it gets. */
void kc_report_print_all(struct json_object *report);

/* Prints the rows that are used, in 80 columns, and counts the others by reason. */
void kc_report_print_used(const struct kc_policy *policy);

/* Prints the configuration, problems, notes, advice and keys of the kernel. */
void kc_report_print_remarks(struct json_object *report, const struct kc_listed *offers);

#endif
