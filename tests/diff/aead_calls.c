/* SPDX-License-Identifier: Apache-2.0 */
#include "aead_calls.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "compare.h"

static void trace(struct aead *d, const char *format, ...)
{
	size_t room = sizeof(d->trace) - d->traced;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(d->trace + d->traced, room, format, args);
	va_end(args);
	d->traced += (size_t)n < room ? (size_t)n : room - 1;
}

bool aead_fail(struct aead *d, const char *what)
{
	fprintf(stderr, "MISMATCH: %s, after step '%s', AEAD %s:%s\n", what, d->step,
		EVP_CIPHER_get0_name(d->cipher[1]), d->trace);
	ERR_print_errors_fp(stderr);
	return false;
}

bool aead_is(const struct aead *d, int mode)
{
	return EVP_CIPHER_get_mode(d->cipher[1]) == mode;
}

/* A pointer that is kept must show the right bytes at any time. */
static bool same_pointers(struct aead *d)
{
	for (size_t i = 0; i < AEAD_CONTEXTS; i++)
		for (size_t k = 0; k < 2; k++)
			if (!iv_pointer_same(&d->pair[i].kept[k], EVP_MAX_IV_LENGTH))
				return aead_fail(d, "the nonce differs behind a pointer");
	return true;
}

static bool same(struct aead *d, const struct outcome *r)
{
	const char *what = outcome_differs(r[0], r[1]);

	trace(d, "=%d", r[1].ok);
	return what ? aead_fail(d, what) : same_pointers(d);
}

static bool same_buffers(struct aead *d)
{
	if (memcmp(d->in[0], d->in[1], AEAD_ROOM) != 0)
		return aead_fail(d, "what is in the input's buffer differs");
	if (memcmp(d->out[0], d->out[1], AEAD_ROOM) != 0)
		return aead_fail(d, "outputs differ");
	return true;
}

bool call_init(struct aead *d, struct aead_pair *p, bool with_key, bool with_iv, int enc)
{
	struct outcome r[2];

	trace(d, "\n  %zu: init(%s%s,%d)", p - d->pair, with_key ? "k" : "", with_iv ? "i" : "",
	      enc);
	if (with_key)
		random_bytes(&d->random, p->key, sizeof(p->key));
	if (with_iv)
		random_bytes(&d->random, p->iv, sizeof(p->iv));
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(EVP_CipherInit_ex(p->ctx[i], NULL, NULL, with_key ? p->key : NULL,
						    with_iv ? p->iv : NULL, enc));
	}
	p->enc = enc;
	p->keyed |= with_key;
	p->has_iv |= with_iv && r[1].ok > 0;
	return same(d, r);
}

bool call_ctrl(struct aead *d, struct aead_pair *p, int what, int len, const void *data)
{
	unsigned char copy[2][32] = { { 0 } };
	struct outcome r[2];

	trace(d, " ctrl(%#x,%d,%s)", (unsigned)what, len, data ? "data" : "0");
	for (int i = 0; i < 2; i++) {
		if (data && len)
			memcpy(copy[i], data, len < 0 ? 12 : (size_t)len);
		outcome_clear();
		r[i] = outcome_of(EVP_CIPHER_CTX_ctrl(p->ctx[i], what, len, data ? copy[i] : NULL));
	}
	if (r[1].ok > 0 && what == EVP_CTRL_AEAD_SET_IVLEN)
		p->iv_len = len;
	if (r[1].ok > 0 && what == EVP_CTRL_AEAD_SET_TAG) {
		p->tag_len = len;
		p->tag_given |= data != NULL;
	}
	if (r[1].ok > 0 && what == EVP_CTRL_AEAD_TLS1_AAD)
		p->tls = true;
	return same(d, r) && (memcmp(copy[0], copy[1], sizeof(copy[0])) == 0 ||
			      aead_fail(d, "what a ctrl answered differs"));
}

bool call_padding(struct aead *d, struct aead_pair *p)
{
	struct outcome r[2];

	trace(d, " padding");
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(EVP_CIPHER_CTX_set_padding(p->ctx[i], 0));
	}
	return same(d, r);
}

bool call_text(struct aead *d, struct aead_pair *p, bool apart, size_t at, size_t to, size_t len,
	       bool oneshot)
{
	struct outcome r[2];
	int n[2] = { 0, 0 };

	trace(d, " %s(%zu%s)", oneshot ? "Cipher" : "text", len,
	      apart    ? "" :
	      at == to ? ",in place" :
			 ",overlap");
	for (int i = 0; i < 2; i++) {
		unsigned char *out = (apart ? d->out[i] : d->in[i]) + to;

		outcome_clear();
		if (oneshot)
			r[i] = outcome_of(
				n[i] = EVP_Cipher(p->ctx[i], out, d->in[i] + at, (unsigned)len));
		else
			r[i] = outcome_of(
				EVP_CipherUpdate(p->ctx[i], out, &n[i], d->in[i] + at, (int)len));
	}
	p->refused = r[1].ok <= 0;
	p->tag_given &= !p->enc;
	if (!same(d, r))
		return false;
	if (n[0] != n[1])
		return aead_fail(d, "lengths differ");
	return same_buffers(d);
}

bool call_aad(struct aead *d, struct aead_pair *p, const unsigned char *aad, size_t len)
{
	struct outcome r[2];
	int n[2] = { 0, 0 };

	trace(d, " %s(%zu)", aad ? "aad" : "declare", len);
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(EVP_CipherUpdate(p->ctx[i], NULL, &n[i], aad, (int)len));
	}
	return same(d, r) && (n[0] == n[1] || aead_fail(d, "lengths of AAD differ"));
}

bool call_final(struct aead *d, struct aead_pair *p)
{
	unsigned char last[2][32] = { { 0 } };
	struct outcome r[2];
	int n[2] = { 0, 0 };

	trace(d, " final");
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(EVP_CipherFinal_ex(p->ctx[i], last[i], &n[i]));
	}
	if (!same(d, r))
		return false;
	return n[0] == n[1] || aead_fail(d, "lengths of final differ");
}

bool call_get_tag(struct aead *d, struct aead_pair *p, int len)
{
	unsigned char tag[2][32] = { { 0 } };
	struct outcome r[2];

	/* When no message has been done, CCM returns whatever it has in a tag's place. */
	if (aead_is(d, EVP_CIPH_CCM_MODE) && (p->tls || p->refused || p->tag_given))
		return true;
	trace(d, " tag?(%d)", len);
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(
			EVP_CIPHER_CTX_ctrl(p->ctx[i], EVP_CTRL_AEAD_GET_TAG, len, tag[i]));
	}
	if (!same(d, r))
		return false;
	return memcmp(tag[0], tag[1], sizeof(tag[0])) == 0 || aead_fail(d, "tags differ");
}

bool call_get_params(struct aead *d, struct aead_pair *p)
{
	unsigned char iv[2][2][16] = { { { 0 } } };
	struct outcome r[2];

	trace(d, " params?");
	if (EVP_CIPHER_CTX_get_iv_length(p->ctx[0]) != EVP_CIPHER_CTX_get_iv_length(p->ctx[1]))
		return aead_fail(d, "lengths of the IV differ");
	if (EVP_CIPHER_CTX_get_tag_length(p->ctx[0]) != EVP_CIPHER_CTX_get_tag_length(p->ctx[1]))
		return aead_fail(d, "lengths of the tag differ");
	/* From 4.0 on, an encryption that is asked for its IV makes one up. */
	if (!p->has_iv)
		return true;
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(EVP_CIPHER_CTX_get_updated_iv(p->ctx[i], iv[i][0], 16) +
				  2 * EVP_CIPHER_CTX_get_original_iv(p->ctx[i], iv[i][1], 16));
	}
	if (!same(d, r))
		return false;
	return memcmp(iv[0], iv[1], sizeof(iv[0])) == 0 || aead_fail(d, "IVs differ");
}

bool call_pointer(struct aead *d, struct aead_pair *p)
{
	size_t way = random_below(&d->random, IV_POINTER_WAYS);
	struct iv_pointer *kept = &p->kept[!iv_pointer_is_original(way)];
	const char *differs;

	/* From 4.0 on, an encryption that is asked for its IV makes one up. */
	if (!p->has_iv)
		return true;
	if (!kept->at[0] || random_below(&d->random, 4) == 0) {
		trace(d, " pointer?%zu", way);
		differs = iv_pointer_take(kept, p->ctx, way);
		if (differs)
			return aead_fail(d, differs);
	}
	if (kept->at[0] && random_below(&d->random, 2)) {
		trace(d, " write");
		iv_pointer_write(kept, &d->random, EVP_MAX_IV_LENGTH);
	}
	return same_pointers(d);
}

bool call_copy(struct aead *d, struct aead_pair *to, struct aead_pair *from)
{
	struct aead_pair old = *to;
	struct outcome r[2];

	trace(d, " copy");
	memset(to->kept, 0, sizeof(to->kept));
	for (int i = 0; i < 2; i++) {
		outcome_clear();
		r[i] = outcome_of(EVP_CIPHER_CTX_copy(to->ctx[i], from->ctx[i]));
	}
	if (!same(d, r))
		return false;
	if (r[1].ok > 0) {
		*to = *from;
		memcpy(to->ctx, old.ctx, sizeof(old.ctx));
		memset(to->kept, 0, sizeof(to->kept));
	}
	return true;
}

void fill_input(struct aead *d, size_t len)
{
	random_bytes(&d->random, d->in[0], len + 2 * AEAD_MARGIN);
	memcpy(d->in[1], d->in[0], len + 2 * AEAD_MARGIN);
}

void put_input(struct aead *d, size_t at, const unsigned char *bytes, size_t len)
{
	memcpy(d->in[0] + at, bytes, len);
	memcpy(d->in[1] + at, bytes, len);
}

void seal(struct aead *d, const struct aead_pair *p, const unsigned char *aad, size_t aad_len,
	  size_t at, size_t len, unsigned char *tag, int tag_len)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	unsigned char *text = d->in[1] + at;
	int n = 0;

	EVP_EncryptInit_ex(c, d->cipher[1], NULL, NULL, NULL);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, p->iv_len, NULL);
	if (aead_is(d, EVP_CIPH_CCM_MODE))
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL);
	EVP_EncryptInit_ex(c, NULL, NULL, p->key, p->iv);
	if (aead_is(d, EVP_CIPH_CCM_MODE))
		EVP_EncryptUpdate(c, NULL, &n, NULL, (int)len);
	if (aad_len)
		EVP_EncryptUpdate(c, NULL, &n, aad, (int)aad_len);
	EVP_EncryptUpdate(c, text, &n, text, (int)len);
	EVP_EncryptFinal_ex(c, text + len, &n);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, tag);
	EVP_CIPHER_CTX_free(c);
	memcpy(d->in[0] + at, text, len);
	ERR_clear_error();
}
