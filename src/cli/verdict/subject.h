/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a driver by its name in the kernel, and the interface that reaches exactly this one. */
#ifndef KC_CLI_VERDICT_SUBJECT_H
#define KC_CLI_VERDICT_SUBJECT_H

#include "cli/verdict/record.h"

/*
 * Finds @driver through @backend, or, if that is NULL, through the first one that opens a session
 * with it; tries that in a process of its own, with a deadline. Returns KC_IS_RIGHT if
 * there is such a session. Otherwise @why has a sentence for each way.
 */
enum kc_ruling kc_subject_find(struct kc_subject *subject, const char *driver,
			       const struct kc_backend *backend, char *why, size_t size);

/* The backend of this name or alias; NULL: there is none. */
const struct kc_backend *kc_subject_backend(const char *name);

/* Prints the drivers that the kernel lists for algorithms of ours. Returns their number. */
size_t kc_subject_list(bool is_json);

/* Copies the value of a key of the driver's record in /proc/crypto; "" if it has none. */
void kc_subject_record(const char *driver, const char *key, char *value, size_t size);

#endif
