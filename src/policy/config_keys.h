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

/* Is there such a key, in this spelling? */
bool kc_config_knows(const char *key);

/* Returns the backend with this name or alias; NULL if there is none. */
const struct kc_backend *kc_backend_named(const char *name);

#define KC_KEY_SIZE 48 /* bytes, including the NUL */

/*
 * Gets a spelling of the key with this number: KC_KEY_SIZE bytes, which stay valid during the call.
 */
typedef void kc_key_fn(void *arg, const char *key, size_t number);

/*
 * Calls @f with all spellings of all keys that kc_config_set() knows, except driver.NAME. For
 * callers that can't list the section, but can ask for one key after another.
 */
void kc_config_each_key(kc_key_fn *f, void *arg);

/* The same of driver.NAME, for the rows that are on in @config; NULL: for all. */
void kc_config_each_driver_key(const struct kc_config *config, kc_key_fn *f, void *arg);

/* Applies the section's value for a key from there. */
void kc_config_take(struct kc_config *config, const char *key, size_t number, const char *value);

#endif
