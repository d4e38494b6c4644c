/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CAAM's class 1: AES in ECB, CBC, CTR, XTS, GCM, CMAC and XCBC-MAC, DES and 3DES. */
#ifndef BOARDS_CAAM_CIPHER_H
#define BOARDS_CAAM_CIPHER_H

#include <stdbool.h>

struct caam_bytes;
struct caam_class;

/*
 * Does the operation of the class with all data that were loaded, and appends the result to out.
 * Returns false if the mode needs whole blocks and the text has none.
 */
bool caam_cipher(struct caam_class *c, struct caam_bytes *out);

#endif
