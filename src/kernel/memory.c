/* SPDX-License-Identifier: Apache-2.0 */
/* Has the machine high memory? Only kernels of 32 bits have any, and say so. */
#include "core/backend.h"

#include <stdatomic.h>
#include <string.h>

#include "core/quiet.h"
#include "discovery/lines.h"

/* Since the kernel started, the answer is the same. */
enum { UNKNOWN, LOW, HIGH };
static atomic_uint known;

static void take_memory_line(void *arg, const char *line, size_t len)
{
	static const char key[] = "HighTotal:";
	bool *is_high = arg;

	(void)len;
	if (strncmp(line, key, sizeof(key) - 1) == 0)
		*is_high = kc_decimal(line + sizeof(key) - 1) > 0;
}

/* Without an answer it has: a device that writes to a wrong address is worse than none. */
bool kc_memory_is_high(void)
{
	bool is_high = false;
	unsigned answer = LOW;
	/* No thread can be cancelled while its descriptor is open. */
	KC_QUIETLY;

	if (atomic_load(&known) == UNKNOWN) {
		if (kc_lines_read("/proc/meminfo", take_memory_line, &is_high) != 0)
			return sizeof(void *) == 4;
		if (is_high)
			answer = HIGH;
		atomic_store(&known, answer);
	}
	return atomic_load(&known) == HIGH;
}
