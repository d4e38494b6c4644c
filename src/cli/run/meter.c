/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the clocks of process and machine. */
#include "cli/run/meter.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/clock.h"

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

/* user nice system idle iowait irq softirq steal: others use the stolen time. */
static int64_t machine_ns(uint64_t wall_ns)
{
	long long idle, iowait, stolen;
	KC_FILE *file = fopen("/proc/stat", "re");

	if (!file)
		return 0;
	if (fscanf(file, "cpu %*u %*u %*u %lld %lld %*u %*u %lld", &idle, &iowait, &stolen) != 3)
		return 0;
	return (int64_t)wall_ns * sysconf(_SC_NPROCESSORS_ONLN) -
	       (idle + iowait + stolen) * (1000000000 / sysconf(_SC_CLK_TCK));
}

struct kc_meter kc_meter_read(void)
{
	uint64_t wall_ns = kc_now_ns();

	return (struct kc_meter){
		.wall_ns = wall_ns,
		.process_ns = process_ns(RUSAGE_SELF) + process_ns(RUSAGE_CHILDREN),
		.machine_ns = machine_ns(wall_ns),
	};
}

struct kc_meter kc_meter_since(const struct kc_meter *from)
{
	struct kc_meter to = kc_meter_read();

	to.wall_ns -= from->wall_ns;
	to.process_ns -= from->process_ns;
	to.machine_ns -= from->machine_ns;
	return to;
}
