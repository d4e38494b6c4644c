/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What DUMP_INFO of the earlier engines said of each algorithm, in their words, which scripts and
 * users know: which driver is behind it, and whether that is hardware.
 */
#ifndef KC_ENGINE_DUMP_INFO_H
#define KC_ENGINE_DUMP_INFO_H

#include <stdio.h>

#include "policy/config.h"

/*
 * Writes the list of each backend of @config. Of each algorithm that @config asks for, sessions are
 * opened and closed again, with no secret, for only so the kernel says what it has; none is used.
 * Drivers that the kernel lists are opened, which loads nothing; the algorithm itself only where
 * @config has its name. @nid: OpenSSL's number of an algorithm, 0 for those that are to be left
 * out.
 */
void kc_dump(FILE *out, const struct kc_config *config, int (*nid)(const struct kc_alg *alg));

#endif
