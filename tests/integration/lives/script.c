/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds share, and a cipher's letters. */
#include "integration/lives/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

/* The two halves of a key differ. */
struct script_input script_input = {
	.key = { "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+",
		 "this is the other key, in which sixty-four bytes are not enough" },
	.iv = { "an IV of 16 byt", "and the other I" },
};

#define LONG	80000
#define MESSAGE 1000
static unsigned char sealed[MESSAGE + EVP_MAX_BLOCK_LENGTH];
static int sealed_len;

static __attribute__((constructor)) void make_text(void)
{
	for (size_t i = 0; i < SCRIPT_ROOM; i++)
		script_input.text[i] = (unsigned char)(i * 7 + i / 251);
}

void script_die(const char *what)
{
	fprintf(stderr, "script: %s\n", what);
	abort();
}

void script_note(struct player *p, int result, const unsigned char *out, size_t len)
{
	if (p->n + len + sizeof(result) + sizeof(len) > sizeof(p->log))
		script_die("the log is full");
	memcpy(p->log + p->n, &result, sizeof(result));
	memcpy(p->log + p->n + sizeof(result), &len, sizeof(len));
	p->n += sizeof(result) + sizeof(len);
	if (len)
		memcpy(p->log + p->n, out, len);
	p->n += len;
	if (p->made)
		p->made(result > 0, out, len);
}

void player_begin(struct player *p, const struct kc_alg *alg, const struct row_of *of, int enc)
{
	memset(p, 0, offsetof(struct player, log));
	p->alg = alg;
	p->of = of;
	p->enc = enc;
}

static void init(struct player *p, bool cipher, const unsigned char *key, const unsigned char *iv)
{
	script_note(p,
		    EVP_CipherInit_ex(p->c, cipher ? p->of->cipher : NULL, NULL, key, iv,
				      cipher ? p->enc : -1),
		    NULL, 0);
}

/* Offsets of input and output. */
static void update_from(struct player *p, EVP_CIPHER_CTX *c, int len, const unsigned char *in,
			int out_at)
{
	unsigned char *room = p->room;
	int n = 0, result = row_update(c, room + out_at, &n, in, len);

	script_note(p, result, room + out_at, result ? (size_t)n : 0);
}

static void update(struct player *p, EVP_CIPHER_CTX *c, int len, int in_at, int out_at)
{
	update_from(p, c, len, script_input.text + in_at, out_at);
}

static void update_in_place(struct player *p)
{
	memcpy(p->room, script_input.text, LONG);
	update_from(p, p->c, LONG, p->room, 0);
}

/* What is decrypted is what was encrypted, and it is not refused. */
static void message(struct player *p)
{
	int n = 0, last = 0, len = p->enc ? MESSAGE : sealed_len;
	bool ok;

	memcpy(p->room, p->enc ? script_input.text : sealed, (size_t)len);
	ok = EVP_CipherUpdate(p->c, p->room, &n, p->room, len) &&
	     EVP_CipherFinal_ex(p->c, p->room + n, &last);
	script_note(p, ok, p->room, (size_t)(n + last));
	if (!p->seals)
		return;
	sealed_len = n + last;
	memcpy(sealed, p->room, (size_t)sealed_len);
}

static void final(struct player *p, EVP_CIPHER_CTX *c)
{
	unsigned char out[EVP_MAX_BLOCK_LENGTH];
	int n = 0, result = EVP_CipherFinal_ex(c, out, &n);

	script_note(p, result, out, result ? (size_t)n : 0);
	ERR_clear_error();
}

void script_copy(struct player *p)
{
	p->copy = EVP_CIPHER_CTX_new();
	script_note(p, EVP_CIPHER_CTX_copy(p->copy, p->c), NULL, 0);
}

void script_let_go(EVP_CIPHER_CTX **c)
{
	EVP_CIPHER_CTX_free(*c);
	*c = NULL;
}

static void cipher_step(struct player *p, char letter)
{
	switch (letter) {
	case 'B':
		return init(p, true, script_input.key[0], script_input.iv[0]);
	case 'b':
		return init(p, false, script_input.key[1], script_input.iv[1]);
	case 'I':
		return init(p, false, NULL, script_input.iv[1]);
	case 's':
		return update(p, p->c, 100, 0, 0);
	case 'L':
		return update(p, p->c, 20003, 16, 0);
	case 'U':
		return update(p, p->c, 8195, 1, 3);
	case 'P':
		return update_in_place(p);
	case 'W':
		return message(p);
	case 'D':
		return update(p, p->copy, 8197, 64, 0);
	case 'C':
		return script_copy(p);
	case 'F':
		return final(p, p->c);
	case 'f':
		return final(p, p->copy);
	case 'r':
		return script_let_go(&p->copy);
	}
	script_die("no such letter");
}

static void let_go_of_first(struct player *p)
{
	script_let_go(&p->c);
	hash_free(&p->hash);
}

void player_end(struct player *p)
{
	let_go_of_first(p);
	script_let_go(&p->copy);
	hash_free(&p->hash_copy);
}

static void make(struct player *p)
{
	if (p->of->cipher)
		p->c = EVP_CIPHER_CTX_new();
	else
		p->hash = hash_new(p->of->md, p->of->mac, p->alg->mac,
				   kc_alg_name(&kc_algs[p->alg->inner]));
}

void player_step(struct player *p, char letter)
{
	static void (*const step[])(struct player *, char) = {
		[KC_CIPHER] = cipher_step,
		[KC_AEAD] = script_aead_step,
		[KC_DIGEST] = script_hash_step,
		[KC_MAC] = script_hash_step,
	};

	if (letter != 'N' && letter != 'R')
		return step[p->alg->kind](p, letter);
	if (letter == 'N')
		make(p);
	else
		let_go_of_first(p);
	if (p->made)
		p->made(true, NULL, 0);
}

void player_run(struct player *p, const char *script)
{
	for (; *script; script++)
		player_step(p, *script);
}

bool player_same(const struct player *a, const struct player *b)
{
	return a->n == b->n && memcmp(a->log, b->log, a->n) == 0;
}

void player_wipe(struct player *p)
{
	explicit_bzero(p->log, p->n);
	explicit_bzero(p->room, sizeof(p->room));
	explicit_bzero(p->iv, sizeof(p->iv));
}
