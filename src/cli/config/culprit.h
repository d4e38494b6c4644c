/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps libcrypto from the rest of a configuration. */
#ifndef KC_CLI_CONFIG_CULPRIT_H
#define KC_CLI_CONFIG_CULPRIT_H

#include "cli/config/setup.h"

/*
 * Makes the line a comment that the error of libcrypto names: of the main section, of the
 * properties, or of a provider or an engine. False: it names none.
 */
bool kc_culprit_drop(struct kc_setup *setup, const struct kc_symptom *symptom);

#endif
