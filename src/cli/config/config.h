/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto config: the actions. */
#ifndef KC_CLI_CONFIG_CONFIG_H
#define KC_CLI_CONFIG_CONFIG_H

#include "cli/config/setup.h"

/* Adds the lines that turn kcrypto on to the text @before of openssl.cnf. An exit code. */
int kc_setup_add_missing(const struct kc_setup *setup, const struct kc_text *before,
			 struct kc_text *after);

/* The actions that write; each returns an exit code. */
int kc_config_enable(struct kc_setup *setup);
/* Removes what enable wrote, and all else that turns kcrypto on. */
int kc_config_disable(struct kc_setup *setup);
/* Repairs what is broken, one finding after the other. */
int kc_config_fix(struct kc_setup *setup);

/*
 * Would this action of kcrypto config end the finding @word? Changes nothing, but prints: for a
 * child of its own.
 */
bool kc_config_helps(const struct kc_found *found, const char *action, const char *word);

#endif
