/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of requests: the places where drivers are known to break. A driver is usually right for a
 * whole class or wrong for a whole class, so a few questions of each class tell more than many of
 * one. The known answers ask each class that is cheap to ask. Traits tell which class a program's
 * request belongs to; the first request with each trait is done both ways.
 */
#ifndef KC_OFFLOAD_CLASSES_H
#define KC_OFFLOAD_CLASSES_H

#include "core/backend.h"

#define KC_CLASS_PAGE 4096 /* bytes: drivers divide requests there, or at a multiple */

enum kc_memory {
	KC_IN_ROOM, /* like a program with threads: whole pages, perhaps in place */
	KC_APART,   /* on the request's own memory, if the backend can do that */
};

/* A question. Its length is the sum of the first four columns; offsets are within a page. */
struct kc_class {
	short pages, blocks; /* numbers of KC_CLASS_PAGE, and of the row's block_len */
	short eighths;	     /* numbers of an eighth of a block */
	short bytes;	     /* 0 for a cipher, which gets whole blocks */
	enum kc_memory memory;
	unsigned short in_offset, out_offset; /* bytes */
	unsigned short aad_len;		      /* bytes */
	unsigned short iv_ones; /* trailing IV bytes of 0xff: the counter carries past them */
	unsigned short
		tweak_ones; /* trailing bytes of 0xff in XTS' tweak; other classes have 0 there */
};

/* Gets the classes of this kind of algorithm, the shortest first. Returns their number. */
size_t kc_classes_of(enum kc_kind kind, const struct kc_class **classes);

/* Gets the classes for blocks from the middle of a digest. Returns their number. */
size_t kc_classes_of_blocks(const struct kc_class **classes);

/* True if the class applies to this algorithm. */
bool kc_class_fits(const struct kc_class *class, const struct kc_alg *alg);

/* Returns the length of the class's question in bytes, at most @limit. */
size_t kc_class_len(const struct kc_class *class, const struct kc_alg *alg, size_t limit);

/* True for a question of a few blocks. Its time gives a request's fixed price. */
bool kc_class_is_short(const struct kc_class *class);
/* True for a question of about a page. Its time gives the price per byte. */
bool kc_class_is_long(const struct kc_class *class);

/*
 * Returns the traits of a request, one bit each: its end, its addresses, its AAD, key or tweak.
 * @key_len: bytes.
 */
uint32_t kc_traits(const struct kc_session *session, const struct kc_req *req, size_t key_len);

/*
 * Returns a number that is the same for requests of one session with the same traits, unless these
 * depend on the IV: see kc_traits_mark_is_telling(). Never 0.
 */
static inline uint64_t kc_traits_mark(const struct kc_req *req)
{
	size_t places = (uintptr_t)req->in % KC_CLASS_PAGE * KC_CLASS_PAGE +
			(uintptr_t)req->out % KC_CLASS_PAGE;
	size_t lengths = (req->len + req->aad_len * 2 * KC_MAX_REQUEST) * 2 + req->dir;

	return (uint64_t)lengths << 32 | places << 1 | 1;
}

/* True if two requests of this algorithm with the same mark have the same traits. */
bool kc_traits_mark_is_telling(const struct kc_alg *alg);

#endif
