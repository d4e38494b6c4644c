/* SPDX-License-Identifier: Apache-2.0 */
/* What an AEAD context is given: inits, parameters, and questions. */
#include "request/aead/aead.h"

#include <string.h>

/*
 * After KC_SHORT_RUN short messages in a row, a context expects more of them. It leaves the next
 * KC_ASLEEP messages to the base without a look at the table, so that none of them can make a
 * detour. A long text wakes it earlier. The model check sets both to small numbers.
 */
#ifndef KC_SHORT_RUN
#define KC_SHORT_RUN 4
#define KC_ASLEEP    1016
#endif

static void take_key(struct kc_aead *c, const uint8_t *key)
{
	size_t len = c->base->alg->key_len;

	kc_gate_rekey(&c->gate, c->key, key, len);
	kc_copy_short(c->key, key, len);
	c->key_dir = c->dir;
	c->short_run = 0;
	if (c->family->take_lengths && !c->family->take_lengths(c))
		kc_aead_give_up(c);
}

static void take_nonce(struct kc_aead *c, const uint8_t *nonce, size_t len)
{
	if (len == KC_RECORD_NONCE) /* the usual case, which needs no call */
		memcpy(c->nonce, nonce, KC_RECORD_NONCE);
	else if (len <= sizeof(c->nonce))
		memcpy(c->nonce, nonce, len);
	c->aad_len = 0;
	c->total = 0;
}

/* Falls asleep from this message on, of which only the init has come. */
static void fall_asleep(struct kc_aead *c)
{
	size_t entry = c->gate.entry;

	c->short_run = 0;
	if (!kc_aead_pass(c, KC_CALL_AAD)) /* plays an AAD that can't be noted */
		return;
	c->asleep = KC_ASLEEP;
	c->tag_len = 0;
	c->threshold = 0;
	if (c->family->begins_anew) {
		c->threshold = entry ? entry : 1;
		c->end = c->base->final;
	} else {
		c->checked = entry;
	}
}

static bool may_sleep(const struct kc_aead *c)
{
	if (c->owes_tag)
		return false;
	return c->phase == KC_PHASE_OPEN || c->phase == KC_PHASE_CCM_OPEN ||
	       c->phase == KC_PHASE_CCM_BASE;
}

/* True if the direction is not the key's: while it sleeps, inits of any direction pass. */
static bool has_turned(const struct kc_aead *c)
{
	return c->dir != c->key_dir && c->key_dir != KC_NO_DIR;
}

static enum kc_call call_of_setting(const struct kc_aead *c, const struct kc_setting *set)
{
	if (has_turned(c))
		return KC_CALL_ODD;
	switch (set->what) {
	case KC_SET_NOTHING:
		return KC_CALL_IDLE;
	case KC_SET_NONCE_LEN:
		return c->family->set_length(c, false, set->len);
	case KC_SET_RECORD:
		return KC_CALL_RECORD;
	case KC_SET_FIXED:
		return KC_CALL_FIXED;
	case KC_SET_OTHER:
		return KC_CALL_ODD;
	case KC_SET_TAG:
		break;
	}
	if (!set->data)
		return c->family->set_length(c, true, set->len);
	if (c->dir != KC_DECRYPT || !set->len || set->len > KC_MAX_TAG)
		return KC_CALL_ODD;
	/* A shorter tag would leave the rest of the last one. */
	if (c->tag_len && set->len != c->tag_len)
		return KC_CALL_ODD;
	if (c->phase != KC_PHASE_CCM_NEW && set->len != c->lengths.tag)
		return KC_CALL_ODD;
	return KC_CALL_TAG;
}

/* An init in another direction than the key's needs a key, and CCM would keep a tag for it. */
static inline __attribute__((always_inline)) enum kc_call
call_of_init(const struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
	     size_t iv_len)
{
	if (c->tag_len && c->dir == KC_ENCRYPT && !c->family->tag_stays)
		return KC_CALL_ODD;
	if (iv && c->lengths.nonce && iv_len != c->lengths.nonce)
		return KC_CALL_ODD;
	if (key && key_len != c->base->alg->key_len)
		return KC_CALL_ODD;
	if (key) {
		if (iv)
			return KC_CALL_BOTH;
		return KC_CALL_KEY;
	}
	if (has_turned(c))
		return KC_CALL_ODD;
	if (iv)
		return KC_CALL_NONCE;
	return KC_CALL_IDLE;
}

/* A noted tag that the base was not told belongs to the old direction. */
static __attribute__((cold)) int turn(struct kc_aead *c, enum kc_call call)
{
	int ok;

	if (!kc_aead_pass(c, call))
		return 0;
	if (!c->tag_len)
		return 1;
	ok = c->base->set(c->base, c->base_ctx, KC_TAG, c->tag, c->tag_len);
	c->tag_len = 0;
	return kc_aead_done(c, ok);
}

int kc_aead_starts(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		   size_t iv_len)
{
	enum kc_call call = call_of_init(c, key, key_len, iv, iv_len);

	if (c->tag_len && c->dir == KC_ENCRYPT)
		return turn(c, call);
	return kc_aead_pass(c, call);
}

/* Only lengths may come with an init, and only with an init of nothing else. */
int kc_aead_starts_with(struct kc_aead *c, const struct kc_setting *set, const uint8_t *key,
			size_t key_len, const uint8_t *iv, size_t iv_len)
{
	enum kc_call call = call_of_setting(c, set);

	if (call == KC_CALL_IDLE)
		return kc_aead_starts(c, key, key_len, iv, iv_len);
	if (call != KC_CALL_LENGTHS || call_of_init(c, key, key_len, iv, iv_len) != KC_CALL_IDLE)
		return kc_aead_give_up(c);
	return kc_aead_pass(c, call);
}

void kc_aead_started(struct kc_aead *c, const uint8_t *key, const uint8_t *iv, size_t iv_len,
		     bool ok)
{
	if (iv && iv_len != c->said_nonce_len)
		c->said_nonce_len = 0;
	if (!ok)
		kc_aead_failed(c);
	if (c->owes_tag && c->dir == KC_DECRYPT)
		kc_aead_pay(c, false);
	if (c->phase == KC_PHASE_BASE_FOR_EVER)
		return;
	if (key)
		take_key(c, key);
	if (iv)
		take_nonce(c, iv, iv_len);
	c->doubted = false;
	kc_aead_wake(c);
	kc_gate_renew(&c->gate, c->dir);
	if (iv && iv_len == KC_RECORD_NONCE && may_sleep(c) && c->short_run++ >= KC_SHORT_RUN)
		fall_asleep(c);
}

/* CCM's key takes the length of the tag, so the base is told the length. */
static bool note_tag(struct kc_aead *c, const struct kc_setting *set)
{
	bool is_next = c->copy;

	if (c->phase == KC_PHASE_CCM_NEW &&
	    !c->base->set(c->base, c->base_ctx, KC_TAG, NULL, set->len))
		return false;
	kc_copy_short(is_next ? c->next_tag : c->tag, set->data, set->len);
	c->tag_len = (unsigned)set->len;
	if (c->family->tag_stays)
		c->owes_tag = false;
	return true;
}

/* A record's AAD that comes first makes the nonce the fixed part of all records' nonces. */
static bool fix_nonce(struct kc_aead *c, enum kc_call call)
{
	if (call != KC_CALL_RECORD || c->phase != KC_PHASE_OPEN || !c->family->nonce_is_fixed)
		return true;
	return kc_aead_pass(c, KC_CALL_FIXED);
}

/*
 * True for a nonce length that the base already has. Setting it again changes nothing in the base,
 * except in ChaCha20-Poly1305 from OpenSSL 4.0 on, which then accepts another text. Many programs
 * set it before each message; the base would first have to be told the last message's text.
 */
static bool is_known_length(const struct kc_aead *c, const struct kc_setting *set)
{
	if (set->what != KC_SET_NONCE_LEN || c->phase == KC_PHASE_BASE_FOR_EVER)
		return false;
	if (c->family->nonce_is_fixed)
		return false;
	return set->len && set->len == c->lengths.nonce;
}

/* True if the call makes the base lose its last tag: GCM stores a record's AAD there. */
static bool is_overwritten_by(const struct kc_aead *c, enum kc_call call)
{
	if (c->family->record_tag[KC_ENCRYPT])
		return false;
	return call == KC_CALL_FIXED || call == KC_CALL_RECORD;
}

enum kc_outcome kc_aead_sets(struct kc_aead *c, const struct kc_setting *set)
{
	enum kc_call call = call_of_setting(c, set);
	bool is_noted = false;

	kc_aead_come_in(c);
	if (is_known_length(c, set))
		return KC_NOTED;
	if (c->owes_tag && is_overwritten_by(c, call))
		kc_aead_pay(c, false);
	if (!fix_nonce(c, call))
		return KC_FAILED;
	if (kc_aead_act(c, call) == KC_NOTE)
		is_noted = call == KC_CALL_TAG ? note_tag(c, set) :
						 kc_aead_note_record(c, set->data, set->len);
	if (is_noted) {
		kc_aead_enter(c, call);
		return KC_NOTED;
	}
	if (kc_aead_pass(c, call))
		return KC_TO_BASE;
	return KC_FAILED;
}

/*
 * The base got the tag. Without a final it is in force for the next message, too, which the kernel
 * may do.
 */
static void take_tag(struct kc_aead *c, const struct kc_setting *set)
{
	c->doubted = false;
	c->tag_len = 0;
	if (c->phase != KC_PHASE_BASE)
		return;
	kc_copy_short(c->tag, set->data, set->len);
	c->tag_len = (unsigned)set->len;
	c->owes_tag = false;
}

void kc_aead_was_set(struct kc_aead *c, const struct kc_setting *set, bool ok)
{
	if (set->what != KC_SET_TAG) {
		c->said_nonce_len = 0;
		c->short_run = 0;
	}
	if (!ok)
		kc_aead_failed(c);
	if (c->owes_tag) /* now the base may have a length for it */
		kc_aead_pay(c, set->data && (set->what == KC_SET_TAG || set->what == KC_SET_OTHER));
	if (c->phase == KC_PHASE_CCM_NEW || c->phase == KC_PHASE_FIXED)
		c->lengths = (struct kc_lengths){ 0, 0 };
	if (set->what == KC_SET_TAG && set->data)
		take_tag(c, set);
	if (set->what == KC_SET_FIXED) /* a record's AAD may overwrite a tag */
		c->tag_len = 0;
	if (set->what == KC_SET_FIXED && c->family->nonce_is_fixed && set->len == KC_RECORD_NONCE)
		memcpy(c->nonce, set->data, KC_RECORD_NONCE);
}

int kc_aead_asks(struct kc_aead *c)
{
	int ok = 1;

	/* With nothing noted, the base knows as much as one without kcrypto. */
	if (kc_aead_has_notes(c))
		ok = kc_aead_pass(c, KC_CALL_IDLE);
	if (c->owes_tag)
		kc_aead_pay(c, false);
	return ok;
}

int kc_aead_get_tag(struct kc_aead *c, uint8_t *tag, size_t len)
{
	bool can_be = c->dir == KC_ENCRYPT && c->family->has_tag(c, len);
	enum kc_call call = can_be ? KC_CALL_GET_TAG : KC_CALL_ODD;

	if (kc_aead_act(c, call) == KC_ANSWER) {
		memcpy(tag, c->text_tag, len);
		kc_aead_enter(c, call);
		return 1;
	}
	if (!kc_aead_pass(c, call))
		return 0;
	if (c->owes_tag)
		kc_aead_pay(c, false);
	if (!kc_aead_done(c, c->base->get_tag(c->base, c->base_ctx, tag, len)))
		return 0;
	kc_aead_correct_tag(c, tag, len);
	return 1;
}
