/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kcrypto tune takes over from its last file: the rows of backends that cannot be opened now.
 * Their module may not be loaded yet, or this process may lack the right to open the device.
 */
#include "cli/tune/tune.h"

#include <stdlib.h>

bool kc_tune_keeps(const struct kc_tuned *old, unsigned backend)
{
	return old && (old->has >> backend & 1) && kc_backends[backend] &&
	       !kc_backend_exists(kc_backends[backend], true);
}

size_t kc_tune_kept(const struct kc_tuned *old)
{
	const struct kc_fact *fact = old ? kc_tuned_facts(old) : NULL;
	size_t n = 0;

	for (uint32_t i = 0; old && i < old->n_facts; i++)
		n += kc_tune_keeps(old, fact[i].backend);
	return n;
}

void kc_tune_keep_facts(struct kc_tuned *tuned, const struct kc_tuned *old)
{
	const struct kc_fact *fact = old ? kc_tuned_facts(old) : NULL;

	for (uint32_t i = 0; old && i < old->n_facts; i++)
		if (kc_tune_keeps(old, fact[i].backend))
			kc_tuned_facts(tuned)[tuned->n_facts++] = fact[i];
}
