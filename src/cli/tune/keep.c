/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kcrypto tune takes over from its last file: the rows of backends that can't be opened now.
 * Their module may not be loaded yet, or this process may lack the right to open the device.
 */
#include "cli/tune/tune.h"

#include <stdlib.h>

uint32_t kc_tune_kept_backends(const struct kc_tuned *old)
{
	uint32_t backends = 0;

	for (unsigned i = 0; old && kc_backends[i]; i++)
		if ((old->has >> i & 1) && !kc_backend_exists(kc_backends[i], true))
			backends |= 1U << i;
	return backends;
}

size_t kc_tune_kept(const struct kc_tuned *old, uint32_t backends)
{
	size_t n = 0;

	for (uint32_t i = 0; backends && i < old->n_facts; i++)
		n += backends >> kc_tuned_facts(old)[i].backend & 1;
	return n;
}

void kc_tune_keep_facts(struct kc_tuned *tuned, const struct kc_tuned *old, uint32_t backends)
{
	for (uint32_t i = 0; backends && i < old->n_facts; i++)
		if (backends >> kc_tuned_facts(old)[i].backend & 1)
			kc_tuned_facts(tuned)[tuned->n_facts++] = kc_tuned_facts(old)[i];
}
