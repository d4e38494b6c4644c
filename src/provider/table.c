/* SPDX-License-Identifier: Apache-2.0 */
#include "provider/table.h"

void kc_table_add(struct kc_table *table, int id, kc_function *function)
{
	if (!kc_base_function(table->alg, id))
		return;
	table->end->function_id = id;
	table->end->function = function;
	table->end++;
}
