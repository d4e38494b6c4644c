/* SPDX-License-Identifier: Apache-2.0 */
/* What an accelerator gains on this machine, as a sentence for kcrypto without a command. */
#ifndef KC_CLI_DOCTOR_GAIN_H
#define KC_CLI_DOCTOR_GAIN_H

#include "policy/policy.h"

struct json_object;

/*
 * Writes the sentence to @text: from the tune file, if that is valid here and has measured the
 * drivers; otherwise from kcrypto bench, which measures @hardware for a few seconds in a process of
 * its own. False: there is nothing to gain.
 */
bool kc_gain_tell(char *text, size_t size, const struct kc_config *config,
		  const struct kc_candidate *hardware);

/* The same from bench's @rows of 4, 16 and 64 KiB; NULL: there are none. */
bool kc_gain_of_rows(char *text, size_t size, struct json_object *rows,
		     const struct kc_candidate *hardware);

#endif
