/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CAAM's class 2: MD5 and SHA-1 to SHA-512, HMAC with split keys, and messages in pieces. */
#ifndef BOARDS_CAAM_HASH_H
#define BOARDS_CAAM_HASH_H

struct caam_class;

/* Does the operation of the class with all data that were loaded. */
void caam_hash(struct caam_class *c);
/* Turns the class's HMAC key into a split key: the states after the key's inner and outer block. */
void caam_split(struct caam_class *c, int algorithm);

#endif
