/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wall time beside CPU time. An accelerator's price is paid by the kernel, in threads and
 * interrupts that no process is charged for: only the whole machine's CPU time shows it.
 */
#ifndef KC_CLI_RUN_METER_H
#define KC_CLI_RUN_METER_H

#include <stdint.h>

struct kc_meter {
	uint64_t wall_ns;
	uint64_t process_ns; /* this process and the children that it waited for, user and kernel */
	/*
	 * All processors, but for the time that they were idle, which kernels without a periodic
	 * tick measure; what they were busy with they only sample. Short times may come out below
	 * 0, as /proc/stat is in hundredths of a second. 0 without /proc.
	 */
	int64_t machine_ns;
};

struct kc_meter kc_meter_read(void);

/* What went by between two readings. */
struct kc_meter kc_meter_between(const struct kc_meter *from, const struct kc_meter *to);

#endif
