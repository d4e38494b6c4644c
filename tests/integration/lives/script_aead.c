/* SPDX-License-Identifier: Apache-2.0 */
/* An AEAD's letters. */
#include "integration/lives/script.h"

#include <string.h>

#include <openssl/err.h>

#define LEN	 9000
#define MESSAGES 17

static const unsigned char aad[20] = "not a secret at all";
static unsigned char sealed[MESSAGES][LEN + RECORD_ROOM];

static void note(struct player *p, bool ok, size_t len)
{
	script_note(p, ok, p->room, len);
	ERR_clear_error();
}

/* Whether the context has a cipher. The first init of a context sets it. */
static bool has_cipher(struct player *p)
{
	return EVP_CIPHER_CTX_get0_cipher(p->c) ||
	       EVP_CipherInit_ex(p->c, p->of->cipher, NULL, NULL, NULL, p->enc);
}

static void start(struct player *p, char letter)
{
	const unsigned char *key =
		letter == 'k' || letter == 'K' ? script_input.key[letter == 'K'] : NULL;
	unsigned char tag[MESSAGE_TAG];

	memcpy(tag, sealed[p->message] + LEN, sizeof(tag));
	tag[5] ^= letter == 'x';
	memcpy(p->iv, script_input.iv[0], sizeof(p->iv));
	p->iv[MESSAGE_IV - 1] ^= (unsigned char)p->message;
	note(p,
	     message_start(p->c, p->enc, key, p->iv, p->enc ? NULL : tag) &&
		     message_head(p->c, aad, sizeof(aad), LEN),
	     0);
	p->at = 0;
}

static void update(struct player *p, size_t len, bool in_place)
{
	const unsigned char *in = (p->enc ? script_input.text : sealed[p->message]) + p->at;
	int n = 0;

	memset(p->room, 0, len);
	if (in_place)
		memcpy(p->room, in, len);
	note(p, EVP_CipherUpdate(p->c, p->room, &n, in_place ? p->room : in, (int)len), len);
	if (p->seals)
		memcpy(sealed[p->message] + p->at, p->room, len);
	p->at += len;
}

/* A message that was refused before the right tag came would be refused now. */
static void set_tag(struct player *p)
{
	if (!p->enc)
		note(p,
		     EVP_CIPHER_CTX_ctrl(p->c, EVP_CTRL_AEAD_SET_TAG, MESSAGE_TAG,
					 sealed[p->message] + LEN) > 0,
		     0);
}

static void end_of(struct player *p, EVP_CIPHER_CTX *c)
{
	int n = 0;
	bool ok = EVP_CipherFinal_ex(c, p->room, &n);

	note(p, ok && (!p->enc || message_tag(c, p->room)), p->enc ? MESSAGE_TAG : 0);
}

/* OpenSSL before 3.1 has no copies of these contexts. */
static void end_copy(struct player *p)
{
	if (EVP_CIPHER_CTX_get0_cipher(p->copy))
		end_of(p, p->copy);
	script_let_go(&p->copy);
}

static void end(struct player *p)
{
	end_of(p, p->c);
	if (p->seals)
		memcpy(sealed[p->message] + LEN, p->room, MESSAGE_TAG);
	p->message++;
}

static void start_records(struct player *p)
{
	note(p, records_start(p->c, p->enc, script_input.key[0], script_input.iv[1]), 0);
}

static void record(struct player *p, bool is_forged)
{
	size_t carried = record_carried(p->c), len = LEN + carried + MESSAGE_TAG;

	memcpy(p->room, sealed[p->message], LEN + RECORD_ROOM);
	if (p->enc)
		memcpy(p->room + carried, script_input.text, LEN);
	else
		p->room[len / 2] ^= is_forged;
	note(p, record_play(p->c, (unsigned char)p->message, p->room, len), len);
	if (p->seals)
		memcpy(sealed[p->message], p->room, len);
	p->message++;
}

void script_aead_step(struct player *p, char letter)
{
	if (p->message >= MESSAGES || !has_cipher(p))
		script_die("too many messages, or no cipher");
	switch (letter) {
	case 'k':
	case 'K':
	case 'i':
	case 'x':
		return start(p, letter);
	case 'u':
	case 'p':
		return update(p, LEN, letter == 'p');
	case 'h':
		return update(p, LEN / 2, p->at > 0);
	case 'g':
		return set_tag(p);
	case 'n':
		p->message++;
		return;
	case 'C':
		return script_copy(p);
	case 'e':
		return end_copy(p);
	case 'f':
		return end(p);
	case 'T':
		return start_records(p);
	case 't':
	case 'X':
		return record(p, letter == 'X');
	}
	script_die("no such letter");
}
