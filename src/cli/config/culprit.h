/* SPDX-License-Identifier: Apache-2.0 */
/* The line that keeps libcrypto from reading the rest of a configuration. */
#ifndef KC_CLI_CONFIG_CULPRIT_H
#define KC_CLI_CONFIG_CULPRIT_H

#include "cli/config/setup.h"

/*
 * Makes a comment of the line that libcrypto's error names: of the main section, of the properties,
 * or of a provider or an engine. False: the error names none.
 */
bool kc_culprit_drop(struct kc_setup *setup, const struct kc_symptom *symptom);

#endif
