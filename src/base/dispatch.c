/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dispatch.h"

bool kc_base_take(void *row, const struct kc_base_place *places, size_t n,
		  const OSSL_DISPATCH *theirs)
{
	for (size_t i = 0; i < n; i++) {
		const OSSL_DISPATCH *d = theirs;

		while (d->function_id && d->function_id != places[i].id)
			d++;
		if (!d->function_id && !places[i].is_optional)
			return false;
		if (d->function_id)
			*(kc_function **)((char *)row + places[i].offset) = d->function;
	}
	return true;
}
