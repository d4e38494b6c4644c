/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto tune. */
#ifndef KC_CLI_TUNE_TUNE_H
#define KC_CLI_TUNE_TUNE_H

#include "cli/probe.h"
#include "policy/tune_file.h"

/* Are the rows of this backend, by its index, those of the last file @old, which may be NULL? */
bool kc_tune_keeps(const struct kc_tuned *old, unsigned backend);

/* The number of facts in such rows. */
size_t kc_tune_kept(const struct kc_tuned *old);

/* Adds them, after all drivers. */
void kc_tune_keep_facts(struct kc_tuned *tuned, const struct kc_tuned *old);

/*
 * Is the file at @path valid here, with answers about exactly the drivers that the configuration
 * offers by name? Touches no driver.
 */
bool kc_tune_is_fresh(const struct kc_config *config, const char *path);

/*
 * Examines the drivers of @n candidates in about @limit seconds, as kcrypto selftest examines one
 * that is named, but for requests that programs never make. A candidate whose driver was wrong,
 * hung, or ended the process that asked is no longer offered, and has the reason; one for which the
 * time did not suffice is not called examined. False if memory or processes are short.
 */
bool kc_tune_examine(struct kc_candidate *const *list, size_t n, unsigned limit);

#endif
