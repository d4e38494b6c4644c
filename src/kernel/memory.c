/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the machine has high memory. Only 32-bit kernels have any, and list it. */
#include "core/backend.h"

#include <stdatomic.h>
#include <string.h>

#include "core/quiet.h"
#include "discovery/lines.h"

/* The answer does not change while the kernel runs. */
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

/*
 * If /proc/meminfo can't be read, a 32-bit process assumes high memory: a device that writes to a
 * wrong address is worse than none.
 */
bool kc_memory_is_high(void)
{
	bool is_high = false;
	unsigned answer = LOW;
	/* No thread may be cancelled while a descriptor is open. */
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
