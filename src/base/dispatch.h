/* SPDX-License-Identifier: Apache-2.0 */
/* Takes functions out of a provider's dispatch table. */
#ifndef KC_BASE_DISPATCH_H
#define KC_BASE_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ossl_compat.h"

typedef void kc_function(void); /* of any type */

/* Where a function of theirs goes. */
struct kc_base_place {
	int id;
	bool is_optional;
	size_t offset; /* bytes, from the start of the row */
};

/* Copies what @theirs has to its places in @row. False if one is missing that is not optional. */
bool kc_base_take(void *row, const struct kc_base_place *places, size_t n,
		  const OSSL_DISPATCH *theirs);

#endif
