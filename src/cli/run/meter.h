/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wall time and CPU time. The kernel does an accelerator's work in threads and interrupts that no
 * process is charged for: only the whole machine's CPU time includes it.
 */
#ifndef KC_CLI_RUN_METER_H
#define KC_CLI_RUN_METER_H

#include <stdint.h>

struct kc_meter {
	uint64_t wall_ns;
	uint64_t process_ns; /* this process and children that it has waited for, user and kernel */
	/*
	 * Time of all processors that are not idle. Kernels without a periodic tick measure idle
	 * time, and only sample busy time. Short intervals may come out below 0, because /proc/stat
	 * counts hundredths of a second. 0 without /proc.
	 */
	int64_t machine_ns;
};

/* Returns the clocks' present state. */
struct kc_meter kc_meter_read(void);

/* Returns the time since that reading. */
struct kc_meter kc_meter_since(const struct kc_meter *from);

#endif
