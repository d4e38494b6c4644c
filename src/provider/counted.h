/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch tables of a process whose requests are all counted. */
#ifndef KC_PROVIDER_COUNTED_H
#define KC_PROVIDER_COUNTED_H

#include <openssl/core_dispatch.h>

#include "core/alg.h"

/* From now on the functions of @table, a row's, that do requests count them. */
void kc_table_count(OSSL_DISPATCH *table, enum kc_kind kind);

#endif
