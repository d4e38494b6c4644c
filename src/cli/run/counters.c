/* SPDX-License-Identifier: Apache-2.0 */
/* Owns the file that KCRYPTO_STATS names during a command of the tool. */
#include "cli/run/counters.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/run/temp.h"
#include "stats/stats_read.h"

static char path[KC_TEMP_PATH]; /* "" if it is the user's */

/* The file is removed with us. */
static void end(int number)
{
	unlink(path);
	signal(number, SIG_DFL);
	raise(number);
}

bool kc_counters_begin(void)
{
	int fd;

	if (kc_stats_named())
		return true;
	fd = kc_temp_open(path);
	if (fd < 0)
		return false;
	close(fd);
	signal(SIGINT, end);
	signal(SIGTERM, end);
	return setenv("KCRYPTO_STATS", path, 1) == 0;
}

void kc_counters_end(void)
{
	if (path[0])
		unsetenv("KCRYPTO_STATS");
	kc_temp_remove(path);
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
