/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto tune alone. */
#ifndef KC_CLI_TUNE_TUNE_H
#define KC_CLI_TUNE_TUNE_H

#include "cli/evidence/evidence.h"
#include "cli/probe/probe.h"
#include "policy/tune_file.h"

/*
 * Returns the backends, a bit each by index, that keep the rows of the last file @old, because they
 * can't be opened now. Call it once, because the answer may change. @old: may be NULL.
 */
uint32_t kc_tune_kept_backends(const struct kc_tuned *old);

/* Returns the number of facts in the rows of these backends. */
size_t kc_tune_kept(const struct kc_tuned *old, uint32_t backends);

/* Adds these facts; call it after all drivers have been added. */
void kc_tune_keep_facts(struct kc_tuned *tuned, const struct kc_tuned *old, uint32_t backends);

/*
 * True if the file at @path is valid here, and about exactly the drivers that the configuration
 * offers by name. Touches no driver.
 */
bool kc_tune_knows(const struct kc_config *config, const char *path);
/* The same, and the file has measured each of them completely. */
bool kc_tune_is_fresh(const struct kc_config *config, const char *path);

/*
 * Examines the drivers of @n candidates in about @limit seconds, as kcrypto selftest examines a
 * named driver, but without requests that programs never make. A candidate whose driver was wrong,
 * hung, or ended the process that asked is no longer offered, and has the reason; one for which the
 * time did not suffice is not called examined. False if memory or processes are short.
 */
bool kc_tune_examine(struct kc_candidate *const *list, size_t n, unsigned limit);

/*
 * Fills in a fact that only names its driver. Blocks that the driver leaves to software, according
 * to the evidence, never pay, unless the configuration admits all software or names the driver.
 */
void kc_tune_fact(struct kc_fact *fact, const struct kc_probed *probed);

/*
 * Prints the facts. @evidence: an entry for each. @cpu_seconds: the --seconds that CPU times would
 * have needed; 0: the time was enough.
 */
void kc_tune_print(const struct kc_tuned *tuned, const struct kc_evidence *evidence,
		   unsigned cpu_seconds, bool json);

/* Prints for people how many algorithms gain, and where that is written; @path NULL: nowhere. */
void kc_tune_conclude(const struct kc_tuned *tuned, const char *path);

#endif
