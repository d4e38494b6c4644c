/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary file for one command, readable only by this user. */
#ifndef KC_CLI_RUN_TEMP_H
#define KC_CLI_RUN_TEMP_H

#define KC_TEMP_PATH 64 /* bytes, including the NUL */

/* Makes it below TMPDIR or /tmp. Returns a descriptor, or -1 with errno and an empty @path. */
int kc_temp_open(char path[KC_TEMP_PATH]);

/* Removes it, if there is one. */
void kc_temp_remove(char path[KC_TEMP_PATH]);

#endif
