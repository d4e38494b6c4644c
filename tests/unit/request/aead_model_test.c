/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model check of AEADs: all sequences of LENGTH calls, each family, over a fake base
 * and a fake kernel. Each call is made on a kcrypto context and on a plain base, which have to give
 * the same answers. After each call, a copy of kcrypto's context gives up the kernel: the base
 * below it must then have the plain one's state. Sequences that lead to the same state are equal
 * from there on, and only one of them continues. usage: aead_model_test - gcm|ccm|chacha20|newer
 */
#include "unit/check.h"

#include <errno.h>

#include "request/aead/aead.h"
#include "request/aead_fake.h"
#include "request/aead_states.h"
#include "session/buffers.h"

#define ENTRY	     36 /* bytes: software does a shorter text */
#define LONG	     40
#define SHORT	     5
#define SHORT_RECORD (8 + SHORT + KC_MAX_TAG) /* bytes of a short one, with a nonce and a tag */

/* The calls of a sequence. */
enum call {
#define CALL(name) name,
#include "request/aead_calls.def"
#undef CALL
	N_CALLS
};

static const char *const names[] = {
#define CALL(name) #name,
#include "request/aead_calls.def"
#undef CALL
};

/* A kcrypto context over its base, and a plain base. */
struct node {
	struct kc_aead ours;
	struct fake base, plain;
	uint8_t buffer[2 * LONG];
	bool is_lent, is_secret;
};

/* The results of a call. */
struct answer {
	int ok;
	size_t len;
	uint8_t out[2 * LONG];
};

static struct kc_candidate candidate;
static struct node *now;
static enum { DOES, REFUSES, CALLS_BAD, PAUSES } kernel;
static jmp_buf paused;

/* The gate's functions, and those of sessions and buffers, replace the core's. */

uint8_t *kc_buffer_take(void)
{
	assert_false(now->is_lent);
	now->is_lent = true;
	return now->buffer;
}

void kc_buffer_give(uint8_t *buf, size_t used)
{
	assert_true(buf == now->buffer && now->is_lent);
	assert_true(used >= now->ours.copy_len || !now->is_secret);
	memset(buf, 0, sizeof(now->buffer));
	now->is_lent = false;
}

size_t kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		    const struct kc_key *key, size_t len)
{
	(void)gate;
	(void)base;
	(void)dir;
	(void)key;
	return len;
}

int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req)
{
	now->is_secret = req->dir == KC_ENCRYPT;
	if (kernel == PAUSES) {
		gate->session.fd = 5;
		gate->session.in_flight = 1;
		longjmp(paused, 1);
	}
	if (kernel != DOES)
		return kernel == REFUSES || req->dir == KC_ENCRYPT ? -EIO : -EBADMSG;
	return fake_kernel(base->alg->family, key, req);
}

void kc_session_end(struct kc_session *session)
{
	session->fd = -1;
	session->in_flight = 0;
}

void kc_gate_mistaken(struct kc_gate *gate)
{
	(void)gate;
}

void kc_gate_return(struct kc_gate *gate)
{
	(void)gate;
}

void kc_gate_renew_several(struct kc_gate *gate, enum kc_dir dir)
{
	(void)gate;
	(void)dir;
}

/* What src/provider does around each call. The last argument selects one of the two. */

static int init(struct node *n, bool ours, enum kc_dir dir, uint8_t key, uint8_t nonce)
{
	const uint8_t key_bytes[KC_MAX_KEY] = { key }, iv[KC_MAX_IV] = { nonce };
	const uint8_t *k = key ? key_bytes : NULL, *v = nonce ? iv : NULL;
	size_t len = n->plain.nonce_len;
	struct kc_aead *c = &n->ours;
	int ok;

	if (!ours)
		return fake_init(&n->plain, dir, key, nonce, len);
	c->dir = dir;
	if (c->asleep && !key && nonce && len == KC_RECORD_NONCE) {
		c->asleep--;
		return fake_init(&n->base, dir, key, nonce, len);
	}
	ok = kc_aead_starts(c, k, c->base->alg->key_len, v, nonce ? len : 0) &&
	     fake_init(&n->base, dir, key, nonce, len);
	kc_aead_started(c, k, v, nonce ? len : 0, ok);
	return ok;
}

static int set_in(struct fake *f, const struct kc_setting *set)
{
	const struct kc_base *base = &fake_bases[f->family];

	if (set->what == KC_SET_NONCE_LEN)
		return fake_set_length(f, false, set->len);
	if (set->what == KC_SET_FIXED)
		return fake_set_fixed(f, set->data, set->len);
	return base->set(base, f, set->what == KC_SET_TAG ? KC_TAG : KC_RECORD, set->data,
			 set->len);
}

static int set(struct node *n, bool ours, enum kc_set what, const uint8_t *data, size_t len)
{
	struct kc_setting set = { what, data, len };
	struct kc_aead *c = &n->ours;
	enum kc_outcome outcome;
	int ok;

	if (!ours)
		return set_in(&n->plain, &set);
	if (c->asleep && what == KC_SET_TAG && len == c->lengths.tag)
		return set_in(&n->base, &set);
	outcome = kc_aead_sets(c, &set);
	if (outcome != KC_TO_BASE)
		return outcome == KC_NOTED;
	ok = set_in(&n->base, &set);
	kc_aead_was_set(c, &set, ok);
	return ok;
}

static int get_tag(struct node *n, bool ours, size_t len, struct answer *a)
{
	const struct kc_base *base = n->ours.base;

	int ok;

	a->len = len;
	if (!ours)
		ok = base->get_tag(base, &n->plain, a->out, len);
	else if (n->ours.asleep)
		ok = base->get_tag(base, &n->base, a->out, len);
	else
		ok = kc_aead_get_tag(&n->ours, a->out, len);
	if (n->plain.family == KC_CCM && len > n->plain.made_bytes)
		memset(a->out, 0, sizeof(a->out));
	return ok;
}

static int update(struct node *n, bool ours, struct answer *a, bool has_out, const uint8_t *in,
		  size_t len)
{
	return (ours ? kc_aead_update : n->ours.base->update)(ours ? (void *)&n->ours : &n->plain,
							      has_out ? a->out : NULL, &a->len,
							      sizeof(a->out), in, len);
}

static int text(struct node *n, bool ours, struct answer *a, size_t len)
{
	static const uint8_t in[LONG] = "a text that is long enough for it";

	return update(n, ours, a, true, in, len);
}

/* What an AAD says of a record of @len bytes. */
static uint8_t said(const struct node *n, size_t len)
{
	return (uint8_t)(n->plain.dir == KC_ENCRYPT ? len - n->plain.tag_len : len);
}

/* A short record if the last AAD said so. */
static int record(struct node *n, bool ours, struct answer *a, bool good)
{
	bool is_short = n->plain.record_aad[12] == said(n, SHORT_RECORD);
	size_t tag = n->plain.tag_len, len = is_short ? SHORT_RECORD : LONG;

	memset(a->out, 't', len);
	memcpy(a->out + len - tag, fake_right_tag, tag);
	a->out[len - 1] ^= !good;
	return update(n, ours, a, true, a->out, len);
}

static int record_aad(struct node *n, bool ours, uint8_t len)
{
	uint8_t aad[KC_RECORD_AAD] = { 3, [12] = len };
	struct kc_aead *c = &n->ours;

	if (ours && kc_aead_pass_short_record(c, aad, sizeof(aad)))
		return kc_aead_done(c,
				    c->base->set(c->base, &n->base, KC_RECORD, aad, sizeof(aad)));
	return set(n, ours, KC_SET_RECORD, aad, sizeof(aad));
}

static void start_node(struct node *n, enum kc_family family)
{
	struct kc_aead *c = kc_aead_new(&fake_bases[family], &candidate);

	memset(n, 0, sizeof(*n));
	memcpy(&n->ours, c, offsetof(struct kc_aead, tag));
	free(c);
	fake_new(&n->base, family);
	fake_new(&n->plain, family);
}

static void copy_node(struct node *to, const struct node *from)
{
	memcpy(to, from, sizeof(*to));
	to->ours.base_ctx = &to->base;
	if (to->ours.copy)
		to->ours.copy = to->buffer;
	now = to;
}

static int copy_ours(struct node *n)
{
	struct kc_aead *copy = kc_aead_dup(&n->ours);

	assert_non_null(copy);
	kc_aead_drop_copy(&n->ours);
	memcpy(&n->ours, copy, sizeof(*copy));
	free(copy);
	return 1;
}

/* A call of which only its success and the contents of @a are compared. */
static int one(struct node *n, bool ours, enum call call, uint8_t nonce, struct answer *a)
{
	static const uint8_t wrong[KC_MAX_TAG] = "a wrong tag....", aad[SHORT] = "aad",
			     fixed[12] = "f";
	struct kc_aead *c = &n->ours;

	switch (call) {
	case NONE_ENC:
	case NONE_DEC:
		return init(n, ours, call == NONE_ENC, 0, 0);
	case KEY_ENC:
	case KEY_DEC:
		return init(n, ours, call == KEY_ENC, 1, 0);
	case NONCE_ENC:
	case NONCE_DEC:
		return init(n, ours, call == NONCE_ENC, 0, nonce);
	case BOTH_ENC:
	case BOTH_DEC:
		return init(n, ours, call == BOTH_ENC, 1, nonce);
	case NONCE_LEN_12:
	case NONCE_LEN_11:
	case NONCE_LEN_BAD:
		return set(n, ours, KC_SET_NONCE_LEN, NULL,
			   call == NONCE_LEN_12 ? 12 :
			   call == NONCE_LEN_11 ? 11 :
						  0);
	case TAG_LEN_16:
	case TAG_LEN_8:
		return set(n, ours, KC_SET_TAG, NULL, call == TAG_LEN_16 ? 16 : 8);
	case TAG_RIGHT:
	case TAG_WRONG:
		return set(n, ours, KC_SET_TAG, call == TAG_RIGHT ? fake_right_tag : wrong,
			   n->plain.tag_len);
	case TAG_SHORT:
		return set(n, ours, KC_SET_TAG, fake_right_tag, 8);
	case DECLARE:
	case DECLARE_SHORT:
		return update(n, ours, a, false, NULL, call == DECLARE ? LONG : SHORT);
	case AAD:
	case AAD_EMPTY:
		return update(n, ours, a, false, aad, call == AAD ? sizeof(aad) : 0);
	case TEXT:
	case TEXT_REFUSED:
	case TEXT_CALLED_BAD:
	case TEXT_ABANDONED:
		return text(n, ours, a, LONG);
	case TEXT_SHORT:
		return text(n, ours, a, SHORT);
	case FINAL:
		return ours ? kc_aead_final(c, a->out, &a->len, sizeof(a->out)) :
			      c->base->final(&n->plain, a->out, &a->len, sizeof(a->out));
	case GET_TAG:
	case GET_TAG_8:
		return get_tag(n, ours, call == GET_TAG ? n->plain.tag_len : 8, a);
	case ASK:
		return !ours || kc_aead_asks(c);
	case COPY:
		return !ours || copy_ours(n);
	case ONESHOT:
		return (ours ? kc_aead_oneshot : c->base->oneshot)(
			ours ? (void *)c : &n->plain, a->out, &a->len, sizeof(a->out), aad, SHORT);
	case FIXED:
		return set(n, ours, KC_SET_FIXED, fixed, sizeof(fixed));
	case RECORD_AAD:
	case RECORD_AAD_BAD:
		return record_aad(n, ours, call == RECORD_AAD ? said(n, LONG) : 3);
	case RECORD_AAD_SHORT:
		return record_aad(n, ours, said(n, SHORT_RECORD));
	case RECORD:
	case RECORD_BAD:
		return record(n, ours, a, call == RECORD);
	case N_CALLS:
		break;
	}
	return 0;
}

static enum call path[LENGTH];

static void fail_at(size_t depth, const char *why)
{
	for (size_t i = 0; i <= depth; i++)
		print_message("%s ", names[path[i]]);
	fail_msg("%s", why);
}

/* Returns false if the update was abandoned, and so never made. */
static bool play_ours(struct node *n, enum call call, uint8_t nonce, struct answer *a)
{
	kernel = call == TEXT_REFUSED	 ? REFUSES :
		 call == TEXT_CALLED_BAD ? CALLS_BAD :
		 call == TEXT_ABANDONED	 ? PAUSES :
					   DOES;
	if (setjmp(paused))
		return false;
	a->ok = one(n, true, call, nonce, a);
	return true;
}

static void compare(struct node *n, enum call call, size_t depth)
{
	struct answer ours = { .ok = 0 }, plain = { .ok = 0 };
	uint8_t nonce = (uint8_t)(1 + depth % 2);
	bool is_made = play_ours(n, call, nonce, &ours);
	struct node told;

	/* kcrypto's context runs last: its plain twin supplies the lengths that EVP would. */
	if (is_made)
		plain.ok = one(n, false, call, nonce, &plain);
	if (!ours.ok != !plain.ok)
		fail_at(depth, "one of the two fails");
	if (plain.ok &&
	    (ours.len != plain.len || memcmp(ours.out, plain.out, sizeof(ours.out)) != 0))
		fail_at(depth, "the answers differ");
	copy_node(&told, n);
	if (!kc_aead_give_up(&told.ours) ||
	    !fake_is_same(&told.base, &told.plain, told.ours.owes_tag ? told.ours.made : NULL)) {
		for (size_t z = 0; z < sizeof(struct fake); z++)
			if (((uint8_t *)&told.base)[z] != ((uint8_t *)&told.plain)[z])
				print_message("at %zu: %d %d\n", z, ((uint8_t *)&told.base)[z],
					      ((uint8_t *)&told.plain)[z]);
		fail_at(depth, "the base was not told what a plain one was");
	}
	assert_false(told.is_lent);
}

/* Whether at least as many calls were made from this state. If not, records that they will be. */
static bool was_played(const struct node *n, size_t left)
{
	struct node same;

	memcpy(&same, n, sizeof(same));
	same.ours.base_ctx = NULL;
	same.ours.copy = NULL;
	if (!n->is_lent)
		memset(same.buffer, 0, sizeof(same.buffer));
	return states_have(&same, sizeof(same), left);
}

static void play_all(const struct node *from, size_t depth)
{
	struct node n;

	for (enum call call = 0; call < N_CALLS; call++) {
		copy_node(&n, from);
		path[depth] = call;
		compare(&n, call, depth);
		if (depth + 1 < LENGTH && !was_played(&n, LENGTH - depth - 1))
			play_all(&n, depth + 1);
	}
}

static void check_family(enum kc_family family)
{
	double strings = 1;
	struct node n;

	states_begin();
	start_node(&n, family);
	play_all(&n, 0);
	for (int i = 0; i < LENGTH; i++)
		strings *= N_CALLS;
	print_message("  %s: %.0f strings of %d calls, through %zu states\n",
		      kc_alg_name(fake_bases[family].alg), strings, LENGTH, n_states);
	states_end();
}

TEST(gcm_tells_and_answers_what_a_plain_base_would)
{
	check_family(KC_GCM);
}

TEST(gcm_is_not_told_the_last_text_before_a_length_that_it_has)
{
	static const enum call calls[] = { BOTH_ENC, TEXT, FINAL, NONCE_LEN_12 };
	struct node from, n;
	struct fake told;

	start_node(&from, KC_GCM);
	copy_node(&n, &from);
	for (size_t i = 0; i < 4; i++) {
		told = n.base;
		assert_true(play_ours(&n, calls[i], 1, &(struct answer){ 0 }));
	}
	assert_memory_equal(&n.base, &told, sizeof(told));
	kc_aead_drop_copy(&n.ours);
}

TEST(ccm_tells_and_answers_what_a_plain_base_would)
{
	check_family(KC_CCM);
}

TEST(chacha20_poly1305_tells_and_answers_what_a_plain_base_would)
{
	check_family(KC_CHACHA20_POLY1305);
}

TEST(newer_chacha20_poly1305_tells_and_answers_what_a_plain_base_would)
{
	fake_is_newer = true;
	check_family(KC_CHACHA20_POLY1305);
	fake_is_newer = false;
}

static void prepare(void)
{
	candidate.terms.floor = ENTRY;
	atomic_store(&candidate.terms.threshold[KC_DECRYPT], ENTRY);
	atomic_store(&candidate.terms.threshold[KC_ENCRYPT], ENTRY);
}

const struct suite suite = { .arguments = 2, .set_up = prepare, .by_kind = true };
