/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as JSON and as a table, for kcrypto stats and doctor. */
#ifndef KC_CLI_STATS_ROWS_H
#define KC_CLI_STATS_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "stats/table.h"

struct json_object;

/* Returns one object per algorithm with a request or an error, see kcrypto(1). NULL: none. */
struct json_object *kc_count_rows(const struct kc_stats *stats);

/* Prints such rows. @has_processes: objects that contain rows, with a line for one without. */
void kc_count_print(FILE *out, struct json_object *rows, bool has_processes);

#endif
