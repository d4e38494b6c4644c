/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto config alone: the actions. */
#ifndef KC_CLI_CONFIG_CONFIG_H
#define KC_CLI_CONFIG_CONFIG_H

#include "cli/config/setup.h"

/* Adds the lines that turn kcrypto on to the text @before of openssl.cnf. Returns an exit code. */
int kc_setup_add_missing(const struct kc_setup *setup, const struct kc_text *before,
			 struct kc_text *after);

/* Adds the missing lines that turn kcrypto on. These actions write, and return an exit code. */
int kc_config_enable(struct kc_setup *setup);
/* Removes what enable wrote, and all else that turns kcrypto on. */
int kc_config_disable(struct kc_setup *setup);
/* Repairs what is broken, one finding after the other. */
int kc_config_fix(struct kc_setup *setup);

/*
 * True if this action of kcrypto config would end the finding @word. Changes nothing, but prints:
 * call it in a child of its own.
 */
bool kc_config_helps(const struct kc_found *found, const char *action, const char *word);

#endif
