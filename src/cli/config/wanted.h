/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that a configuration lacks for programs to use kcrypto. */
#ifndef KC_CLI_CONFIG_WANTED_H
#define KC_CLI_CONFIG_WANTED_H

#include <stdio.h>

#include "cli/config/setup.h"

/*
 * Writes the missing lines, with the headers of their sections; an empty text if nothing is
 * missing. 0, or -errno with the error in @setup if existing lines are in the way.
 */
int kc_wanted(struct kc_setup *setup, struct kc_text *lines);

#endif
