/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KC_KEYS_NAMED_H
#define KC_KEYS_NAMED_H

#include <stdint.h>

/* A key of the kernel's keyring. */
struct kc_named_key {
	int32_t serial;
	const char *type, *description; /* in @text */
	char text[4200];		/* the kernel's limit is a page, after four short fields */
};

/*
 * Finds the key that @name means: "SERIAL", "TYPE:DESCRIPTION", or one of them after "kernel-key:",
 * "keyring:" or "%". 0 or -errno.
 */
int kc_named_key_find(struct kc_named_key *key, const char *name);

/* Returns the text for an error with a key of the keyring. @err: -errno. */
const char *kc_keys_explain(int err);

/* The same for a wrapped key; NULL if there is no difference. */
const char *kc_keys_explain_wrapped(int err);

#endif
