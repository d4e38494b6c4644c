/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider's tables are made of: the row of each algorithm, and its functions. */
#include "base/base.h"

struct kc_base_row kc_base_rows[KC_ALG_COUNT];

kc_function *kc_function_of(const OSSL_DISPATCH *table, int id)
{
	while (table->function_id && table->function_id != id)
		table++;
	return table->function;
}
