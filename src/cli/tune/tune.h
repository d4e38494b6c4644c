/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto tune. */
#ifndef KC_CLI_TUNE_TUNE_H
#define KC_CLI_TUNE_TUNE_H

#include "cli/probe.h"
#include "policy/tune_file.h"

/* The candidates to try. */
struct kc_tuning {
	struct kc_candidate *candidate[KC_MAX_CANDIDATES];
	size_t n;
};

/* Lists what the policy offers by a driver with a name, which a file can be about. */
void kc_tuning_list(struct kc_tuning *tuning, const struct kc_policy *policy);

/* Is the file at @path valid here, with exactly these candidates? Touches no driver. */
bool kc_tuning_is_fresh(const struct kc_tuning *tuning, const char *path);

#endif
