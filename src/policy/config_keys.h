/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a configuration, one key and value at a time. */
#ifndef KC_POLICY_CONFIG_KEYS_H
#define KC_POLICY_CONFIG_KEYS_H

#include "policy/config.h"

/* Sets the defaults. */
void kc_config_init(struct kc_config *config);

/*
 * Applies one line of the section. A key, old names included, may be all in lower case or all in
 * upper case; the part after "driver." may be written as in the table or all in lower case.
 */
void kc_config_set(struct kc_config *config, const char *key, const char *value);

/* Returns the backend with this name or alias; NULL if there is none. */
const struct kc_backend *kc_backend_named(const char *name);

/*
 * Walks all spellings of all keys that kc_config_set() knows: first those for no single row, then,
 * once @is_driver is set, driver.NAME row by row, then OpenSSL's own. Initially zero, or from
 * kc_config_drivers().
 */
struct kc_config_walk {
	char key[64]; /* the spelling */
	size_t i;     /* the key's index in config_keys.c; the others: the next spelling */
	bool is_driver;
	size_t next;
	bool in_other_case;
	size_t row;
	const char *alias; /* of that row, and those after it; NULL: from the first one */
};

/*
 * Steps on; false after the last one. For callers that can't list the section, but can ask for one
 * key at a time.
 */
bool kc_config_next(struct kc_config_walk *walk);

/* A walk that stands before the driver keys of this row. */
struct kc_config_walk kc_config_drivers(size_t row);

/* Applies the section's value for the key that @walk has reached. */
void kc_config_take(struct kc_config *config, const struct kc_config_walk *walk, const char *value);

#endif
