/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a line of modprobe's configuration blocks AF_ALG. */
#ifndef KC_CLI_DOCTOR_MODPROBE_H
#define KC_CLI_DOCTOR_MODPROBE_H

#include "cli/doctor/doctor.h"

/* True, with the file's path, if a line blocks af_alg or one of its parts. */
bool kc_modprobe_blocks(const struct kc_found *found, char path[PATH_MAX]);

#endif
