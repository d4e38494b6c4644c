/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD context: the table of its phases, the step from one to the next, and what the base is
 * told on the way.
 */
#include "request/aead/aead.h"

#include "session/buffers.h"

/* clang-format off */
#define P(phase) { KC_PASS, KC_PHASE_##phase }
#define T(phase) { KC_TELL, KC_PHASE_##phase }
#define B	 { KC_BASE, 0 }
#define N(phase) { KC_NOTE, KC_PHASE_##phase }
#define K(phase) { KC_KERNEL, KC_PHASE_##phase }
#define A(phase) { KC_ANSWER, KC_PHASE_##phase }
#define ODD	 { KC_GIVE_UP, 0 }
#define EVER	 P(BASE_FOR_EVER)
#define COLUMNS(...) /* for the reader */

const struct kc_step kc_aead_table[KC_PHASE_COUNT][KC_CALL_COUNT] = {
COLUMNS(                     IDLE,       LENGTHS,  KEY,        NONCE,      BOTH,       TAG,  DECLARE, AAD,  TEXT,       WHOLE, FINAL, GET_TAG, FIXED,      RECORD, SHORT)
[KC_PHASE_BASE_FOR_EVER] = { EVER,       EVER,     EVER,       EVER,       EVER,       EVER, EVER,    EVER, EVER,       EVER,  EVER,  EVER,    EVER,       EVER,  EVER },
[KC_PHASE_FIXED] =         { P(FIXED),   P(FIXED), P(RECORDS), ODD,        P(RECORDS), ODD,  ODD,     ODD,  ODD,        ODD,   ODD,   ODD,     P(FIXED),   ODD,  ODD },
[KC_PHASE_RECORDS] =       { T(RECORDS), T(FIXED), T(RECORDS), T(RECORDS), T(RECORDS), ODD,  ODD,     ODD,  ODD,        ODD,   ODD,   ODD,     T(RECORDS), N(RECORD),  P(TOLD) },
[KC_PHASE_RECORD] =        { T(RECORD),  ODD,      ODD,        ODD,        ODD,        ODD,  ODD,     ODD,  K(RECORDS), ODD,   ODD,   ODD,     ODD,        N(RECORD),  ODD },
[KC_PHASE_TOLD] =          { P(TOLD),    ODD,      ODD,        ODD,        ODD,        ODD,  ODD,     ODD,  P(RECORDS), P(RECORDS), ODD, ODD,  ODD,        P(TOLD),  P(TOLD) },

COLUMNS(             IDLE,     LENGTHS, KEY,      NONCE,   BOTH,    TAG,      DECLARE, AAD,     TEXT,    WHOLE, FINAL,    GET_TAG,  FIXED,      RECORD, SHORT)
[KC_PHASE_NEW] =   { T(NEW),   ODD,     P(KEYED), P(NEW),  P(OPEN), N(NEW),   ODD,     ODD,     ODD,     ODD,   ODD,      ODD,      ODD,        ODD,  ODD },
[KC_PHASE_KEYED] = { T(KEYED), ODD,     P(KEYED), P(OPEN), P(OPEN), N(KEYED), ODD,     B,       B,       ODD,   T(BASE),  P(KEYED), T(RECORDS), ODD,  ODD },
[KC_PHASE_OPEN] =  { T(OPEN),  ODD,     T(KEYED), P(OPEN), P(OPEN), N(OPEN),  ODD,     N(AAD),  K(DONE), ODD,   B,        ODD,      T(RECORDS), ODD,  ODD },
[KC_PHASE_AAD] =   { B,        ODD,     B,        P(OPEN), P(OPEN), N(AAD),   ODD,     N(AAD),  K(DONE), ODD,   B,        ODD,      T(RECORDS), ODD,  ODD },
[KC_PHASE_DONE] =  { B,        ODD,     B,        P(OPEN), P(OPEN), ODD,      ODD,     ODD,     ODD,     ODD,   A(OVER),  ODD,      ODD,        ODD,  ODD },
[KC_PHASE_OVER] =  { T(BASE),  ODD,     T(BASE),  P(OPEN), P(OPEN), N(NEXT),  ODD,     ODD,     ODD,     ODD,   ODD,      A(OVER),  ODD,        ODD,  ODD },
[KC_PHASE_NEXT] =  { T(BASE),  ODD,     T(BASE),  P(OPEN), P(OPEN), N(NEXT),  ODD,     ODD,     ODD,     ODD,   ODD,      ODD,      ODD,        ODD,  ODD },
[KC_PHASE_BASE] =  { P(BASE),  ODD,     P(BASE),  P(OPEN), P(OPEN), P(BASE),  ODD,     P(BASE), P(BASE), ODD,   P(BASE),  P(BASE),  ODD,        ODD,  ODD },

COLUMNS(                  IDLE,          LENGTHS,    KEY,          NONCE,       BOTH,        TAG,          DECLARE,     AAD,         TEXT,          WHOLE,        FINAL,         GET_TAG,      FIXED,      RECORD, SHORT)
[KC_PHASE_CCM_NEW] =    { P(CCM_NEW),    P(CCM_NEW), P(CCM_KEYED), ODD,         P(CCM_OPEN), N(CCM_NEW),   ODD,         ODD,         ODD,           ODD,          ODD,           ODD,          T(FIXED),   ODD,  ODD },
[KC_PHASE_CCM_KEYED] =  { P(CCM_KEYED),  P(CCM_NEW), P(CCM_KEYED), P(CCM_OPEN), P(CCM_OPEN), N(CCM_KEYED), B,           B,           B,             B,            P(CCM_KEYED),  ODD,          T(RECORDS), ODD,  ODD },
[KC_PHASE_CCM_OPEN] =   { B,             ODD,        B,            P(CCM_OPEN), P(CCM_OPEN), N(CCM_OPEN),  N(CCM_SAID), B,           B,             B,            ODD,           ODD,          T(RECORDS), ODD,  ODD },
[KC_PHASE_CCM_SAID] =   { B,             ODD,        B,            B,           B,           N(CCM_SAID),  ODD,         N(CCM_AAD),  K(CCM_DONE),   K(CCM_OVER),  ODD,           ODD,          ODD,        ODD,  ODD },
[KC_PHASE_CCM_AAD] =    { B,             ODD,        B,            B,           B,           N(CCM_AAD),   ODD,         B,           K(CCM_DONE),   K(CCM_OVER),  ODD,           ODD,          ODD,        ODD,  ODD },
[KC_PHASE_CCM_DONE] =   { T(CCM_SEALED), ODD,        B,            B,           B,           ODD,          ODD,         ODD,         ODD,           ODD,          A(CCM_DONE),   A(CCM_OVER),  ODD,        ODD,  ODD },
[KC_PHASE_CCM_OVER] =   { T(CCM_KEYED),  T(CCM_NEW), T(CCM_KEYED), P(CCM_OPEN), P(CCM_OPEN), N(CCM_NEXT),  ODD,         ODD,         ODD,           ODD,          A(CCM_OVER),   ODD,          ODD,        ODD,  ODD },
[KC_PHASE_CCM_NEXT] =   { B,             ODD,        B,            P(CCM_OPEN), P(CCM_OPEN), N(CCM_NEXT),  ODD,         ODD,         ODD,           ODD,          ODD,           ODD,          ODD,        ODD,  ODD },
[KC_PHASE_CCM_BASE] =   { P(CCM_BASE),   ODD,        P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_SEALED), P(CCM_KEYED), P(CCM_BASE),   P(CCM_BASE),  P(RECORDS), ODD,  ODD },
[KC_PHASE_CCM_SEALED] = { P(CCM_SEALED), ODD,        P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_SEALED), P(CCM_BASE),  P(CCM_SEALED), P(CCM_KEYED), P(RECORDS), ODD,  ODD },
};
/* clang-format on */

#undef P
#undef T
#undef B
#undef N
#undef K
#undef A
#undef ODD
#undef EVER
#undef COLUMNS

struct kc_aead *kc_aead_new(const struct kc_base *base, struct kc_candidate *first)
{
	const struct kc_alg *alg = base->alg;
	struct kc_aead *c =
		kc_context_new(sizeof(*c),
			       offsetof(struct kc_aead, tag) - sizeof(struct kc_context), base,
			       first, base->newctx(base));

	if (!c)
		return NULL;
	c->threshold = 0;
	c->family = &kc_aead_families[alg->family];
	c->phase = c->family->first;
	c->key_dir = KC_NO_DIR;
	c->said_nonce_len = alg->nonce_len; /* also the base's default */
	if (alg->nonce_len)
		c->lengths = (struct kc_lengths){ alg->nonce_len, KC_MAX_TAG };
	return c;
}

/* A paused update counts as not made in the copy: its job may still resume in the original. */
void *kc_aead_dup(void *ctx)
{
	struct kc_aead *from = ctx, *copy;

	if (!from->base->dupctx ||
	    (from->copy && !kc_gate_is_busy(&from->gate) && !kc_aead_pass(from, KC_CALL_IDLE)))
		return NULL;
	copy = kc_context_copy(from, sizeof(*copy), sizeof(*copy));
	if (copy)
		copy->copy = NULL;
	return copy;
}

bool kc_aead_take_copy(struct kc_aead *c, const uint8_t *in, size_t len)
{
	c->copy = kc_buffer_take();
	c->copy_len = len;
	c->secret_len = c->dir == KC_ENCRYPT ? len : 0;
	if (c->copy)
		memcpy(c->copy, in, len);
	return c->copy;
}

void kc_aead_drop_copy(struct kc_aead *c)
{
	if (c->copy)
		kc_buffer_give(c->copy, c->secret_len);
	c->copy = NULL;
}

void kc_aead_free(void *ctx)
{
	if (ctx)
		kc_aead_drop_copy(ctx);
	kc_context_free(ctx, sizeof(struct kc_context), sizeof(struct kc_aead));
}

__attribute__((cold)) void kc_aead_abandon(struct kc_aead *c)
{
	kc_gate_close(&c->gate);
	kc_aead_drop_copy(c);
}

/* True if a tag is noted for the message after the one in ->copy. */
static bool has_next_tag(const struct kc_aead *c)
{
	return c->phase == KC_PHASE_NEXT || c->phase == KC_PHASE_CCM_NEXT;
}

static bool is_over(const struct kc_aead *c)
{
	return c->phase == KC_PHASE_OVER || c->phase == KC_PHASE_CCM_OVER || has_next_tag(c);
}

static bool has_records(const struct kc_aead *c)
{
	return c->phase == KC_PHASE_RECORDS || c->phase == KC_PHASE_RECORD ||
	       c->phase == KC_PHASE_TOLD;
}

static int tell_tag(struct kc_aead *c)
{
	return c->base->set(c->base, c->base_ctx, KC_TAG, c->tag, c->tag_len);
}

static int tell_head(struct kc_aead *c)
{
	size_t n = 0;

	if (c->tag_len && !tell_tag(c))
		return 0;
	if (c->total && !c->update(c->base_ctx, NULL, &n, c->total, NULL, c->total))
		return 0;
	return !c->aad_len || c->update(c->base_ctx, NULL, &n, c->aad_len, c->aad, c->aad_len);
}

/* Works in place, so that a copy of ciphertext becomes plaintext. */
static int tell_text(struct kc_aead *c)
{
	size_t n = 0;

	c->secret_len = c->copy_len;
	if (!c->update(c->base_ctx, c->copy, &n, c->copy_len, c->copy, c->copy_len))
		return 0;
	return !is_over(c) || c->family->tell_end(c);
}

static int tell_next_tag(struct kc_aead *c)
{
	memcpy(c->tag, c->next_tag, c->tag_len);
	return tell_tag(c);
}

static int tell_message(struct kc_aead *c)
{
	if (!c->family->tag_stays && (c->aad_len || c->copy)) /* the base makes another one */
		c->owes_tag = false;
	return tell_head(c) && (!c->copy || tell_text(c)) && (!has_next_tag(c) || tell_next_tag(c));
}

static int tell_record(struct kc_aead *c, const uint8_t *aad)
{
	return c->base->set(c->base, c->base_ctx, KC_RECORD, aad, KC_RECORD_AAD);
}

/* Tells the base of the record that the kernel did. */
static int tell_last_record(struct kc_aead *c)
{
	const uint8_t *carried = NULL;
	size_t n = 0;

	if (c->key_dir == KC_DECRYPT)
		carried = c->nonce + KC_RECORD_NONCE - c->base->alg->record_iv_len;
	if (kc_aead_counts_records(c) && !c->base->set_record_nonce(c->base, c->base_ctx, c->nonce))
		return 0;
	if (!c->copy)
		return c->base->pass_record(c->base, c->base_ctx, c->aad, carried);
	c->secret_len = c->copy_len;
	if (c->key_dir == KC_ENCRYPT)
		c->owes_tag = false;
	return tell_record(c, c->aad) &&
	       c->update(c->base_ctx, c->copy, &n, c->copy_len, c->copy, c->copy_len);
}

int kc_aead_tell_records(struct kc_aead *c)
{
	if (c->aad_len && !tell_last_record(c))
		return 0;
	return c->phase != KC_PHASE_RECORD || tell_record(c, c->record_aad);
}

/* Tells the base all that is noted. Telling a tag again that stays in force changes nothing. */
static int tell(struct kc_aead *c)
{
	int ok = has_records(c) ? kc_aead_tell_records(c) : tell_message(c);

	if (c->copy)
		kc_aead_drop_copy(c);
	c->aad_len = 0;
	c->total = 0;
	if (!c->family->tag_stays)
		c->tag_len = 0;
	return ok;
}

/* For a message that replaces the one before: drops what is noted of that. */
static void forget_message(struct kc_aead *c)
{
	if (has_next_tag(c))
		memcpy(c->tag, c->next_tag, c->tag_len);
	else if (is_over(c) && !c->family->tag_stays)
		c->tag_len = 0;
	if (c->copy)
		kc_aead_drop_copy(c);
}

/* Most messages have nothing noted when a short text comes. */
bool kc_aead_has_notes(const struct kc_aead *c)
{
	size_t noted = c->tag_len | c->aad_len | c->total | (uintptr_t)c->copy;

	return noted || c->phase == KC_PHASE_RECORD;
}

/* Returns the phase after the base does @call and all that precedes it. @act: the table's. */
static enum kc_phase phase_after(const struct kc_aead *c, enum kc_call call, enum kc_act act)
{
	if (act == KC_PASS || act == KC_TELL)
		return kc_aead_table[c->phase][call].next;
	return kc_aead_table[c->family->base][call].next;
}

static __attribute__((noinline)) int pass_noted(struct kc_aead *c, enum kc_act act,
						enum kc_phase next)
{
	int ok = 1;

	kc_aead_come_in(c);
	if (act == KC_GIVE_UP || act == KC_ANSWER)
		return kc_aead_give_up(c);
	if (act == KC_PASS)
		forget_message(c);
	else
		ok = tell(c);
	kc_aead_enter_phase(c, next);
	if (ok)
		return ok;
	return kc_aead_failed(c);
}

/* pass_noted() is a function of its own, so that a call with nothing noted saves no registers. */
int kc_aead_pass_on(struct kc_aead *c, enum kc_call call)
{
	enum kc_act act = kc_aead_act(c, call);
	enum kc_phase next = phase_after(c, call, act);

	if (act == KC_GIVE_UP || act == KC_ANSWER || kc_aead_has_notes(c))
		return pass_noted(c, act, next);
	kc_aead_enter_phase(c, next);
	return 1;
}

static void leave_for_ever(struct kc_aead *c)
{
	kc_gate_close(&c->gate);
	explicit_bzero(c->key, sizeof(c->key));
	c->key_dir = KC_NO_DIR;
	c->tag_len = 0;
	c->doubted = false;
	kc_aead_enter_phase(c, KC_PHASE_BASE_FOR_EVER);
}

__attribute__((cold)) int kc_aead_give_up(struct kc_aead *c)
{
	int ok = 1;

	kc_aead_come_in(c);
	if (c->phase != KC_PHASE_BASE_FOR_EVER)
		ok = tell(c);
	if (c->owes_tag)
		kc_aead_pay(c, false);
	leave_for_ever(c);
	return ok;
}

__attribute__((cold)) int kc_aead_failed(struct kc_aead *c)
{
	/* What is noted precedes the call that failed. */
	kc_aead_give_up(c);
	return 0;
}
