/* SPDX-License-Identifier: Apache-2.0 */
/* What a digest's or MAC's context knows of its message. */
#ifndef KC_REQUEST_MESSAGE_H
#define KC_REQUEST_MESSAGE_H

#include "request/context.h"

enum kc_hash_state {
	KC_HASH_BASE,	  /* the base has the message, or there is none */
	KC_HASH_FRESH,	  /* it has begun: the base has less of it than @first bytes, or none */
	KC_HASH_KEPT,	  /* the buffer has all of it, the base nothing */
	KC_HASH_STREAM,	  /* the base has a part, and the buffer what follows */
	KC_HASH_ANSWERED, /* as KEPT, and the kernel has answered */
	KC_HASH_LOST, /* the base refused a part of it: there is no digest until the next init */
};

struct kc_hash {
	/* Its threshold: bytes up to where there is something to decide. Shorter updates count. */
	struct kc_context;
	enum kc_hash_state state;
	unsigned lead; /* a stream's: bytes up to the end of the base's block */
	size_t first;  /* bytes: a message whose first update is shorter is not worth a copy */
	uint64_t seen, seen_ns; /* of this message, for counted.c: bytes, and time */
	size_t used;		/* bytes in @buf */
	uint8_t *buf;		/* NULL, or one from session/buffers.h */

	/* Only for a MAC. */
	struct kc_candidate *const *rows; /* of all rows, as in struct kc_policy */
	const struct kc_base *next;	  /* of the row for the next key; NULL: none */
	bool alone;			  /* something was set that only the base does */
	size_t key_len;
	uint8_t key[KC_MAX_MAC_KEY];
};

/*
 * The longest message to keep, or request of a stream. A process that learns keeps longer ones than
 * now pay, for a look at them.
 */
static inline size_t kc_hash_limit(const struct kc_candidate *candidate)
{
	size_t longest = kc_terms_floor(&candidate->terms) == SIZE_MAX ?
				 kc_terms_longest(&candidate->terms) :
				 SIZE_MAX;

	return longest < candidate->max_request ? longest : candidate->max_request;
}

#endif
