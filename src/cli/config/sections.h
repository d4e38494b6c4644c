/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto config fix alone: sections that lines name, and the default provider's section. */
#ifndef KC_CLI_CONFIG_SECTIONS_H
#define KC_CLI_CONFIG_SECTIONS_H

#include "cli/config/config.h"

/*
 * Corrects the first line that names no section, if its value contains the name of one as a word.
 */
bool kc_sections_correct(struct kc_setup *setup);

/* Activates OpenSSL's default provider, besides others that are active. */
bool kc_sections_activate_default(struct kc_setup *setup);

#endif
