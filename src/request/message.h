/* SPDX-License-Identifier: Apache-2.0 */
/* A digest's or MAC's context, and the state of its message. */
#ifndef KC_REQUEST_MESSAGE_H
#define KC_REQUEST_MESSAGE_H

#include "request/context.h"

enum kc_hash_state {
	KC_HASH_BASE,	  /* the base has the message, or there is none */
	KC_HASH_FRESH,	  /* the base has less than @first bytes of it, or none */
	KC_HASH_KEPT,	  /* the buffer has all of it, and the base nothing */
	KC_HASH_STREAM,	  /* the base has a part, and the buffer what follows */
	KC_HASH_ANSWERED, /* like KEPT, and the kernel has answered */
	KC_HASH_LOST,	  /* the base refused a part of it: no digest until the next init */
};

struct kc_hash {
	/*
	 * Its threshold, in bytes: an update that reaches it needs a decision; shorter ones are
	 * subtracted from it.
	 */
	struct kc_context;
	enum kc_hash_state state;
	unsigned lead; /* of a stream: bytes up to the end of the base's block */
	size_t first;  /* bytes: a message whose first update is shorter is not worth a copy */
	uint64_t seen, seen_ns; /* for counted.c: bytes of this message, and their time */
	size_t used;		/* bytes in @buf */
	uint8_t *buf;		/* NULL, or a buffer of session/buffers.h */

	/* Only for a MAC. */
	struct kc_candidate *const *rows; /* first candidates of all rows, as in struct kc_policy */
	const struct kc_base *next;	  /* base of the row for the next key; NULL: none */
	bool alone;			  /* a parameter was set that only the base honours */
	size_t key_len;
	uint8_t key[KC_MAX_MAC_KEY];
};

/*
 * Returns the length, in bytes, of the longest message to keep, and of the longest request of a
 * stream. A process that learns also keeps messages that do not pay now, to measure them.
 */
static inline size_t kc_hash_limit(const struct kc_candidate *candidate)
{
	size_t longest = kc_terms_floor(&candidate->terms) == SIZE_MAX ?
				 kc_terms_longest(&candidate->terms) :
				 SIZE_MAX;

	return longest < candidate->max_request ? longest : candidate->max_request;
}

#endif
