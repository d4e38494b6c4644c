/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto's worth on this machine. */
#ifndef KC_CLI_DOCTOR_VERDICT_H
#define KC_CLI_DOCTOR_VERDICT_H

/* Prints the verdict in five lines, the last with the next command. Returns an exit code. */
int kc_verdict_print(void);

#endif
