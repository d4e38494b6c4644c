/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors, for the rows that have one. */
#ifndef KC_UNIT_KAT_H
#define KC_UNIT_KAT_H

#include "core/alg.h"

/*
 * In hexadecimal; fields that the kind does not have are NULL. A cipher's text is whole blocks; a
 * digest's or MAC's message is in plain, and its result is in tag.
 */
struct kc_kat {
	const char *key, *iv, *aad, *plain, *cipher, *tag;
};

/* By row; all NULL: none. */
extern const struct kc_kat kc_kats[KC_ALG_COUNT];

#endif
