/* SPDX-License-Identifier: Apache-2.0 */
/* This machine: kcrypto, OpenSSL, kernel and board. */
#ifndef KC_CLI_BENCH_BOARD_H
#define KC_CLI_BENCH_BOARD_H

#include <json-c/json.h>

/*
 * Returns the description as JSON, with null for unknown values; the caller releases it. @root: the
 * directory with proc and sys; "" except in tests.
 */
struct json_object *kc_bench_machine(const char *root);

#endif
