/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round of an AEAD: several messages in one context, in pieces, with right and wrong tags, and
 * what comes after their end.
 */
#include "keys/keys_diff.h"

#include <string.h>

#include <openssl/err.h>

#define TEXT 65000 /* bytes: a message may have as many */
#define AAD  256

/* One context in each world. */
struct pair {
	EVP_CIPHER_CTX *ours, *theirs;
	EVP_CIPHER *our_cipher, *their_cipher;
	size_t key;
	bool has_key;
};

struct message {
	int enc;
	size_t aad_len, text_len, tag_len;
	unsigned char iv[12], aad[AAD], tag[16];
	bool tag_is_early;
};

/* A message to decrypt: the default provider makes it, and chance spoils some. */
static bool make_ciphertext(const struct pair *p, struct message *m)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool ok;
	int n;

	ok = EVP_EncryptInit_ex2(c, p->their_cipher, play.bytes[p->key], m->iv, NULL) &&
	     EVP_EncryptUpdate(c, NULL, &n, m->aad, (int)m->aad_len) &&
	     EVP_EncryptUpdate(c, play.in, &n, play.in, (int)m->text_len) &&
	     EVP_EncryptFinal_ex(c, play.a, &n) &&
	     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, (int)m->tag_len, m->tag);
	EVP_CIPHER_CTX_free(c);
	switch (random_below(&play.rnd, 8)) {
	case 0:
		m->tag[random_below(&play.rnd, m->tag_len)] ^= 1;
		break;
	case 1:
		if (m->text_len)
			play.in[random_below(&play.rnd, m->text_len)] ^= 0x80;
		break;
	case 2:
		if (m->aad_len)
			m->aad[0] ^= 2;
		break;
	}
	return ok;
}

static bool make_message(const struct pair *p, struct message *m)
{
	static const size_t limits[] = { 1, 17, 64, 300, 300, 2000, 5000, 20000, TEXT };
	static const size_t tags[] = { 16, 16, 16, 16, 12, 13, 14, 15, 8, 4 };

	m->aad_len = random_below(&play.rnd, 2) ? random_below(&play.rnd, AAD + 1) :
						  random_below(&play.rnd, 2) * 13;
	m->text_len = random_below(&play.rnd, limits[random_below(&play.rnd, 9)]);
	m->tag_len = tags[random_below(&play.rnd, 10)];
	m->tag_is_early = random_below(&play.rnd, 2);
	random_bytes(&play.rnd, m->iv, sizeof(m->iv));
	random_bytes(&play.rnd, m->aad, m->aad_len);
	random_bytes(&play.rnd, play.in, m->text_len);
	return m->enc || make_ciphertext(p, m);
}

/* Key and IV in one call or two, in either order, or the IV alone. */
static bool init(struct pair *p, const struct message *m)
{
	size_t how = p->has_key ? random_below(&play.rnd, 4) : random_below(&play.rnd, 3);
	bool key[2] = { how != 1 && how != 3, how == 1 }, iv[2] = { how != 2, how == 2 };
	EVP_SKEY *skey = play.skeys[p->key];
	struct outcome x, y;

	play.step = "init";
	for (int i = 0; i < 2; i++) {
		if (!key[i] && !iv[i])
			continue;
		outcome_clear();
		x = outcome_of(EVP_CipherInit_SKEY(p->ours, NULL, key[i] ? skey : NULL,
						   iv[i] ? m->iv : NULL, iv[i] ? 12 : 0, m->enc,
						   NULL));
		if (x.ok <= 0)
			ERR_print_errors_fp(stderr);
		outcome_clear();
		y = outcome_of(EVP_CipherInit_ex2(p->theirs, NULL,
						  key[i] ? play.bytes[p->key] : NULL,
						  iv[i] ? m->iv : NULL, m->enc, NULL));
		if (!diff_same(x, y))
			return false;
	}
	p->has_key = true;
	return true;
}

static bool set_tag(const struct pair *p, struct message *m)
{
	struct outcome x, y;

	play.step = "set the tag";
	outcome_clear();
	x = outcome_of(
		EVP_CIPHER_CTX_ctrl(p->ours, EVP_CTRL_AEAD_SET_TAG, (int)m->tag_len, m->tag));
	outcome_clear();
	y = outcome_of(
		EVP_CIPHER_CTX_ctrl(p->theirs, EVP_CTRL_AEAD_SET_TAG, (int)m->tag_len, m->tag));
	return diff_same(x, y);
}

static bool feed_aad(const struct pair *p, const struct message *m)
{
	size_t done = 0, n;
	struct outcome x, y;
	int i, j;

	play.step = "AAD";
	while (done < m->aad_len) {
		n = random_below(&play.rnd, 3) ? m->aad_len - done :
						 1 + random_below(&play.rnd, m->aad_len - done);
		outcome_clear();
		x = outcome_of(EVP_CipherUpdate(p->ours, NULL, &i, m->aad + done, (int)n));
		outcome_clear();
		y = outcome_of(EVP_CipherUpdate(p->theirs, NULL, &j, m->aad + done, (int)n));
		if (!diff_same(x, y))
			return false;
		if (i != j)
			return diff_fail("lengths differ");
		done += n;
	}
	return true;
}

/* @n bytes at @at of the message; in place or not, as an update or by EVP_Cipher(). */
static bool feed_piece(const struct pair *p, size_t at, size_t n)
{
	bool in_place = random_below(&play.rnd, 3) == 0, by_cipher = !random_below(&play.rnd, 6);
	unsigned char *a = play.a + at, *b = play.b + at;
	const unsigned char *in = play.in + at, *from = in_place ? a : in;
	struct outcome x, y;
	int i = 0, j = 0;

	play.step = by_cipher ? "EVP_Cipher" : in_place ? "update in place" : "update";
	memcpy(a, in, n);
	memcpy(b, in, n);
	outcome_clear();
	x = outcome_of(by_cipher ? (i = EVP_Cipher(p->ours, a, from, (unsigned)n)) :
				   EVP_CipherUpdate(p->ours, a, &i, from, (int)n));
	outcome_clear();
	from = in_place ? b : in;
	y = outcome_of(by_cipher ? (j = EVP_Cipher(p->theirs, b, from, (unsigned)n)) :
				   EVP_CipherUpdate(p->theirs, b, &j, from, (int)n));
	if (!diff_same(x, y))
		return false;
	if (i != j)
		return diff_fail("lengths differ");
	if (x.ok > 0 && memcmp(a, b, n) != 0)
		return diff_fail("outputs differ");
	return true;
}

/* The copies go on, half of the time. */
static bool copy(struct pair *p)
{
	EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new(), *y = EVP_CIPHER_CTX_new();
	struct outcome ours, theirs;

	play.step = "copy";
	outcome_clear();
	ours = outcome_of(EVP_CIPHER_CTX_copy(x, p->ours));
	outcome_clear();
	theirs = outcome_of(EVP_CIPHER_CTX_copy(y, p->theirs));
	if (random_below(&play.rnd, 2)) {
		EVP_CIPHER_CTX_free(p->ours);
		EVP_CIPHER_CTX_free(p->theirs);
		p->ours = x;
		p->theirs = y;
	} else {
		EVP_CIPHER_CTX_free(x);
		EVP_CIPHER_CTX_free(y);
	}
	return diff_same(ours, theirs);
}

/* Most messages come in one piece. */
static bool feed_text(struct pair *p, const struct message *m)
{
	size_t done = 0, n;

	while (done < m->text_len) {
		n = random_below(&play.rnd, 3) ? m->text_len - done :
						 1 + random_below(&play.rnd, m->text_len - done);
		if (!feed_piece(p, done, n))
			return false;
		done += n;
		play.steps++;
		if (random_below(&play.rnd, 8) == 0 && !copy(p))
			return false;
	}
	return true;
}

static bool same_answers(const struct pair *p)
{
	unsigned char x[16] = { 0 }, y[16] = { 0 };
	size_t tag_len = 1 + random_below(&play.rnd, 16);
	struct outcome ours, theirs;

	play.step = "questions";
	outcome_clear();
	ours = outcome_of(EVP_CIPHER_CTX_ctrl(p->ours, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, x));
	outcome_clear();
	theirs = outcome_of(EVP_CIPHER_CTX_ctrl(p->theirs, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, y));
	if (!diff_same(ours, theirs))
		return false;
	if (memcmp(x, y, sizeof(x)) != 0)
		return diff_fail("the tag differs");
	if (EVP_CIPHER_CTX_get_tag_length(p->ours) != EVP_CIPHER_CTX_get_tag_length(p->theirs))
		return diff_fail("the length of the tag differs");
	if (EVP_CIPHER_CTX_get_updated_iv(p->ours, x, 12) !=
		    EVP_CIPHER_CTX_get_updated_iv(p->theirs, y, 12) ||
	    memcmp(x, y, sizeof(x)) != 0)
		return diff_fail("the IV differs");
	return true;
}

static bool end(const struct pair *p, bool *is_right)
{
	unsigned char last[2][16];
	struct outcome x, y;
	int i = 0, j = 0;

	play.step = "final";
	outcome_clear();
	x = outcome_of(EVP_CipherFinal_ex(p->ours, last[0], &i));
	outcome_clear();
	y = outcome_of(EVP_CipherFinal_ex(p->theirs, last[1], &j));
	*is_right = y.ok > 0;
	return diff_same(x, y) && (i == j || diff_fail("lengths differ"));
}

/* After the end of a message its IV is used up. */
static bool go_on(const struct pair *p)
{
	play.step = "after the end";
	return feed_piece(p, 0, 1 + random_below(&play.rnd, 20));
}

static bool play_message(struct pair *p)
{
	struct message m = { .enc = (int)random_below(&play.rnd, 2) };
	bool is_right;

	if (random_below(&play.rnd, 4) == 0) {
		p->key = random_below(&play.rnd, KEYS_AT_ONCE);
		p->has_key = false;
	}
	if (!make_message(p, &m))
		return diff_fail("no message");
	if (!init(p, &m) || (!m.enc && m.tag_is_early && !set_tag(p, &m)) || !feed_aad(p, &m) ||
	    (random_below(&play.rnd, 8) == 0 && !copy(p)) || !feed_text(p, &m))
		return false;
	/* A context without a tag has none; later ones keep the last. */
	if (!m.enc && !m.tag_is_early && !set_tag(p, &m))
		return false;
	if (!end(p, &is_right) || !same_answers(p))
		return false;
	return !is_right || random_below(&play.rnd, 4) || go_on(p);
}

bool diff_aead_round(EVP_CIPHER *ours, EVP_CIPHER *theirs)
{
	struct pair p = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new(), ours, theirs, 0, false };
	size_t messages = 1 + random_below(&play.rnd, 4);
	bool ok = diff_make_keys((size_t)EVP_CIPHER_get_key_length(theirs)) &&
		  EVP_CipherInit_ex2(p.ours, ours, NULL, NULL, 1, NULL) &&
		  EVP_CipherInit_ex2(p.theirs, theirs, NULL, NULL, 1, NULL);

	while (ok && messages--) {
		ok = play_message(&p);
		play.steps += 4;
	}
	EVP_CIPHER_CTX_free(p.ours);
	EVP_CIPHER_CTX_free(p.theirs);
	diff_free_keys();
	return ok;
}
