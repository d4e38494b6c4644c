/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CAAM's class 1: AES in ECB, CBC, CTR, XTS, GCM, CMAC and XCBC-MAC, DES and 3DES. */
#ifndef BOARDS_CAAM_CIPHER_H
#define BOARDS_CAAM_CIPHER_H

#include <stdbool.h>

struct caam_bytes;
struct caam_class;

/*
 * Does the operation with all that was loaded; what it makes goes to out. False: its text is not
 * of whole blocks.
 */
bool caam_cipher(struct caam_class *c, struct caam_bytes *out);

#endif
