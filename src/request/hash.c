/* SPDX-License-Identifier: Apache-2.0 */
/* A message's way: kept, given to the kernel as a whole, or passed on to the base. */
#include "request/hash.h"

#include <stdatomic.h>
#include <string.h>

#include "request/stream.h"
#include "session/buffers.h"

/*
 * The number of contexts that may keep a message at the same time; their buffers take at most 4
 * MiB.
 */
#define MAX_KEPT 64

/*
 * Buffer a message only if its first update is at least this fraction of the threshold; otherwise
 * the copy is likely to be wasted.
 */
#define FIRST_OF_THRESHOLD 2

/* Bytes: a message that the base has begun becomes a stream, if it does, after this many. */
#define LONG KC_MAX_REQUEST

static atomic_uint kept; /* a child has its own counter and its own copies of the buffers */

static uint8_t *take_buffer(void)
{
	uint8_t *buf = NULL;

	if (atomic_fetch_add_explicit(&kept, 1, memory_order_relaxed) < MAX_KEPT)
		buf = kc_buffer_take();
	if (!buf)
		atomic_fetch_sub_explicit(&kept, 1, memory_order_relaxed);
	return buf;
}

static void set_state(struct kc_hash *h, enum kc_hash_state state)
{
	h->state = state;
	h->threshold = 0;
	if (state == KC_HASH_BASE)
		h->threshold = SIZE_MAX;
	if (state == KC_HASH_FRESH)
		h->threshold = h->first;
}

void kc_hash_give(struct kc_hash *h)
{
	if (!h->buf)
		return;
	/* A job was abandoned in its final, and will not be resumed. */
	if (kc_gate_is_busy(&h->gate))
		kc_gate_close(&h->gate);
	kc_buffer_give(h->buf, h->used);
	atomic_fetch_sub_explicit(&kept, 1, memory_order_relaxed);
	h->buf = NULL;
	h->used = 0;
	kc_stream_end(h);
}

/*
 * Guesses the shortest first update that is worth a buffer, so that short ones need no other test.
 */
static void guess_first(struct kc_hash *h)
{
	if (h->gate.first)
		h->first =
			kc_terms_threshold(&h->gate.first->terms, KC_ENCRYPT) / FIRST_OF_THRESHOLD;
}

/*
 * Takes in what the process has learned since: a driver may have been refused, and not every row of
 * a MAC is offered.
 */
static void renew(struct kc_hash *h, size_t len)
{
	const struct kc_candidate *candidate;
	unsigned trust;

	kc_gate_renew(&h->gate, KC_ENCRYPT);
	candidate = h->gate.candidate;
	/* A message for which the kernel may be slower is kept, too, if it is to be measured. */
	h->first = h->gate.entry / FIRST_OF_THRESHOLD;
	if (kc_gate_stay(&h->gate, len))
		h->first = h->gate.threshold / FIRST_OF_THRESHOLD;
	trust = atomic_load_explicit(&candidate->trust, memory_order_relaxed);
	if (!candidate->is_offered || trust == KC_REFUSED)
		h->first = SIZE_MAX;
	if (h->gate.entry > candidate->max_request)
		h->first = SIZE_MAX;
}

struct kc_hash *kc_hash_new(const struct kc_base *base, struct kc_candidate *first, void *base_ctx)
{
	/* The key is not zeroed: most contexts have none. */
	struct kc_hash *h =
		kc_context_new(sizeof(*h),
			       offsetof(struct kc_hash, key) - sizeof(struct kc_context), base,
			       first, base_ctx);

	if (!h)
		return NULL;
	guess_first(h);
	set_state(h, KC_HASH_BASE);
	return h;
}

/* Gives the base the message so far; if the kernel has answered it, calls the base's final, too. */
static int tell_base(const struct kc_hash *h, const uint8_t *message)
{
	uint8_t answer[KC_MAX_OUT];
	size_t n = 0;
	int ok = h->hash_update(h->base_ctx, message, h->used);

	if (ok && h->state == KC_HASH_ANSWERED) {
		ok = h->base->final(h->base_ctx, answer, &n, sizeof(answer));
		explicit_bzero(answer, sizeof(answer));
	}
	return ok;
}

int kc_hash_catch_up(struct kc_hash *h)
{
	bool ok = h->state != KC_HASH_LOST;

	if (ok && h->buf)
		ok = tell_base(h, h->buf);
	kc_hash_give(h);
	set_state(h, ok ? KC_HASH_BASE : KC_HASH_LOST);
	return ok;
}

/* If there is no buffer for the message that @from keeps, the base of @to gets it. */
static void copy_kept(struct kc_hash *to, const struct kc_hash *from)
{
	to->state = from->state;
	to->threshold = from->threshold;
	to->lead = from->lead;
	to->buf = NULL;
	if (from->buf)
		to->buf = take_buffer();
	to->used = from->used;
	if (to->buf) {
		memcpy(to->buf, from->buf, from->used);
	} else if (from->buf) {
		set_state(to, tell_base(to, from->buf) ? KC_HASH_BASE : KC_HASH_LOST);
		to->used = 0;
		kc_stream_end(to);
	}
}

void *kc_hash_dup(void *ctx)
{
	struct kc_hash *h = kc_context_copy(ctx, sizeof(*h), sizeof(*h));

	if (h)
		copy_kept(h, ctx);
	return h;
}

void kc_hash_copy(struct kc_hash *to, const struct kc_hash *from)
{
	kc_hash_give(to);
	if (to->gate.first != from->gate.first) {
		kc_gate_end(&to->gate);
		kc_gate_init(&to->gate, from->gate.first);
	}
	to->gate.entry = from->gate.entry;
	to->gate.threshold = from->gate.threshold;
	to->first = from->first;
	copy_kept(to, from);
}

/* Wipes all but the first @len bytes, which the next key will overwrite. */
static void forget_key(struct kc_hash *h, size_t len)
{
	if (h->key_len > len)
		explicit_bzero(h->key + len, h->key_len - len);
	h->key_len = 0;
}

void kc_hash_free(void *ctx)
{
	struct kc_hash *h = ctx;

	if (!h)
		return;
	kc_context_end(ctx);
	if (h->buf)
		kc_hash_give(h);
	forget_key(h, 0);
	free(h);
}

void kc_hash_set_key(struct kc_hash *h, const struct kc_base *base, struct kc_candidate *first,
		     const uint8_t *key, size_t len)
{
	bool is_same = base == h->base && first == h->gate.first && len == h->key_len;

	if (is_same && kc_gate_keeps(&h->gate, h->key, key, len))
		return;
	kc_gate_end(&h->gate);
	forget_key(h, base ? len : 0);
	kc_gate_init(&h->gate, base ? first : NULL);
	if (!base)
		return;
	h->base = base;
	h->key_len = len;
	memcpy(h->key, key, len);
	guess_first(h);
}

static int keep(struct kc_hash *h, const unsigned char *in, size_t len)
{
	memcpy(h->buf + h->used, in, len);
	h->used += len;
	return 1;
}

/* The base has @fed bytes of the message; decides when to think about a stream. */
static void watch(struct kc_hash *h, size_t fed)
{
	h->state = KC_HASH_BASE;
	h->threshold = fed < LONG && kc_stream_candidate(h) ? LONG - fed : SIZE_MAX;
}

static bool becomes_stream(struct kc_hash *h)
{
	if (!h->buf && kc_stream_candidate(h))
		h->buf = take_buffer();
	if (!h->buf || !kc_stream_begin(h))
		return false;
	set_state(h, KC_HASH_STREAM);
	return true;
}

/* The base has refused a part, so its state is unknown. */
static int lose(struct kc_hash *h)
{
	kc_hash_give(h);
	set_state(h, KC_HASH_LOST);
	return 0;
}

static int update_stream(struct kc_hash *h, const unsigned char *in, size_t len)
{
	size_t done;
	int ok = kc_stream_update(h, in, len, &done);

	if (ok && done < len)
		ok = kc_hash_catch_up(h) && h->hash_update(h->base_ctx, in + done, len - done);
	if (!ok)
		return lose(h);
	return 1;
}

/*
 * True if blocks pay. The kernel gets no whole message here because the base has begun it, for
 * example with the block of an HMAC's key.
 */
static bool is_worth_blocks(const struct kc_hash *h, size_t len)
{
	const struct kc_candidate *blocks = kc_stream_candidate(h);

	if (!blocks)
		return false;
	return len >= kc_terms_threshold(&blocks->terms, KC_ENCRYPT) / FIRST_OF_THRESHOLD;
}

/* A message's first long update decides whether the message is kept. */
static int update_fresh(struct kc_hash *h, const unsigned char *in, size_t len)
{
	size_t fed = h->first - h->threshold;

	renew(h, len);
	if (!fed && len >= h->first && len <= kc_hash_limit(h->gate.candidate))
		h->buf = take_buffer();
	if (h->buf) {
		set_state(h, KC_HASH_KEPT);
		return keep(h, in, len);
	}
	if (is_worth_blocks(h, len) && becomes_stream(h))
		return update_stream(h, in, len);
	watch(h, fed);
	return kc_hash_update(h, in, len);
}

static bool fits(const struct kc_hash *h, size_t len)
{
	size_t limit = kc_hash_limit(h->gate.candidate);

	return h->used <= limit && len <= limit - h->used;
}

/* Not inlined, so that a small request does not save the registers that this needs. */
static __attribute__((noinline)) int update_kept(struct kc_hash *h, const unsigned char *in,
						 size_t len)
{
	/* An empty update changes nothing, but the base decides whether it is allowed. */
	if (len == 0 && h->state != KC_HASH_ANSWERED)
		return h->hash_update(h->base_ctx, in, len);
	if (h->state == KC_HASH_FRESH)
		return update_fresh(h, in, len);
	if (h->state == KC_HASH_KEPT && fits(h, len))
		return keep(h, in, len);
	if (h->state == KC_HASH_STREAM)
		return update_stream(h, in, len);
	if (h->state <= KC_HASH_KEPT && becomes_stream(h))
		return update_stream(h, in, len);
	if (!kc_hash_catch_up(h))
		return 0;
	return h->hash_update(h->base_ctx, in, len);
}

int kc_hash_update(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_hash *h = ctx;

	if (len >= h->threshold)
		return update_kept(h, in, len);
	/* A hint for the compiler: subtracting in memory takes one instruction less. */
	atomic_signal_fence(memory_order_seq_cst);
	h->threshold -= len;
	return h->hash_update(h->base_ctx, in, len);
}

/* Has the kernel do the whole message. False: it did not. */
static bool kernel_answers(struct kc_hash *h, uint8_t *out)
{
	const struct kc_key key = { .bytes = h->key, .len = h->key_len };
	const struct kc_req req = { .dir = KC_ENCRYPT, .in = h->buf, .len = h->used, .tag = out };

	if (h->used & h->gate.candidate->odd_bits)
		return false;
	if (!h->used || h->used < h->gate.entry || kc_gate_stay(&h->gate, h->used))
		return false;
	if (h->used > kc_gate_open(&h->gate, h->base, KC_ENCRYPT, &key, h->used))
		return false;
	return kc_gate_run(&h->gate, h->base, &key, &req) == 0;
}

static __attribute__((noinline)) int final_kept(struct kc_hash *h, unsigned char *out, size_t *outl,
						size_t outsize)
{
	const struct kc_alg *alg = h->base->alg;
	bool may_answer;

	if (h->state == KC_HASH_STREAM && !kc_stream_flush(h))
		return lose(h);
	may_answer = h->state == KC_HASH_KEPT && out && outsize >= alg->out_len;
	if (!may_answer || !kernel_answers(h, out)) {
		if (!kc_hash_catch_up(h))
			return 0;
		return h->base->final(h->base_ctx, out, outl, outsize);
	}
	*outl = alg->out_len;
	/* Garbage collectors free contexts late; meanwhile other contexts can use the session. */
	if (alg->kind == KC_DIGEST)
		kc_gate_leave(&h->gate);
	/* Keep the buffer: a caller that continues without an init gets the base's result. */
	set_state(h, KC_HASH_ANSWERED);
	return 1;
}

int kc_hash_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_hash *h = ctx;

	if (h->state > KC_HASH_FRESH)
		return final_kept(h, out, outl, outsize);
	/* A caller that continues without an init gets the base's result. */
	h->threshold = SIZE_MAX;
	return h->base->final(h->base_ctx, out, outl, outsize);
}
