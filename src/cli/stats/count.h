/* SPDX-License-Identifier: Apache-2.0 */
/* What one process has counted, as JSON. */
#ifndef KC_CLI_STATS_COUNT_H
#define KC_CLI_STATS_COUNT_H

#include <json-c/json.h>
#include <stdio.h>

#include "stats/stats.h"

/* One object per algorithm with a request or an error; see kcrypto(1). */
struct json_object *kc_count_rows(const struct kc_stats *stats);

/*
 * Prints the lines of such rows; what a line begins with is @first's, and @again's from the second
 * one on.
 */
void kc_count_print(FILE *out, struct json_object *rows, const char *first, const char *again);

/* The line above them. */
void kc_count_head(FILE *out, const char *first);

#endif
