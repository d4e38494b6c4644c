/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the clocks of process and machine. */
#include "cli/run/meter.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

static uint64_t process_ns(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return ns_of(&u.ru_utime) + ns_of(&u.ru_stime);
}

/* user nice system idle iowait irq softirq steal; guests are in the first two. 0 without /proc. */
static uint64_t machine_ns(void)
{
	unsigned long long v[8] = { 0 }, busy = 0;
	FILE *file = fopen("/proc/stat", "re");
	int n = file ? fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1],
			      &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) :
		       0;

	if (file)
		fclose(file);
	/* Neither idle nor iowait; and stolen time is somebody else's work. */
	for (int i = 0; i < n && i < 7; i++)
		if (i != 3 && i != 4)
			busy += v[i];
	return busy * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

struct kc_meter kc_meter_read(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct kc_meter){
		.wall_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec,
		.process_ns = process_ns(RUSAGE_SELF) + process_ns(RUSAGE_CHILDREN),
		.machine_ns = machine_ns(),
	};
}

struct kc_meter kc_meter_between(const struct kc_meter *from, const struct kc_meter *to)
{
	return (struct kc_meter){
		.wall_ns = to->wall_ns - from->wall_ns,
		.process_ns = to->process_ns - from->process_ns,
		.machine_ns = to->machine_ns - from->machine_ns,
	};
}
