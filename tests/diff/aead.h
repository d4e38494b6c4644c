/* SPDX-License-Identifier: Apache-2.0 */
/* The differential rounds of AEADs; like those of ciphers in diff.h. */
#ifndef KC_TESTS_DIFF_AEAD_H
#define KC_TESTS_DIFF_AEAD_H

#include "diff.h"

bool aead_play(const struct diff_options *o, EVP_CIPHER *ours, EVP_CIPHER *theirs,
	       struct random source);

#endif
