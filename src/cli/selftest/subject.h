/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a driver by its name in the kernel, and the interface that reaches exactly this one. */
#ifndef KC_CLI_SELFTEST_SUBJECT_H
#define KC_CLI_SELFTEST_SUBJECT_H

#include <json-c/json.h>

#include "cli/selftest/exam.h"

/*
 * Finds @driver through @backend, or, if that is NULL, through the first one that opens a session
 * with it; tries that in a process of its own, with a deadline. Returns KC_IS_RIGHT if there is
 * such a session, and then @all has its algorithms. Otherwise @why has a sentence for each way.
 */
enum kc_ruling kc_subject_find(struct kc_examination *all, const char *driver,
			       const struct kc_backend *backend, char *why, size_t size);

/* The backend of this name or alias; NULL: there is none. */
const struct kc_backend *kc_subject_backend(const char *name);

/* The drivers for algorithms of ours that some interface reaches: an array. */
struct json_object *kc_subject_list(void);

/* Copies the value of a key of the driver's record in /proc/crypto; "" if it has none. */
void kc_subject_record(const char *driver, const char *key, char *value, size_t size);

#endif
