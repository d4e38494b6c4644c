/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of AEADs: messages and TLS 1.2 records in every form that EVP allows, valid
 * and invalid, with all other calls in between.
 */
#include <string.h>

#include "diff/kinds.h"

#define MAX_AAD	   300
#define MAX_RECORD 20000
#define LONGEST	   66000 /* longer than a request may be */

static bool has_mode(const struct play *p, int mode)
{
	return EVP_CIPHER_get_mode(p->cipher[1]) == mode;
}

static bool init(struct play *p, struct twins *t, bool with_key, bool with_iv, int enc)
{
	const unsigned char *const iv[2] = { t->iv, t->iv };

	if (with_key)
		random_bytes(&p->random, t->key, sizeof(t->key));
	if (with_iv)
		random_bytes(&p->random, t->iv, sizeof(t->iv));
	return call_init(p, t, with_key ? t->key : NULL, with_iv ? iv : NULL, enc);
}

static int do_ctrl(struct twins *t, int side, struct call *call)
{
	int len = (int)call->len;

	if (call->data)
		memcpy(call->got[side].out, call->data, len < 0 ? 12 : (size_t)len);
	return EVP_CIPHER_CTX_ctrl(t->cipher[side], call->number, len,
				   call->data ? call->got[side].out : NULL);
}

bool call_ctrl(struct play *p, struct twins *t, int what, int len, const void *data)
{
	struct call call = { .number = what, .len = (size_t)len, .data = data };
	const char *name = what == EVP_CTRL_AEAD_SET_TAG   ? "tag" :
			   what == EVP_CTRL_AEAD_GET_TAG   ? "tag?" :
			   what == EVP_CTRL_AEAD_SET_IVLEN ? "IV length" :
			   what == EVP_CTRL_AEAD_TLS1_AAD  ? "record" :
							     "fixed or generated";

	if (!both(p, t, name, do_ctrl, &call))
		return false;
	if (p->ok && what == EVP_CTRL_AEAD_SET_IVLEN)
		t->iv_len = len;
	if (p->ok && what == EVP_CTRL_AEAD_SET_TAG)
		t->tag_len = len;
	t->sealed &= what == EVP_CTRL_AEAD_GET_TAG;
	t->tls |= p->ok && what == EVP_CTRL_AEAD_TLS1_AAD;
	return true;
}

static bool ask_tag(struct play *p, struct twins *t, int len)
{
	static const unsigned char none[32];

	/*
	 * Out of turn, CCM's tag is what some earlier calculation left: only the call's success is
	 * compared.
	 */
	if (has_mode(p, EVP_CIPH_CCM_MODE) && !t->sealed)
		return tags_are_as_good(p, t, len);
	return one_in(p, 3) ? tags_ask_param(p, t, (size_t)len) :
			      call_ctrl(p, t, EVP_CTRL_AEAD_GET_TAG, len, none);
}

/* From OpenSSL 4.0 on, an encryption that is asked for its IV generates one. */
static bool ask(struct play *p, struct twins *t)
{
	return call_ask(p, t, t->has_iv);
}

static bool pointer(struct play *p, struct twins *t)
{
	return !t->has_iv || call_pointer(p, t);
}

static int do_aad(struct twins *t, int side, struct call *call)
{
	int n = 0, ok = EVP_CipherUpdate(t->cipher[side], NULL, &n, call->data, (int)call->len);

	call->got[side].len = (size_t)n;
	return ok;
}

bool call_aad(struct play *p, struct twins *t, const unsigned char *aad, size_t len)
{
	t->sealed = false;
	return both(p, t, aad ? "AAD" : "declare", do_aad,
		    &(struct call){ .data = aad, .len = len });
}

/* Sets the lengths. CCM takes them together with a key only. */
static bool set_lengths(struct play *p, struct twins *t)
{
	static const int tag_len[] = { 16, 16, 16, 8, 12, 4, 3 };
	int iv_len = one_in(p, 3) ? 7 + (int)below(p, 10) : 12;

	return (one_in(p, 4) || call_ctrl(p, t, EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL)) &&
	       (!has_mode(p, EVP_CIPH_CCM_MODE) ||
		call_ctrl(p, t, EVP_CTRL_AEAD_SET_TAG, tag_len[below(p, 7)], NULL));
}

/* Sets key and IV, together or apart, in any order. Mostly sets everything that a message needs. */
static bool start(struct play *p, struct twins *t, int enc)
{
	bool with_key = !t->keyed || one_in(p, 3);

	if (with_key && one_in(p, 2) && !(init(p, t, false, false, enc) && set_lengths(p, t)))
		return false;
	if (with_key && one_in(p, 3))
		return one_in(p, 2) ? init(p, t, true, false, enc) && init(p, t, false, true, enc) :
				      init(p, t, false, true, enc) && init(p, t, true, false, enc);
	return init(p, t, with_key, !(t->has_iv && one_in(p, 12)), enc);
}

struct message {
	unsigned char aad[MAX_AAD], tag[16];
	size_t aad_len, len, at;
	int tag_len;
};

static bool feed_aad(struct play *p, struct twins *t, const struct message *m)
{
	size_t done = 0;

	while (done < m->aad_len) {
		size_t n = m->aad_len - done;

		if (n > 1 && one_in(p, 4))
			n = 1 + below(p, n - 1);
		if (!call_aad(p, t, m->aad + done, n))
			return false;
		done += n;
	}
	return !one_in(p, 30) || call_aad(p, t, m->aad, 0);
}

/*
 * Passes the text in one piece or a few; in place, apart, or overlapping, which only the base
 * defines.
 */
static bool feed_text(struct play *p, struct twins *t, const struct message *m)
{
	size_t pieces = one_in(p, 4) ? 2 + below(p, 2) : 1, done = 0;
	size_t place = below(p, 16);

	while (pieces--) {
		size_t left = m->len - done, n = pieces && left ? below(p, left + 1) : left;
		size_t at = m->at + done, to = at;

		if (place == 0)
			to = at - 16 + below(p, 32);
		if (done && one_in(p, 8) && !call_padding(p, t, 0))
			return false;
		if (!call_text(p, t, place > 7, at, to, n, one_in(p, 20)))
			return false;
		done += n;
	}
	return true;
}

static bool set_tag(struct play *p, struct twins *t, const struct message *m)
{
	unsigned char tag[16];
	int len = one_in(p, 20) ? 1 + (int)below(p, 16) : m->tag_len;

	memcpy(tag, m->tag, sizeof(tag));
	if (one_in(p, 6))
		tag[below(p, (size_t)len)] ^= (unsigned char)(1 << below(p, 8));
	if (one_in(p, 20) && m->tag_len == 16 && !has_mode(p, EVP_CIPH_CCM_MODE))
		return tags_set_two(p, t, m->tag);
	return call_ctrl(p, t, EVP_CTRL_AEAD_SET_TAG, len, tag);
}

static void make_message(struct play *p, const struct twins *t, struct message *m)
{
	m->len = some_length(p, LONGEST);
	m->aad_len = one_in(p, 20) ? below(p, MAX_AAD) : one_in(p, 4) ? 0 : below(p, 40);
	m->at = some_place(p, 16);
	memset(m->tag, 0, sizeof(m->tag)); /* more bytes may be set than the encryption makes */
	m->tag_len = has_mode(p, EVP_CIPH_CCM_MODE) ? t->tag_len : one_in(p, 10) ? 12 : 16;
	random_bytes(&p->random, m->aad, sizeof(m->aad));
	fill_input(p, m->at + m->len);
	if (!t->enc)
		aead_seal(p, t, m->aad, m->aad_len, m->at, m->len, m->tag, m->tag_len);
	if (!t->enc && m->len && one_in(p, 12)) {
		p->in[0][m->at + m->len / 2] ^= 1;
		p->in[1][m->at + m->len / 2] ^= 1;
	}
}

/* After a message: no call, the tag, or a call that must fail now. */
static bool step_after(struct play *p, struct twins *t, const struct message *m)
{
	static const int lengths[] = { 16, 12, 8, 4, 1, 17 };

	if (t->enc && !one_in(p, 8) && !ask_tag(p, t, m->tag_len))
		return false;
	if (one_in(p, 8) && !ask_tag(p, t, lengths[below(p, 6)]))
		return false;
	if (one_in(p, 10) && !call_final(p, t))
		return false;
	if (one_in(p, 10) && !call_padding(p, t, 0))
		return false;
	if (one_in(p, 10) && !call_text(p, t, true, m->at, m->at, below(p, 200), false))
		return false;
	return !one_in(p, 3) || ask(p, t);
}

static bool step_message(struct play *p, struct twins *t)
{
	int enc = one_in(p, 3) ? !t->enc : t->enc;
	size_t when = below(p, 8); /* of the tag: early, after the init, late, never */
	struct message m;

	if (!start(p, t, enc))
		return false;
	make_message(p, t, &m);
	if (one_in(p, 8) && !pointer(p, t))
		return false;
	if (!enc && when < 5 && !set_tag(p, t, &m))
		return false;
	if (has_mode(p, EVP_CIPH_CCM_MODE) && !one_in(p, 8) &&
	    !call_aad(p, t, NULL, one_in(p, 20) ? m.len + 1 : m.len))
		return false;
	if (!feed_aad(p, t, &m))
		return false;
	if (one_in(p, 15) && !pointer(p, t))
		return false;
	if (!enc && when == 5 && !set_tag(p, t, &m))
		return false;
	if (!feed_text(p, t, &m))
		return false;
	if (!enc && when == 6 && !set_tag(p, t, &m))
		return false;
	if (one_in(p, 12))
		return true;
	if (one_in(p, 20) && !pointer(p, t))
		return false;
	if (one_in(p, 12) && !ask(p, t))
		return false;
	if (one_in(p, 12) && !ask_tag(p, t, 16))
		return false;
	return call_final(p, t) && step_after(p, t, &m);
}

/*
 * Decrypts what the context has just encrypted, at first without a tag, then with the right one.
 * Without a tag, OpenSSL compares the last tag that was made, or none; this depends on its version.
 */
static bool step_reopen(struct play *p, struct twins *t)
{
	bool is_ccm = has_mode(p, EVP_CIPH_CCM_MODE);
	const unsigned char *const iv[2] = { t->iv, t->iv };
	struct message m;

	if (!start(p, t, 1))
		return false;
	make_message(p, t, &m);
	for (int enc = 1; enc >= 0; enc--) {
		if (!enc && !call_init(p, t, t->key, iv, 0))
			return false;
		if (is_ccm && !call_aad(p, t, NULL, m.len))
			return false;
		if (!feed_aad(p, t, &m) || !call_text(p, t, false, m.at, m.at, m.len, false))
			return false;
		if (enc && one_in(p, 8))
			continue;
		if (!call_final(p, t) || (enc && one_in(p, 2) && !ask_tag(p, t, 16)))
			return false;
	}
	aead_seal(p, t, m.aad, m.aad_len, m.at, m.len, m.tag, m.tag_len);
	return set_tag(p, t, &m) && call_final(p, t);
}

/*
 * Sets a key, and the part of the nonce that all records share. GCM gets a whole nonce, since it
 * would generate the rest.
 */
static bool start_records(struct play *p, struct twins *t, int enc)
{
	bool is_ccm = has_mode(p, EVP_CIPH_CCM_MODE), is_gcm = has_mode(p, EVP_CIPH_GCM_MODE);

	if (!init(p, t, false, false, enc))
		return false;
	if (!call_ctrl(p, t, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) ||
	    (is_ccm && !call_ctrl(p, t, EVP_CTRL_AEAD_SET_TAG, one_in(p, 3) ? 8 : 16, NULL)))
		return false;
	if (!is_gcm && !is_ccm)
		return init(p, t, true, true, enc) &&
		       (!one_in(p, 4) || call_ctrl(p, t, EVP_CTRL_AEAD_SET_IV_FIXED, 12, t->iv));
	random_bytes(&p->random, t->iv, 12);
	t->has_iv = true;
	if (!init(p, t, true, false, enc))
		return false;
	return call_ctrl(p, t, EVP_CTRL_AEAD_SET_IV_FIXED,
			 is_ccm || (!enc && one_in(p, 2)) ? 4 : -1, t->iv);
}

struct record {
	unsigned char aad[13];
	size_t text, carried, tag, all;
};

static void set_length(struct record *r, bool enc)
{
	size_t said = r->text + r->carried + (enc ? 0 : r->tag);

	r->aad[11] = (unsigned char)(said >> 8);
	r->aad[12] = (unsigned char)said;
}

/* Seals a record as a peer with the same key and nonce does. */
static void seal_record(struct play *p, const struct twins *t, struct record *r)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool is_ccm = has_mode(p, EVP_CIPH_CCM_MODE), is_gcm = has_mode(p, EVP_CIPH_GCM_MODE);
	unsigned char iv[12], *at = p->in[1] + MARGIN;
	int n = 0;

	memcpy(iv, t->iv, sizeof(iv));
	EVP_EncryptInit_ex(c, p->cipher[1], NULL, NULL, NULL);
	if (is_ccm) {
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)r->tag, NULL);
	}
	if (is_gcm)
		random_bytes(&p->random, iv + 4, 8);
	EVP_EncryptInit_ex(c, NULL, NULL, t->key, is_gcm || is_ccm ? NULL : iv);
	if (is_gcm || is_ccm)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, is_ccm ? 4 : -1, iv);
	set_length(r, true);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, r->aad);
	EVP_EncryptUpdate(c, at, &n, at, (int)r->all);
	EVP_CIPHER_CTX_free(c);
	memcpy(p->in[0] + MARGIN, at, r->all);
	set_length(r, false);
}

static void spoil_record(struct play *p, struct record *r)
{
	size_t where = MARGIN + below(p, r->all);

	if (one_in(p, 5)) {
		p->in[0][where] ^= 4;
		p->in[1][where] ^= 4;
	}
	if (one_in(p, 20))
		r->aad[12] ^= 1;
	if (one_in(p, 20))
		r->all = one_in(p, 2) ? below(p, 30) : r->all + 1 - 2 * below(p, 2);
}

static bool one_record(struct play *p, struct twins *t)
{
	bool apart = one_in(p, 25), is_ccm = has_mode(p, EVP_CIPH_CCM_MODE);
	struct record r = { .tag = is_ccm ? (size_t)t->tag_len : 16 };

	/* With a nonce of less than 8 bytes, the default provider's GCM writes out of bounds. */
	if (t->iv_len < 8)
		return true;
	do {
		r.text = some_length(p, LONGEST);
	} while (r.text > MAX_RECORD);
	r.carried = is_ccm || has_mode(p, EVP_CIPH_GCM_MODE) ? 8 : 0;
	r.all = r.text + r.carried + r.tag;
	random_bytes(&p->random, r.aad, sizeof(r.aad));
	fill_input(p, r.all);
	set_length(&r, t->enc);
	if (!t->enc)
		seal_record(p, t, &r);
	spoil_record(p, &r);
	return (!one_in(p, 30) || pointer(p, t)) &&
	       call_ctrl(p, t, EVP_CTRL_AEAD_TLS1_AAD, one_in(p, 50) ? 12 : 13, r.aad) &&
	       (!one_in(p, 10) || ask(p, t)) &&
	       call_text(p, t, apart, MARGIN, MARGIN, r.all, one_in(p, 8));
}

static bool step_records(struct play *p, struct twins *t)
{
	size_t n = 1 + below(p, 3);

	if ((!t->tls || one_in(p, 3)) && !start_records(p, t, (int)below(p, 2)))
		return false;
	while (n--)
		if (!one_record(p, t))
			return false;
	return !one_in(p, 4) || ask(p, t);
}

/*
 * GCM's generated IVs: an encryption asks for the next value of the counter, a decryption sets the
 * value.
 */
static bool step_generated(struct play *p, struct twins *t)
{
	struct message m = { .len = some_length(p, LONGEST), .at = MARGIN, .tag_len = 16 };

	if (!start_records(p, t, (int)below(p, 2)))
		return false;
	fill_input(p, m.len);
	for (size_t n = 1 + below(p, 3); n--;) {
		if (one_in(p, 3) && !init(p, t, false, true, t->enc))
			return false;
		for (size_t i = below(p, 3); i--;)
			if (!call_ctrl(p, t, t->enc ? EVP_CTRL_GCM_IV_GEN : EVP_CTRL_GCM_SET_IV_INV,
				       8, m.aad))
				return false;
		if (!t->enc && !set_tag(p, t, &m))
			return false;
		if (!feed_text(p, t, &m) || !call_final(p, t) || !step_after(p, t, &m))
			return false;
	}
	return true;
}

/* A call that is possible at any time. */
static bool step_other(struct play *p, struct twins *t)
{
	unsigned char bytes[32];

	random_bytes(&p->random, bytes, sizeof(bytes));
	fill_input(p, 5000);
	switch (below(p, 14)) {
	case 13:
		return odd_record_part(p, t, bytes);
	case 12:
		return odd_declared(p, t, bytes);
	case 11:
		return !t->has_iv || one_in(p, 2) ? ask_tag(p, t, t->tag_len) :
						    call_final(p, t) && ask_tag(p, t, 16);
	case 10:
		return tags_set_several(p, t, bytes);
	case 0:
		return call_copy(p, &p->twins[below(p, CONTEXTS)], t);
	case 1:
		return ask(p, t);
	case 2:
		return ask_tag(p, t, 16);
	case 3:
		return !t->has_iv || call_final(p, t);
	case 4:
		return !t->has_iv || call_text(p, t, true, 64, 64, below(p, 5000), one_in(p, 3));
	case 5:
		return !t->has_iv || call_aad(p, t, bytes, below(p, 16));
	case 6:
		return call_ctrl(p, t, EVP_CTRL_AEAD_SET_TAG, (int)below(p, 18), bytes);
	case 7:
		return call_ctrl(p, t, EVP_CTRL_AEAD_SET_IVLEN, 7 + (int)below(p, 7), NULL);
	case 8:
		return pointer(p, t);
	default:
		return init(p, t, one_in(p, 3), one_in(p, 3), one_in(p, 3) ? !t->enc : t->enc);
	}
}

static bool one_step(struct play *p, struct twins *t)
{
	size_t what = below(p, 20);

	if (one_in(p, 40))
		return call_renew(p, t);
	if (what < 10)
		return one_in(p, 10) ? step_reopen(p, t) : step_message(p, t);
	if (what == 10 && has_mode(p, EVP_CIPH_GCM_MODE))
		return step_generated(p, t);
	return what < 13 ? step_records(p, t) : step_other(p, t);
}

const struct kind aead_kind = { 1, 8, call_new, one_step, ask, call_free };
