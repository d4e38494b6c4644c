/* SPDX-License-Identifier: Apache-2.0 */
/* What an accelerator gains on this machine, as a sentence for kcrypto without a command. */
#ifndef KC_CLI_DOCTOR_GAIN_H
#define KC_CLI_DOCTOR_GAIN_H

#include "policy/policy.h"

/*
 * Writes the sentence to @text: from the tune file, if that is valid here and has measured the
 * drivers; otherwise from kcrypto bench, which measures @hardware for a few seconds in a process of
 * its own. False: the kernel's software did what was measured.
 */
bool kc_gain_tell(char *text, size_t size, const struct kc_config *config,
		  const struct kc_candidate *hardware);

#endif
