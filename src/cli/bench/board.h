/* SPDX-License-Identifier: Apache-2.0 */
/* What machine this is, as the kernel says. */
#ifndef KC_CLI_BENCH_BOARD_H
#define KC_CLI_BENCH_BOARD_H

#include <json-c/json.h>

/* @root: the directory that has proc and sys; "" but in tests. What is not known is null. */
void kc_bench_board_add(struct json_object *o, const char *root);

#endif
