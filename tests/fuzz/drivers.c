/* SPDX-License-Identifier: Apache-2.0 */
/* The list of drivers: bounded, with terminated names, only for algorithms in the table. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "core/alg.h"

static bool is_ended(const char *name)
{
	return memchr(name, '\0', KC_DRIVER_NAME_SIZE) != NULL;
}

static bool is_in_table(const char *name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (strcmp(kc_algs[i].kernel_name, name) == 0)
			return true;
	return false;
}

void check_drivers(const struct kc_drivers *drivers)
{
	assert(drivers->n <= KC_MAX_DRIVERS);
	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];

		assert(is_ended(d->name) && is_ended(d->driver));
		assert(is_in_table(d->name));
		assert(kc_driver_nature(d, 0) <= KC_HARDWARE);
		assert(kc_driver_nature(d, 16) <= KC_HARDWARE);
		assert(kc_driver_nature(d, 32) <= KC_HARDWARE);
	}
}
