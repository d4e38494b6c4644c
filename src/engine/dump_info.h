/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of DUMP_INFO on each algorithm, in the older engines' words, which scripts and users
 * know: its driver, and whether that is hardware.
 */
#ifndef KC_ENGINE_DUMP_INFO_H
#define KC_ENGINE_DUMP_INFO_H

#include <stdio.h>

#include "policy/config.h"

/*
 * Writes the list of each backend of @config. For each algorithm that @config asks for, a session
 * is opened, without a secret, and closed again: otherwise the kernel does not tell its driver. No
 * session is used. Drivers that the kernel lists are opened, which loads nothing; the algorithm
 * itself only if @config has its name. @nid: OpenSSL's number of an algorithm, 0 to leave it out.
 */
void kc_dump(FILE *out, const struct kc_config *config, int (*nid)(const struct kc_alg *alg));

#endif
