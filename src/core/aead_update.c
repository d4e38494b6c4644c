/* SPDX-License-Identifier: Apache-2.0 */
/* The fork in the road of an AEAD's request: base or detour. */
#include "core/aead.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/aead_detour.h"

/*
 * Of CCM's messages, a text of another length than declared spoils all until the next key. Records
 * have no such length.
 */
__attribute__((cold)) int kc_aead_failed(struct kc_aead *c)
{
	if (!c->tls)
		c->key_lengths = (struct kc_lengths){ 0, 0 };
	return 0;
}

/* AAD goes to the base as it comes; of what may go to the kernel later, we keep a copy. */
static void note_aad(struct kc_aead *c, const unsigned char *in, size_t inl)
{
	bool whole = !c->base->common.alg->stream;

	c->fresh &= ~KC_FRESH_IV;
	if (in && inl <= sizeof(c->aad) - c->aad_len && !(whole && inl && c->aad_len)) {
		memcpy(c->aad + c->aad_len, in, inl);
		c->aad_len += (unsigned)inl;
	} else if (!in && whole && !c->aad_len) {
		c->total = inl;
	} else {
		/* Too much, or what only the base understands. */
		c->fresh = 0;
		kc_aead_set_threshold(c);
	}
}

static int update_aad(struct kc_aead *c, size_t *outl, size_t outsize, const unsigned char *in,
		      size_t inl)
{
	if (!in && c->base->common.alg->stream)
		return kc_aead_by_base(c, NULL, outl, outsize, in, inl);
	if (c->fresh & KC_FRESH_TEXT)
		note_aad(c, in, inl);
	if (c->update(c->base_ctx, NULL, outl, outsize, in, inl))
		return 1;
	c->fresh = 0;
	kc_aead_set_threshold(c);
	return kc_aead_failed(c);
}

/*
 * What the base does to the end has a tag that it knows. Beside final, when that is depends on the
 * call, its arguments and the version; so, while the tag is hidden, it is asked before and after.
 */
static __attribute__((noinline)) int watched(struct kc_aead *c, kc_update_fn *function,
					     unsigned char *out, size_t *outl, size_t outsize,
					     const unsigned char *in, size_t inl)
{
	bool hidden = c->tag_hidden && c->dir == KC_ENCRYPT;
	uint8_t before[KC_MAX_TAG], after[KC_MAX_TAG];
	int ok;

	if (hidden)
		hidden = c->base->said_tag(c->base, c->base_ctx, before);
	ok = function(c->base_ctx, out, outl, outsize, in, inl);
	if (hidden && c->base->said_tag(c->base, c->base_ctx, after))
		c->tag_hidden = memcmp(before, after, sizeof(after)) == 0;
	if (hidden) {
		explicit_bzero(before, sizeof(before));
		explicit_bzero(after, sizeof(after));
	}
	return ok ? ok : kc_aead_failed(c);
}

int kc_aead_by_base(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;

	c->fresh = 0;
	c->record = false;
	c->threshold = KC_NO_DETOUR;
	return watched(c, c->update, out, outl, outsize, in, inl);
}

static bool overlap_fits(const uint8_t *out, const uint8_t *in, size_t len)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	return o == i || o + len <= i || i + len <= o;
}

static kc_update_fn *way_of(struct kc_aead *c, const unsigned char *out, size_t outsize,
			    const unsigned char *in, size_t inl)
{
	if (!in || !inl || outsize < inl || !overlap_fits(out, in, inl) ||
	    !kc_aead_copies_usable(c))
		return kc_aead_by_base;
	if (c->record)
		return c->fixed_set && !c->finished ? kc_aead_record : kc_aead_by_base;
	return c->fresh & KC_FRESH_TEXT ? kc_aead_message : kc_aead_by_base;
}

static int look(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		const unsigned char *in, size_t inl)
{
	if (kc_aead_is_pending(c)) {
		/* So the text was not all of it, and the next message's will not be either. */
		c->in_pieces = c->base->common.alg->stream;
		if (!kc_aead_leave_to_base(c))
			return 0;
	}
	if (!out)
		return update_aad(c, outl, outsize, in, inl);
	return way_of(c, out, outsize, in, inl)(c, out, outl, outsize, in, inl);
}

/* A call that succeeds leaves errno alone and adds no cancellation point. */
struct quiet {
	int saved_errno, cancel_state;
};

static struct quiet quiet_begin(void)
{
	struct quiet q = { .saved_errno = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &q.cancel_state);
	return q;
}

static void quiet_end(const struct quiet *q)
{
	pthread_setcancelstate(q->cancel_state, NULL);
	errno = q->saved_errno;
}

static __attribute__((noinline)) int update_large(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	struct quiet q = quiet_begin();
	int ok = look(c, out, outl, outsize, in, inl);

	quiet_end(&q);
	return ok;
}

/* Apart, so that a small request pays for no register that only this needs. */
static __attribute__((noinline)) int update_special(struct kc_aead *c, unsigned char *out,
						    size_t *outl, size_t outsize,
						    const unsigned char *in, size_t inl)
{
	if (inl < c->threshold && !out)
		return update_aad(c, outl, outsize, in, inl);
	return update_large(c, out, outl, outsize, in, inl);
}

int kc_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	int ok;

	if (inl >= c->threshold || !out)
		return update_special(c, out, outl, outsize, in, inl);
	c->fresh = 0;
	c->threshold = KC_NO_DETOUR;
	ok = c->update(c->base_ctx, out, outl, outsize, in, inl);
	return ok ? ok : kc_aead_failed(c);
}

/* Another way to feed text, AAD or nothing: all of it the base's. */
int kc_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	return kc_aead_leave_to_base(c) &&
	       watched(c, c->base->oneshot, out, outl, outsize, in, inl);
}

static __attribute__((noinline)) int final_special(struct kc_aead *c, unsigned char *out,
						   size_t *outl, size_t outsize)
{
	struct quiet q = quiet_begin();
	int ok = kc_aead_finish(c, out, outl, outsize);

	quiet_end(&q);
	return ok;
}

int kc_aead_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_aead *c = ctx;

	c->finished = true;
	if (kc_aead_is_pending(c))
		return final_special(c, out, outl, outsize);
	c->fresh = 0;
	c->record = false;
	c->threshold = KC_NO_DETOUR;
	if (!c->base->final(c->base_ctx, out, outl, outsize))
		return kc_aead_failed(c);
	if (c->dir == KC_ENCRYPT)
		c->tag_hidden = false;
	return 1;
}
