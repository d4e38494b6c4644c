/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of an AEAD: several messages in one context, in pieces, with right and wrong tags, and
 * calls after their end.
 */
#include "keys/keys_diff.h"

#include <string.h>

#define TEXT 65000 /* bytes: the longest message */
#define AAD  256

struct message {
	size_t aad_len, len;
	unsigned char aad[AAD], tag[16];
	int tag_len;
};

/* A message to decrypt: the default provider makes it, and some are corrupted at random. */
static void make_ciphertext(struct play *p, const struct twins *t, struct message *m)
{
	size_t at;

	aead_seal(p, t, m->aad, m->aad_len, MARGIN, m->len, m->tag, m->tag_len);
	switch (below(p, 8)) {
	case 0:
		m->tag[below(p, (size_t)m->tag_len)] ^= 1;
		break;
	case 1:
		at = MARGIN + below(p, m->len + 1);
		p->in[0][at] ^= 0x80;
		p->in[1][at] ^= 0x80;
		break;
	case 2:
		m->aad[0] ^= 2;
		break;
	}
}

static void make_message(struct play *p, const struct twins *t, bool enc, struct message *m)
{
	static const int tags[] = { 16, 16, 16, 16, 12, 13, 14, 15, 8, 4 };

	m->aad_len = one_in(p, 2) ? below(p, AAD + 1) : below(p, 2) * 13;
	m->len = some_length(p, TEXT);
	m->tag_len = tags[below(p, 10)];
	random_bytes(&p->random, m->aad, sizeof(m->aad));
	fill_input(p, m->len);
	if (!enc)
		make_ciphertext(p, t, m);
}

/* Sets key and IV in one call or two, in either order, or the IV alone. */
static bool init(struct play *p, struct twins *t, const struct round_key *key, int enc)
{
	switch (key ? below(p, 3) : 0) {
	case 0:
		return keyed_init(p, t, key, t->iv, enc);
	case 1:
		return keyed_init(p, t, NULL, t->iv, enc) && keyed_init(p, t, key, NULL, enc);
	default:
		return keyed_init(p, t, key, NULL, enc) && keyed_init(p, t, NULL, t->iv, enc);
	}
}

/* The text mostly comes in one piece. */
static size_t some_piece(struct play *p, size_t left)
{
	return below(p, 3) ? left : 1 + below(p, left);
}

static bool feed_aad(struct play *p, struct twins *t, const struct message *m)
{
	for (size_t done = 0, n; done < m->aad_len; done += n) {
		n = some_piece(p, m->aad_len - done);
		if (!call_aad(p, t, m->aad + done, n))
			return false;
	}
	return true;
}

/* In place or not, as an update or by EVP_Cipher(). */
static bool feed_piece(struct play *p, struct twins *t, size_t at, size_t n)
{
	return call_text(p, t, below(p, 3), MARGIN + at, MARGIN + at, n, one_in(p, 6));
}

static bool maybe_copy(struct play *p, struct twins *t)
{
	return !one_in(p, 8) || keyed_copy(p, t, NULL);
}

static bool feed_text(struct play *p, struct twins *t, const struct message *m)
{
	for (size_t done = 0, n; done < m->len; done += n) {
		n = some_piece(p, m->len - done);
		if (!feed_piece(p, t, done, n) || !maybe_copy(p, t))
			return false;
	}
	return true;
}

static bool set_tag(struct play *p, struct twins *t, const struct message *m)
{
	return call_ctrl(p, t, EVP_CTRL_AEAD_SET_TAG, m->tag_len, m->tag);
}

static bool same_answers(struct play *p, struct twins *t)
{
	static const unsigned char none[16];

	return call_ctrl(p, t, EVP_CTRL_AEAD_GET_TAG, 1 + (int)below(p, 16), none) &&
	       call_ask(p, t, true);
}

/* A tag is set early or late. At first a context has none; later messages keep the last one. */
static bool step(struct play *p, struct twins *t)
{
	const struct round_key *key = !t->keyed || below(p, 4) ? some_key(p) : NULL;
	bool enc = below(p, 2), early = below(p, 2), is_right;
	struct message m;

	random_bytes(&p->random, t->iv, sizeof(t->iv));
	if (key)
		memcpy(t->key, key->bytes, sizeof(key->bytes));
	make_message(p, t, enc, &m);
	if (!init(p, t, key, enc) || (!enc && early && !set_tag(p, t, &m)) || !feed_aad(p, t, &m) ||
	    !maybe_copy(p, t) || !feed_text(p, t, &m) || (!enc && !early && !set_tag(p, t, &m)) ||
	    !call_final(p, t))
		return false;
	is_right = p->ok;
	/* The end of a message uses up its IV. */
	return same_answers(p, t) &&
	       (!is_right || below(p, 4) || feed_piece(p, t, 0, 1 + below(p, 20)));
}

const struct kind keyed_aead_kind = { 0, 4, call_new, step, step, call_free };
