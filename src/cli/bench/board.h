/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's description of this machine. */
#ifndef KC_CLI_BENCH_BOARD_H
#define KC_CLI_BENCH_BOARD_H

#include <json-c/json.h>

/* @root: the directory that has proc and sys; "" except in tests. Unknown values are null. */
void kc_bench_board_add(struct json_object *o, const char *root);

/* This machine in full: kcrypto, OpenSSL, kernel and board. The caller releases it. */
struct json_object *kc_bench_machine(const char *root);

#endif
