/* SPDX-License-Identifier: Apache-2.0 */
/* One process's counts, as JSON. */
#ifndef KC_CLI_STATS_COUNT_H
#define KC_CLI_STATS_COUNT_H

#include <json-c/json.h>
#include <stdio.h>

#include "stats/stats.h"

/* One object per algorithm with a request or an error; see kcrypto(1). */
struct json_object *kc_count_rows(const struct kc_stats *stats);

/* Prints the lines of such rows. The first line begins with @first, all others with @again. */
void kc_count_print(FILE *out, struct json_object *rows, const char *first, const char *again);

/* Prints the header line above them. */
void kc_count_head(FILE *out, const char *first);

#endif
