/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a configuration, one key and value at a time. */
#ifndef KC_POLICY_CONFIG_KEYS_H
#define KC_POLICY_CONFIG_KEYS_H

#include "policy/config.h"

/* The defaults. */
void kc_config_init(struct kc_config *config);

/*
 * One line of the section. A key is known in lower case or all in upper case, old names too; what
 * follows the dot of "driver." as the table writes it or all in lower case.
 */
void kc_config_set(struct kc_config *config, const char *key, const char *value);

/*
 * All spellings of all keys that kc_config_set() knows, one after the other: first those that are
 * about no single row, then, from where @is_driver is set, driver.NAME row by row, then OpenSSL's
 * own. Starts as zeros, or where kc_config_drivers() says.
 */
struct kc_config_walk {
	char key[64]; /* the spelling */
	size_t i;     /* which key it is, see config_keys.c; the others: which one comes next */
	bool is_driver;
	size_t next;
	bool in_other_case;
	size_t row;
	const char *alias; /* of that row, and those behind it; NULL: from its start */
};

/*
 * Steps on; false behind the last. For a caller that can't list the section but can ask for one key
 * at a time.
 */
bool kc_config_next(struct kc_config_walk *walk);

/* Before the driver keys of this row. */
struct kc_config_walk kc_config_drivers(size_t row);

/* What the section says of the key to which @walk came. */
void kc_config_take(struct kc_config *config, const struct kc_config_walk *walk, const char *value);

/* The i-th spelling, copied to @buf; NULL after the last. Walks there. */
const char *kc_config_key(size_t i, char *buf, size_t size);

#endif
