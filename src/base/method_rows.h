/* SPDX-License-Identifier: Apache-2.0 */
/* Within src/base: how the files of each kind fill their rows with the built-in functions. */
#ifndef KC_BASE_METHOD_ROWS_H
#define KC_BASE_METHOD_ROWS_H

#include "core/alg.h"

/* Fills the row of @alg, which is empty, if libcrypto has one of this name that is fit. */
void kc_method_take_cipher(const struct kc_alg *alg, const char *name);
void kc_method_take_digest(const struct kc_alg *alg, const char *name);

/* Empties it. */
void kc_method_drop_cipher(const struct kc_alg *alg);
void kc_method_drop_digest(const struct kc_alg *alg);

#endif
