/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes an openssl.cnf for one command: everything as in the file that it would read, but with
 * kcrypto active and preferred, or without it. The file itself stays as it is.
 */
#ifndef KC_CLI_RUN_CONF_MAKE_H
#define KC_CLI_RUN_CONF_MAKE_H

#include "cli/run/temp.h"

/* kcrypto, and its counters; or no file is made */
enum kc_with { KC_WITHOUT, KC_WITH, KC_WITH_STATS, KC_AS_IT_IS };

struct kc_made_conf {
	char path[KC_TEMP_PATH]; /* "" while there is none */
};

/*
 * Writes it to a file of its own. @file: the one to start from;
 * one that does not exist is an empty one. 0; -errno; -EINVAL where @file can't be parsed.
 */
int kc_conf_make(struct kc_made_conf *made, const char *file, enum kc_with with);

/* Removes the file, if there is one. */
void kc_conf_unmake(struct kc_made_conf *made);

#endif
