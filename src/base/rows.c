/* SPDX-License-Identifier: Apache-2.0 */
/* The row of each algorithm, and the look-up of its functions. */
#include "base/base.h"

struct kc_base_row kc_base_rows[KC_ALG_COUNT];

kc_function *kc_function_of(const OSSL_DISPATCH *table, int id)
{
	while (table->function_id && table->function_id != id)
		table++;
	return table->function;
}
