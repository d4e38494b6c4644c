/* SPDX-License-Identifier: Apache-2.0 */
/* This machine: kcrypto, OpenSSL, kernel and board. */
#ifndef KC_CLI_BENCH_BOARD_H
#define KC_CLI_BENCH_BOARD_H

#include <json-c/json.h>

/*
 * @root: the directory that has proc and sys; "" except in tests. Unknown values are null. The
 * caller releases it.
 */
struct json_object *kc_bench_machine(const char *root);

#endif
