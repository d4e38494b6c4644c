/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls and steps of ciphers that the tests of the provider's ciphers, of its AEADs and of the
 * engine share.
 */
#include "diff/play.h"

#include <string.h>

/* OpenSSL's AES-CBC for s390x crashes when a one-shot has no input. */
#ifdef __s390x__
#define LEAST_ONESHOT 16
#else
#define LEAST_ONESHOT 0
#endif

static int do_new(struct twins *t, int side, struct call *call)
{
	if (!t->cipher[side])
		t->cipher[side] = EVP_CIPHER_CTX_new();
	return EVP_CipherInit_ex(t->cipher[side], t->play->cipher[side],
				 side ? NULL : t->play->engine, NULL, NULL, call->number);
}

bool call_new(struct play *p, struct twins *t)
{
	t->enc = (int)below(p, 2);
	t->iv_len = EVP_CIPHER_iv_length(p->cipher[1]);
	t->tag_len = 12;
	return both(p, t, "new", do_new, &(struct call){ .number = t->enc }) &&
	       (p->ok || play_fail(p, "a context can't be made"));
}

static int do_init(struct twins *t, int side, struct call *call)
{
	return EVP_CipherInit_ex(t->cipher[side], NULL, NULL, call->key, call->iv[side],
				 call->number);
}

bool call_init(struct play *p, struct twins *t, const unsigned char *key,
	       const unsigned char *const iv[2], int enc)
{
	struct call call = { .key = key, .number = enc };
	const char *name = key ? (iv ? "init" : "key") : (iv ? "IV" : "restart");

	for (int i = 0; iv && i < 2; i++)
		call.iv[i] = iv[i];
	if (!both(p, t, name, do_init, &call))
		return false;
	t->enc = enc < 0 ? t->enc : enc;
	t->sealed = false;
	t->keyed |= key && p->ok;
	t->has_iv |= iv && p->ok;
	return true;
}

static int do_update(struct twins *t, int side, struct call *call)
{
	int n = 0, ok = EVP_CipherUpdate(t->cipher[side], call->out[side], &n, call->in[side],
					 (int)call->len);

	call->got[side].len = (size_t)n;
	return ok;
}

static int do_oneshot(struct twins *t, int side, struct call *call)
{
	int n = EVP_Cipher(t->cipher[side], call->out[side], call->in[side], (unsigned)call->len);

	call->got[side].len = n > 0 ? call->len : 0; /* an engine's result is 1, not a length */
	return n;
}

/* Compares the output, and an equally long part and more beyond it, which no call may write. */
static bool same_buffers(struct play *p, size_t used)
{
	size_t n = 2 * used + 8192 < ROOM ? 2 * used + 8192 : ROOM;

	if (memcmp(p->in[0], p->in[1], n) != 0)
		return play_fail(p, "the input's buffers differ");
	return memcmp(p->out[0], p->out[1], n) == 0 || play_fail(p, "the output's buffers differ");
}

bool call_text(struct play *p, struct twins *t, bool apart, size_t at, size_t to, size_t len,
	       bool oneshot)
{
	struct call call = { .len = len };
	const char *name = apart ? "apart" : at == to ? "in place" : "overlapping";

	play_touch(p, to + len + 4 * MARGIN);
	for (int i = 0; i < 2; i++) {
		call.in[i] = p->in[i] + at;
		call.out[i] = (apart ? p->out[i] : p->in[i]) + to;
	}
	if (!both(p, t, oneshot ? "one-shot" : name, oneshot ? do_oneshot : do_update, &call))
		return false;
	t->sealed = p->ok && t->enc && !t->tls;
	return same_buffers(p, at + len + 4 * MARGIN);
}

static int do_final(struct twins *t, int side, struct call *call)
{
	int n = 0, ok = EVP_CipherFinal_ex(t->cipher[side], call->got[side].out, &n);

	call->got[side].len = (size_t)n;
	return ok;
}

bool call_final(struct play *p, struct twins *t)
{
	return both(p, t, "final", do_final, &(struct call){ .len = 0 });
}

static int do_copy(struct twins *t, int side, struct call *call)
{
	return EVP_CIPHER_CTX_copy(t->cipher[side], call->from->cipher[side]);
}

bool call_copy(struct play *p, struct twins *to, struct twins *from)
{
	struct twins old = *to;

	memset(to->kept, 0, sizeof(to->kept));
	if (to == from || !both(p, to, "copy", do_copy, &(struct call){ .from = from }))
		return to == from;
	if (p->ok) {
		*to = *from;
		memcpy(to->cipher, old.cipher, sizeof(old.cipher));
		memset(to->kept, 0, sizeof(to->kept));
	}
	return true;
}

static int do_padding(struct twins *t, int side, struct call *call)
{
	return EVP_CIPHER_CTX_set_padding(t->cipher[side], call->number);
}

bool call_padding(struct play *p, struct twins *t, int on)
{
	return both(p, t, "padding", do_padding, &(struct call){ .number = on });
}

static int do_key_len(struct twins *t, int side, struct call *call)
{
	return EVP_CIPHER_CTX_set_key_length(t->cipher[side], call->number);
}

bool call_key_len(struct play *p, struct twins *t)
{
	int len = one_in(p, 2) ? 16 : 5 + (int)below(p, 12);

	return both(p, t, "key length", do_key_len, &(struct call){ .number = len });
}

void call_free(struct twins *t)
{
	for (int side = 0; side < 2; side++) {
		EVP_CIPHER_CTX_free(t->cipher[side]);
		t->cipher[side] = NULL;
	}
}

bool call_renew(struct play *p, struct twins *t)
{
	if (one_in(p, 2))
		call_free(t);
	*t = (struct twins){ .play = p, .cipher = { t->cipher[0], t->cipher[1] } };
	return call_new(p, t);
}

bool cipher_init(struct play *p, struct twins *t)
{
	unsigned char key[EVP_MAX_KEY_LENGTH], iv[EVP_MAX_IV_LENGTH];
	const unsigned char *const same[2] = { iv, iv };
	const struct iv_pointer *kept = &t->kept[below(p, 2)];
	/* Key and IV apart, in either order. An engine takes no text without a key. */
	size_t what = t->keyed || (p->row && one_in(p, 4)) ? below(p, 4) : 3;
	size_t key_len = (size_t)EVP_CIPHER_key_length(p->cipher[1]);
	bool with_key = what & 1, with_iv = what & 2;
	int enc = one_in(p, with_key ? 2 : 12) ? !t->enc : one_in(p, 4) ? -1 : t->enc;

	random_bytes(&p->random, key, sizeof(key));
	random_bytes(&p->random, iv, sizeof(iv));
	if (one_in(p, 8))
		memset(iv + 4, 0xff, sizeof(iv) - 4);
	if (one_in(p, 8)) /* a counter at the other end of the IV is near its overflow */
		memset(iv + 1, 0xff, 3 + 4 * below(p, 2));
	/* A sector number. */
	if (EVP_CIPHER_mode(p->cipher[1]) == EVP_CIPH_XTS_MODE && one_in(p, 2))
		memset(iv + 8, 0, 8);
	/* Two equal keys, with which XTS only decrypts. */
	if (one_in(p, 16))
		memcpy(key + key_len / 2, key, key_len / 2);
	return call_init(p, t, with_key ? key : NULL,
			 !with_iv		     ? NULL :
			 kept->at[0] && one_in(p, 2) ? (const unsigned char *const *)kept->at :
						       same,
			 enc);
}

/*
 * Input and output are apart, the same, or overlap with a small offset in one buffer. In the last
 * case the default provider overwrites its own input; kcrypto has to do the same, byte by byte.
 */
bool cipher_update(struct play *p, struct twins *t, bool oneshot)
{
	size_t n = some_length(p, 140000), at = some_place(p, MARGIN), place = below(p, 4);
	size_t to = place == 0 ? at - 32 + below(p, 64) : place == 1 ? at : some_place(p, MARGIN);

	if (oneshot)
		n = n / 16 ? n / 16 * 16 : LEAST_ONESHOT;
	fill_input(p, at + n);
	return call_text(p, t, place >= 2, at, to, n, oneshot);
}
