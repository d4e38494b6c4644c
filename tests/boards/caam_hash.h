/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CAAM's class 2: MD5 and SHA-1 to SHA-512, HMAC with split keys, and messages in pieces. */
#ifndef BOARDS_CAAM_HASH_H
#define BOARDS_CAAM_HASH_H

struct caam_class;

/* Does the operation with all that was loaded. */
void caam_hash(struct caam_class *c);
/* Makes a key of HMAC of c the two states that a message and its hash begin with. */
void caam_split(struct caam_class *c, int algorithm);

#endif
