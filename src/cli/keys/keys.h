/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys of the keyring the kernel takes, and which drivers the kernel has for wrapped ones. */
#ifndef KC_CLI_KEYS_KEYS_H
#define KC_CLI_KEYS_KEYS_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdio.h>

/* By type: user, logon, encrypted, trusted. */
#define KC_KEY_TYPES   4
#define KC_KEY_UNTRIED 1 /* the type is there, but to make such a key takes a device */

#define KC_MAX_WRAPPED 16

struct kc_keys_probe {
	int result[KC_KEY_TYPES]; /* 0: taken; KC_KEY_UNTRIED; or -errno */
	size_t n_wrapped;
	char wrapped[KC_MAX_WRAPPED][64];
};

/*
 * Makes a key of each type, in the keyring of a child process, and opens a session with it. @list:
 * /proc/crypto, which it closes, or NULL.
 */
void kc_keys_probe(struct kc_keys_probe *probe, FILE *list);

/* Can this process use the key "TYPE:DESCRIPTION" or "SERIAL"? 0 or -errno. */
int kc_keys_try(const char *name);

/* Why a type is not taken, or was not tried; "" if it is. */
const char *kc_keys_why(int result);

/* The caller releases it. */
struct json_object *kc_keys_json(const struct kc_keys_probe *probe);

#endif
