/* SPDX-License-Identifier: Apache-2.0 */
/* Does a line of modprobe's configuration keep AF_ALG out? */
#ifndef KC_CLI_DOCTOR_MODPROBE_H
#define KC_CLI_DOCTOR_MODPROBE_H

#include "cli/doctor/doctor.h"

/* True, with the file, if one keeps out af_alg or one of its parts. */
bool kc_modprobe_blocks(const struct kc_found *found, char path[PATH_MAX]);

#endif
