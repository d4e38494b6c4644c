/* SPDX-License-Identifier: Apache-2.0 */
/* Owns the memory that KCRYPTO_STATS names during a command of the tool. */
#include "cli/run/counters.h"

#include <stdlib.h>
#include <unistd.h>

#include "stats/shared.h"

static int fd = -1; /* none is ours, or the user has named one */

bool kc_counters_begin(void)
{
	char path[KC_STATS_PATH];

	if (kc_stats_named())
		return true;
	fd = kc_stats_make(path);
	return fd >= 0 && setenv("KCRYPTO_STATS", path, 1) == 0;
}

void kc_counters_end(void)
{
	if (fd < 0)
		return;
	unsetenv("KCRYPTO_STATS");
	close(fd);
	fd = -1;
}

const struct kc_stats *kc_counters_all(void)
{
	static struct kc_stats stats;

	return kc_stats_read(&stats) ? &stats : NULL;
}

static struct kc_stats_sum sum_of(const struct kc_alg *alg)
{
	const struct kc_stats *stats = kc_counters_all();

	return stats ? kc_stats_sum(&stats->row[alg - kc_algs]) : (struct kc_stats_sum){ 0 };
}

uint64_t kc_counters_bytes(const struct kc_alg *alg)
{
	return sum_of(alg).bytes;
}

uint64_t kc_counters_requests(const struct kc_alg *alg)
{
	return sum_of(alg).requests;
}

bool kc_counters_seen(void)
{
	return kc_counters_all();
}
