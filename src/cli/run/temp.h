/* SPDX-License-Identifier: Apache-2.0 */
/* A file for the time of a command, that only this user can read. */
#ifndef KC_CLI_RUN_TEMP_H
#define KC_CLI_RUN_TEMP_H

#define KC_TEMP_PATH 64 /* bytes, with the NUL */

/* Makes it below TMPDIR or /tmp. A descriptor, or -1 with errno; @path is "" then. */
int kc_temp_open(char path[KC_TEMP_PATH]);

/* Removes it, if there is one. */
void kc_temp_remove(char path[KC_TEMP_PATH]);

#endif
