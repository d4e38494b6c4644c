/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence about what a machine gets out of kcrypto. */
#ifndef KC_CLI_LIST_SUMMARY_H
#define KC_CLI_LIST_SUMMARY_H

#include <stdbool.h>

#include "policy/policy.h"

#define KC_SUMMARY_SIZE 640

/* How is the length known from which requests go to the kernel? */
enum kc_source { KC_SOURCE_NONE, KC_SOURCE_CONFIGURED, KC_SOURCE_TUNED, KC_SOURCE_MEASURED };

enum kc_source kc_source_of(const struct kc_candidate *candidate);

/* The shorter of the lengths for both directions; SIZE_MAX: unknown, or never. */
size_t kc_least_request(const struct kc_candidate *candidate);

/* Returns NULL if a candidate of this row is used, or the one that best tells why none is. */
const struct kc_candidate *kc_unused(struct kc_candidate *row);

/* Left out on purpose: ECB, digests and MACs unless listed by name, and legacy ciphers. */
bool kc_is_left_out(const struct kc_candidate *candidate);

/*
 * @text: KC_SUMMARY_SIZE. @is_hidden: the only backend here uses software, no matter which driver
 * is asked for.
 */
void kc_summarize(char *text, const struct kc_policy *policy, bool is_hidden);

#endif
