/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that a configuration lacks so that programs use kcrypto. */
#ifndef KC_CLI_CONFIG_WANTED_H
#define KC_CLI_CONFIG_WANTED_H

#include <stdio.h>

#include "cli/config/setup.h"

/*
 * Writes the missing lines, with the headers of their sections; an empty text where nothing is
 * missing. @keys: lines for the provider's section besides, or "". 0, or -errno with the error in
 * @setup where lines that are there stand in the way.
 */
int kc_wanted(struct kc_setup *setup, const char *keys, struct kc_text *lines);

/* Writes a line of which OpenSSL reads the value as it is. */
void kc_write_value(FILE *out, const char *name, const char *value);

#endif
