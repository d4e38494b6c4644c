/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of AEADs: messages and TLS 1.2 records in every form that EVP allows, right
 * ones and wrong ones, with all other calls in between.
 */
#include "aead.h"

#include <stdio.h>
#include <string.h>

#include "aead_calls.h"

#define MAX_AAD	   300
#define FLAGS	   5
#define MAX_RECORD 20000

static size_t below(struct aead *d, size_t n)
{
	return random_below(&d->random, n);
}

static bool one_in(struct aead *d, size_t n)
{
	return below(d, n) == 0;
}

static size_t random_length(struct aead *d)
{
	static const size_t limit[] = { 2, 17, 64, 300, 2000, 5000, 20000, 66000 };
	size_t n = below(d, limit[below(d, sizeof(limit) / sizeof(limit[0]))]);

	return one_in(d, 3) ? n / 16 * 16 : n;
}

/* The lengths, which CCM takes together with a key only. */
static bool set_lengths(struct aead *d, struct aead_pair *p)
{
	static const int tag_len[] = { 16, 16, 16, 8, 12, 4, 3 };
	int iv_len = one_in(d, 3) ? 7 + (int)below(d, 10) : 12;

	return (one_in(d, 4) || call_ctrl(d, p, EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL)) &&
	       (!aead_is(d, EVP_CIPH_CCM_MODE) ||
		call_ctrl(d, p, EVP_CTRL_AEAD_SET_TAG, tag_len[below(d, 7)], NULL));
}

/* Sets key and IV, together or apart, in any order; mostly everything that a message needs. */
static bool start(struct aead *d, struct aead_pair *p, int enc)
{
	bool with_key = !p->keyed || one_in(d, 3);

	d->step = "start";
	if (with_key && one_in(d, 2) && !(call_init(d, p, false, false, enc) && set_lengths(d, p)))
		return false;
	if (with_key && one_in(d, 3))
		return one_in(d, 2) ? call_init(d, p, true, false, enc) &&
					      call_init(d, p, false, true, enc) :
				      call_init(d, p, false, true, enc) &&
					      call_init(d, p, true, false, enc);
	return call_init(d, p, with_key, !(p->has_iv && one_in(d, 12)), enc);
}

struct message {
	unsigned char aad[MAX_AAD], tag[16];
	size_t aad_len, len, at;
	int tag_len;
};

static bool feed_aad(struct aead *d, struct aead_pair *p, const struct message *m)
{
	size_t done = 0;

	d->step = "AAD";
	while (done < m->aad_len) {
		size_t n = m->aad_len - done;

		if (n > 1 && one_in(d, 4))
			n = 1 + below(d, n - 1);
		if (!call_aad(d, p, m->aad + done, n))
			return false;
		done += n;
	}
	return !one_in(d, 30) || call_aad(d, p, m->aad, 0);
}

/*
 * In one piece or a few; in place, apart, or overlapping, which is well defined for the base alone.
 */
static bool feed_text(struct aead *d, struct aead_pair *p, const struct message *m)
{
	size_t pieces = one_in(d, 4) ? 2 + below(d, 2) : 1, done = 0;
	size_t place = below(d, 16);

	d->step = "text";
	while (pieces--) {
		size_t left = m->len - done, n = pieces && left ? below(d, left + 1) : left;
		size_t at = m->at + done, to = at;

		if (place == 0)
			to = at - 16 + below(d, 32);
		if (done && one_in(d, 8) && !call_padding(d, p))
			return false;
		if (!call_text(d, p, place > 7, at, to, n, one_in(d, 20)))
			return false;
		done += n;
	}
	return true;
}

static bool set_tag(struct aead *d, struct aead_pair *p, const struct message *m)
{
	unsigned char tag[16];
	int len = one_in(d, 20) ? 1 + (int)below(d, 16) : m->tag_len;

	d->step = "tag";
	memcpy(tag, m->tag, sizeof(tag));
	if (one_in(d, 6))
		tag[below(d, (size_t)len)] ^= (unsigned char)(1 << below(d, 8));
	return call_ctrl(d, p, EVP_CTRL_AEAD_SET_TAG, len, tag);
}

static void make_message(struct aead *d, const struct aead_pair *p, struct message *m)
{
	m->len = random_length(d);
	m->aad_len = one_in(d, 20) ? below(d, MAX_AAD) : one_in(d, 4) ? 0 : below(d, 40);
	m->at = AEAD_MARGIN + below(d, 16);
	m->tag_len = aead_is(d, EVP_CIPH_CCM_MODE) ? p->tag_len : one_in(d, 10) ? 12 : 16;
	random_bytes(&d->random, m->aad, sizeof(m->aad));
	fill_input(d, m->len);
	if (!p->enc)
		seal(d, p, m->aad, m->aad_len, m->at, m->len, m->tag, m->tag_len);
	if (!p->enc && m->len && one_in(d, 12)) {
		d->in[0][m->at + m->len / 2] ^= 1;
		d->in[1][m->at + m->len / 2] ^= 1;
	}
}

/* After a message: nothing, the tag, or a call that must not be possible any more. */
static bool step_after(struct aead *d, struct aead_pair *p, const struct message *m)
{
	static const int lengths[] = { 16, 12, 8, 4, 1, 17 };

	d->step = "after";
	if (p->enc && !one_in(d, 8) && !call_get_tag(d, p, m->tag_len))
		return false;
	if (one_in(d, 8) && !call_get_tag(d, p, lengths[below(d, 6)]))
		return false;
	if (one_in(d, 10) && !call_final(d, p))
		return false;
	if (one_in(d, 10) && !call_padding(d, p))
		return false;
	if (one_in(d, 10) && !call_text(d, p, true, m->at, m->at, below(d, 200), false))
		return false;
	return !one_in(d, 3) || call_get_params(d, p);
}

static bool step_message(struct aead *d, struct aead_pair *p)
{
	int enc = one_in(d, 3) ? !p->enc : p->enc;
	size_t when = below(d, 8); /* the tag: early, after the init, late, never */
	struct message m;

	if (!start(d, p, enc))
		return false;
	make_message(d, p, &m);
	if (one_in(d, 8) && !call_pointer(d, p))
		return false;
	if (!enc && when < 5 && !set_tag(d, p, &m))
		return false;
	if (aead_is(d, EVP_CIPH_CCM_MODE) && !one_in(d, 8) &&
	    !call_aad(d, p, NULL, one_in(d, 20) ? m.len + 1 : m.len))
		return false;
	if (!feed_aad(d, p, &m))
		return false;
	if (one_in(d, 15) && !call_pointer(d, p))
		return false;
	if (!enc && when == 5 && !set_tag(d, p, &m))
		return false;
	if (!feed_text(d, p, &m))
		return false;
	if (!enc && when == 6 && !set_tag(d, p, &m))
		return false;
	if (one_in(d, 12))
		return true;
	if (one_in(d, 20) && !call_pointer(d, p))
		return false;
	if (one_in(d, 12) && !call_get_params(d, p))
		return false;
	return call_final(d, p) && step_after(d, p, &m);
}

/* A key, and the part of the nonce that all records share. GCM's whole one, or it is made up. */
static bool start_records(struct aead *d, struct aead_pair *p, int enc)
{
	bool is_ccm = aead_is(d, EVP_CIPH_CCM_MODE), is_gcm = aead_is(d, EVP_CIPH_GCM_MODE);

	d->step = "start records";
	if (!call_init(d, p, false, false, enc))
		return false;
	if (!call_ctrl(d, p, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) ||
	    (is_ccm && !call_ctrl(d, p, EVP_CTRL_AEAD_SET_TAG, one_in(d, 3) ? 8 : 16, NULL)))
		return false;
	if (!is_gcm && !is_ccm)
		return call_init(d, p, true, true, enc) &&
		       (!one_in(d, 4) || call_ctrl(d, p, EVP_CTRL_AEAD_SET_IV_FIXED, 12, p->iv));
	random_bytes(&d->random, p->iv, 12);
	p->has_iv = true;
	if (!call_init(d, p, true, false, enc))
		return false;
	return call_ctrl(d, p, EVP_CTRL_AEAD_SET_IV_FIXED,
			 is_ccm || (!enc && one_in(d, 2)) ? 4 : -1, p->iv);
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

/* Like a peer with the same key and the same nonce. */
static void seal_record(struct aead *d, const struct aead_pair *p, struct record *r)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool is_ccm = aead_is(d, EVP_CIPH_CCM_MODE), is_gcm = aead_is(d, EVP_CIPH_GCM_MODE);
	unsigned char iv[12], *at = d->in[1] + AEAD_MARGIN;
	int n = 0;

	memcpy(iv, p->iv, sizeof(iv));
	EVP_EncryptInit_ex(c, d->cipher[1], NULL, NULL, NULL);
	if (is_ccm) {
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)r->tag, NULL);
	}
	if (is_gcm)
		random_bytes(&d->random, iv + 4, 8);
	EVP_EncryptInit_ex(c, NULL, NULL, p->key, is_gcm || is_ccm ? NULL : iv);
	if (is_gcm || is_ccm)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, is_ccm ? 4 : -1, iv);
	set_length(r, true);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, r->aad);
	EVP_EncryptUpdate(c, at, &n, at, (int)r->all);
	EVP_CIPHER_CTX_free(c);
	memcpy(d->in[0] + AEAD_MARGIN, at, r->all);
	set_length(r, false);
}

static void spoil_record(struct aead *d, struct record *r)
{
	size_t where = AEAD_MARGIN + below(d, r->all);

	if (one_in(d, 5)) {
		d->in[0][where] ^= 4;
		d->in[1][where] ^= 4;
	}
	if (one_in(d, 20))
		r->aad[12] ^= 1;
	if (one_in(d, 20))
		r->all = one_in(d, 2) ? below(d, 30) : r->all + 1 - 2 * below(d, 2);
}

static bool one_record(struct aead *d, struct aead_pair *p)
{
	bool apart = one_in(d, 25), is_ccm = aead_is(d, EVP_CIPH_CCM_MODE);
	struct record r = { .tag = is_ccm ? (size_t)p->tag_len : 16 };

	/* With one of less than 8, GCM of the default provider writes to where it should not. */
	if (p->iv_len < 8)
		return true;
	d->step = "record";
	do {
		r.text = random_length(d);
	} while (r.text > MAX_RECORD);
	r.carried = is_ccm || aead_is(d, EVP_CIPH_GCM_MODE) ? 8 : 0;
	r.all = r.text + r.carried + r.tag;
	random_bytes(&d->random, r.aad, sizeof(r.aad));
	fill_input(d, r.all);
	set_length(&r, p->enc);
	if (!p->enc)
		seal_record(d, p, &r);
	spoil_record(d, &r);
	return (!one_in(d, 30) || call_pointer(d, p)) &&
	       call_ctrl(d, p, EVP_CTRL_AEAD_TLS1_AAD, one_in(d, 50) ? 12 : 13, r.aad) &&
	       (!one_in(d, 10) || call_get_params(d, p)) &&
	       call_text(d, p, apart, AEAD_MARGIN, AEAD_MARGIN, r.all, one_in(d, 8));
}

static bool step_records(struct aead *d, struct aead_pair *p)
{
	size_t n = 1 + below(d, 3);

	if ((!p->tls || one_in(d, 3)) && !start_records(d, p, (int)below(d, 2)))
		return false;
	while (n--)
		if (!one_record(d, p))
			return false;
	return !one_in(d, 4) || call_get_params(d, p);
}

/*
 * GCM's own IVs: a counter that is asked for the next one; when decrypting, it is told the value.
 */
static bool step_generated(struct aead *d, struct aead_pair *p)
{
	struct message m = { .len = random_length(d), .at = AEAD_MARGIN, .tag_len = 16 };

	d->step = "generated";
	if (!start_records(d, p, (int)below(d, 2)))
		return false;
	fill_input(d, m.len);
	for (size_t n = 1 + below(d, 3); n--;) {
		if (one_in(d, 3) && !call_init(d, p, false, true, p->enc))
			return false;
		for (size_t i = below(d, 3); i--;)
			if (!call_ctrl(d, p, p->enc ? EVP_CTRL_GCM_IV_GEN : EVP_CTRL_GCM_SET_IV_INV,
				       8, m.aad))
				return false;
		if (!p->enc && !set_tag(d, p, &m))
			return false;
		if (!feed_text(d, p, &m) || !call_final(d, p) || !step_after(d, p, &m))
			return false;
	}
	return true;
}

/* Any call that is possible at any time. */
static bool step_other(struct aead *d, struct aead_pair *p)
{
	struct aead_pair *other = &d->pair[p == d->pair];
	unsigned char bytes[32];

	d->step = "other";
	random_bytes(&d->random, bytes, sizeof(bytes));
	fill_input(d, 5000);
	switch (below(d, 10)) {
	case 0:
		return call_copy(d, other, p);
	case 1:
		return call_get_params(d, p);
	case 2:
		return call_get_tag(d, p, 16);
	case 3:
		return !p->has_iv || call_final(d, p);
	case 4:
		return !p->has_iv || call_text(d, p, true, 64, 64, below(d, 5000), one_in(d, 3));
	case 5:
		return !p->has_iv || call_aad(d, p, bytes, below(d, 16));
	case 6:
		return call_ctrl(d, p, EVP_CTRL_AEAD_SET_TAG, (int)below(d, 18), bytes);
	case 7:
		return call_ctrl(d, p, EVP_CTRL_AEAD_SET_IVLEN, 7 + (int)below(d, 7), NULL);
	case 8:
		return call_pointer(d, p);
	default:
		return call_init(d, p, one_in(d, 3), one_in(d, 3), one_in(d, 3) ? !p->enc : p->enc);
	}
}

static bool start_contexts(struct aead *d)
{
	for (size_t i = 0; i < AEAD_CONTEXTS; i++) {
		struct aead_pair *p = &d->pair[i];

		p->enc = (int)below(d, 2);
		p->iv_len = EVP_CIPHER_get_iv_length(d->cipher[1]);
		p->tag_len = 12;
		for (int j = 0; j < 2; j++) {
			p->ctx[j] = EVP_CIPHER_CTX_new();
			if (!EVP_CipherInit_ex(p->ctx[j], d->cipher[j], NULL, NULL, NULL, p->enc))
				return aead_fail(d, "a context can't be made");
		}
	}
	return true;
}

static bool one_step(struct aead *d, struct aead_pair *p)
{
	size_t what = below(d, 20);

	if (what < 12)
		return step_message(d, p);
	if (what == 12 && aead_is(d, EVP_CIPH_GCM_MODE))
		return step_generated(d, p);
	return what < 16 ? step_records(d, p) : step_other(d, p);
}

bool aead_play(const struct diff_options *o, EVP_CIPHER *ours, EVP_CIPHER *theirs,
	       struct random source)
{
	struct aead d = { .random = source, .cipher = { ours, theirs }, .step = "start" };
	size_t steps;
	bool ok;

	for (size_t i = 0; i < 2; i++) {
		d.in[i] = o->room + i * AEAD_ROOM;
		d.out[i] = o->room + (2 + i) * AEAD_ROOM;
		memset(d.in[i], 0, AEAD_ROOM);
		memset(d.out[i], 0, AEAD_ROOM);
	}
	steps = 1 + below(&d, 7);
	ok = start_contexts(&d);
	while (ok && steps--)
		ok = one_step(&d, &d.pair[one_in(&d, 4)]);
	for (size_t i = 0; i < AEAD_CONTEXTS; i++)
		for (size_t j = 0; j < 2; j++)
			EVP_CIPHER_CTX_free(d.pair[i].ctx[j]);
	return ok;
}
