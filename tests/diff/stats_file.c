/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the memory and maps it. The mapping lasts as long as the process. */
#include "stats_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/table.h"

static const struct kc_stats *mapped;

void stats_file_make(void)
{
	char path[KC_STATS_PATH];

	if (kc_stats_make(path) < 0 || !(mapped = kc_stats_map(path))) {
		perror("memory for counters");
		exit(1);
	}
	setenv("KCRYPTO_STATS", path, 1);
}

const struct kc_stats *stats_file_read(void)
{
	return mapped;
}

unsigned long long requests(size_t row)
{
	return kc_stats_sum(&mapped->row[row]).requests;
}

unsigned long long redone(size_t row)
{
	return kc_stats_sum(&mapped->row[row]).failed;
}
