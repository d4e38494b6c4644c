/* SPDX-License-Identifier: Apache-2.0 */
/* The types of keys in the keyring that the kernel can use. */
#ifndef KC_CLI_KEYS_KEYS_H
#define KC_CLI_KEYS_KEYS_H

/* By type: user, logon, encrypted, trusted. */
#define KC_KEY_TYPES   4
#define KC_KEY_UNTRIED 1 /* the type is there, but making such a key takes a device */

/*
 * Makes a key of each type in the keyring of a child process, and opens a session with it. @result:
 * 0: the kernel takes it; KC_KEY_UNTRIED; or -errno.
 */
void kc_keys_probe(int result[KC_KEY_TYPES]);

/* Tries the key of this name, see keys/named.h. 0 if this process can use it, or -errno. */
int kc_keys_try(const char *name);

/* Returns why a type is not taken, or was not tried; "" if it is taken. */
const char *kc_keys_why(int result);

#endif
