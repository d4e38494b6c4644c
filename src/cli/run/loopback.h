/* SPDX-License-Identifier: Apache-2.0 */
/* A TCP connection of this process to itself. */
#ifndef KC_CLI_RUN_LOOPBACK_H
#define KC_CLI_RUN_LOOPBACK_H

#include <stdbool.h>

/* Makes both ends; no read or write waits longer than ten seconds. False: nothing stays open. */
bool kc_loopback(int *client, int *server);

#endif
