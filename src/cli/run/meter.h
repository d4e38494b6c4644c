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
	uint64_t machine_ns; /* all processors, everything but idle; by /proc/stat, in ticks */
};

struct kc_meter kc_meter_read(void);

/* What went by between two readings. */
struct kc_meter kc_meter_between(const struct kc_meter *from, const struct kc_meter *to);

#endif
