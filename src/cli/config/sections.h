/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto config fix: sections that lines name, and that of the default provider. */
#ifndef KC_CLI_CONFIG_SECTIONS_H
#define KC_CLI_CONFIG_SECTIONS_H

#include "cli/config/config.h"

/* Corrects the first line that names no section, if one's name is a word of what it says. */
bool kc_sections_correct(struct kc_setup *setup);

/* Activates OpenSSL's default provider, beside others that are active. */
bool kc_sections_activate_default(struct kc_setup *setup);

#endif
