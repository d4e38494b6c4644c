/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of requests: where drivers are known to break. A driver is right within a class or wrong
 * within it, mostly; so a few questions of each class say more than many of one. The known answers
 * ask each class that is cheap to ask; the traits say which a program's request belongs to, and the
 * first request of each is done both ways.
 */
#ifndef KC_OFFLOAD_CLASSES_H
#define KC_OFFLOAD_CLASSES_H

#include "core/backend.h"

#define KC_CLASS_PAGE 4096 /* bytes: drivers divide by it, or by a multiple of it */

enum kc_memory {
	KC_IN_ROOM, /* as a program with threads gets it: from and to whole pages, maybe in place */
	KC_APART,   /* on the request's own memory, where the backend can work there */
};

/* A question: its length is the sum of the first four columns, its offsets those in a page. */
struct kc_class {
	short pages, blocks; /* whole ones: of KC_CLASS_PAGE, and of the row's block_len */
	short eighths;	     /* of a block */
	short bytes;	     /* a cipher has none: it gets whole blocks */
	enum kc_memory memory;
	unsigned short in_offset, out_offset; /* bytes */
	unsigned short aad_len;		      /* bytes */
	unsigned short iv_ones; /* trailing IV bytes of 0xff: the counter carries past them */
	unsigned short
		tweak_ones; /* trailing bytes of 0xff in XTS' tweak, which others have of 0 */
};

/* Those of this kind of algorithm, the shortest first. Returns their number. */
size_t kc_classes_of(enum kc_kind kind, const struct kc_class **classes);

/* Those of blocks from the middle of a digest. */
size_t kc_classes_of_blocks(const struct kc_class **classes);

/* Does it say something about this algorithm? */
bool kc_class_fits(const struct kc_class *class, const struct kc_alg *alg);

/* Of its question, bytes; not more than @limit. */
size_t kc_class_len(const struct kc_class *class, const struct kc_alg *alg, size_t limit);

/* Is it a question of a few blocks, or of about a page? Their times say what a request takes. */
bool kc_class_is_short(const struct kc_class *class);
/* Is it one of about a page? */
bool kc_class_is_long(const struct kc_class *class);

/*
 * The traits of a request, one bit each: where it ends, where it lies, what comes with it.
 * @key_len: bytes.
 */
uint32_t kc_traits(const struct kc_session *session, const struct kc_req *req, size_t key_len);

/*
 * Requests of a session with the same mark are of the same class, and have the same traits, where
 * these do not depend on the IV (is_telling). Never 0.
 */
static inline uint64_t kc_traits_mark(const struct kc_req *req)
{
	size_t places = (uintptr_t)req->in % KC_CLASS_PAGE * KC_CLASS_PAGE +
			(uintptr_t)req->out % KC_CLASS_PAGE;
	size_t lengths = (req->len + req->aad_len * 2 * KC_MAX_REQUEST) * 2 + req->dir;

	return (uint64_t)lengths << 32 | places << 1 | 1;
}

/* Of this algorithm: have two requests with the same mark the same traits? */
bool kc_traits_mark_is_telling(const struct kc_alg *alg);

#endif
