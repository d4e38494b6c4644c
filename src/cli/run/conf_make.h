/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes an openssl.cnf for one command: the same as the file that it would read, with kcrypto
 * active and preferred, or without it. The original file stays as it is.
 */
#ifndef KC_CLI_RUN_CONF_MAKE_H
#define KC_CLI_RUN_CONF_MAKE_H

#include "cli/run/temp.h"

/* with kcrypto, and with its counters; or no file is made */
enum kc_with { KC_WITHOUT, KC_WITH, KC_WITH_STATS, KC_AS_IT_IS };

struct kc_made_conf {
	char path[KC_TEMP_PATH]; /* "" if there is none */
};

/*
 * Writes the configuration to a new file. @file: the original; a missing one counts as empty. 0 or
 * -errno; -EINVAL if @file can't be parsed.
 */
int kc_conf_make(struct kc_made_conf *made, const char *file, enum kc_with with);

/* Removes the file, if there is one. */
void kc_conf_unmake(struct kc_made_conf *made);

#endif
