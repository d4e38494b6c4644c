// SPDX-License-Identifier: GPL-2.0-or-later
/* CAAM's class 1: AES in ECB, CBC, CTR, XTS, GCM, CMAC and XCBC-MAC, DES and 3DES. */
#include "caam_cipher.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "caam.h"
#include "engine.h"

enum {
	M_CTR = 0,
	M_CBC = 0x10,
	M_ECB = 0x20,
	M_XTS = 0x50,
	M_CMAC = 0x60,
	M_XCBC = 0x70,
	M_GCM = 0x90
};

static void aes_block(const uint8_t *key, unsigned int len, const uint8_t *in, uint8_t *out)
{
	engine_cipher(AES, ECB, true, key, (int)len, NULL, in, out, 16);
}

static void xor_block(uint8_t *to, const uint8_t *a, const uint8_t *b)
{
	int i;

	for (i = 0; i < 16; i++)
		to[i] = a[i] ^ b[i];
}

/*
 * Multiplies by x in GF(2^128). XTS writes its numbers with the first byte lowest, CMAC with the
 * first byte highest.
 */
static void twice(uint8_t *block, bool is_little)
{
	int i, at, carry = 0, next;

	for (i = 0; i < 16; i++) {
		at = is_little ? i : 15 - i;
		next = block[at] >> 7;
		block[at] = block[at] << 1 | carry;
		carry = next;
	}
	block[is_little ? 0 : 15] ^= carry ? 0x87 : 0;
}

static void xts_block(const struct caam_class *c, const uint8_t *tweak, uint8_t *block)
{
	xor_block(block, block, tweak);
	engine_cipher(AES, ECB, c->op & CAAM_ENCRYPT, c->key, (int)c->key_len / 2, NULL, block,
		      block, 16);
	xor_block(block, block, tweak);
}

/* Ciphertext stealing: the last whole block and the partial block behind it. */
static void xts_steal(const struct caam_class *c, uint8_t *tweak, uint8_t *text, size_t part)
{
	uint8_t first[16], second[16], last[16];

	memcpy(first, tweak, 16);
	memcpy(second, tweak, 16);
	twice(second, true);
	xts_block(c, c->op & CAAM_ENCRYPT ? first : second, text);
	memcpy(last, text, 16);
	memcpy(last, text + 16, part);
	memcpy(text + 16, text, part);
	memcpy(text, last, 16);
	xts_block(c, c->op & CAAM_ENCRYPT ? second : first, text);
}

static void xts_sector(const struct caam_class *c, const uint8_t *number, uint8_t *text, size_t n)
{
	uint8_t tweak[16];

	aes_block(c->key + c->key_len / 2, c->key_len / 2, number, tweak);
	for (; n >= 16; text += 16, n -= 16) {
		if (n > 16 && n < 32) {
			xts_steal(c, tweak, text, n - 16);
			return;
		}
		xts_block(c, tweak, text);
		twice(tweak, true);
	}
}

/*
 * The context holds the sector size, from byte 0x28 on, and the number of the first sector. The
 * driver sets the size to 32,768 and hopes that no message is longer: in a longer message the next
 * sector number applies from there on, and the result differs from that of any other XTS.
 */
static void xts(struct caam_class *c, uint8_t *text, size_t n)
{
	size_t size = c->context[0x2e] << 8 | c->context[0x2f], now;
	uint8_t number[16];
	int i;

	memcpy(number, c->context + 0x20, 8);
	memcpy(number + 8, c->context + 0x30, 8);
	for (; n; text += now, n -= now) {
		now = size && n >= size + 16 ? size : n;
		xts_sector(c, number, text, now);
		for (i = 0; i < 8 && ++number[i] == 0; i++)
			;
	}
}

static void gcm(struct caam_class *c, uint8_t *text, int n)
{
	static const EVP_CIPHER *(*const ciphers[])(void) = { EVP_aes_128_gcm, EVP_aes_192_gcm,
							      EVP_aes_256_gcm };
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	uint8_t *plain = malloc(n + 1);
	int len;

	/*
	 * The tag is that of the encryption: decryption encrypts once more what the first pass has
	 * produced.
	 */
	memcpy(plain, text, n);
	if (!(c->op & CAAM_ENCRYPT) &&
	    (!EVP_DecryptInit_ex(ctx, ciphers[c->key_len / 8 - 2](), NULL, c->key, c->iv.data) ||
	     !EVP_DecryptUpdate(ctx, plain, &len, text, n)))
		abort();
	if (!EVP_EncryptInit_ex(ctx, ciphers[c->key_len / 8 - 2](), NULL, c->key, c->iv.data) ||
	    !EVP_EncryptUpdate(ctx, NULL, &len, c->aad.data, (int)c->aad.n) ||
	    !EVP_EncryptUpdate(ctx, text, &len, plain, n) ||
	    !EVP_EncryptFinal_ex(ctx, text + n, &len) ||
	    !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, c->context))
		abort();
	if (!(c->op & CAAM_ENCRYPT))
		memcpy(text, plain, n);
	free(plain);
	EVP_CIPHER_CTX_free(ctx);
}

/* Derives XCBC's three keys. The second and third one are kept in the context, after the MAC. */
static void xcbc_keys(struct caam_class *c)
{
	uint8_t block[16], first[16];
	int i;

	for (i = 3; i >= 1; i--) {
		memset(block, i, 16);
		aes_block(c->key, 16, block, i == 1 ? first : c->context + 16 * (i - 1));
	}
	memcpy(c->key, first, 16);
}

static void mac(struct caam_class *c, const uint8_t *text, size_t n)
{
	uint8_t last[16] = { 0 }, extra[2][16];
	bool is_xcbc = CAAM_MODE(c->op) == M_XCBC;

	if (c->op & CAAM_INIT) {
		memset(c->context, 0, 16);
		if (is_xcbc)
			xcbc_keys(c);
	}
	for (; n > 16 || (n == 16 && !(c->op & CAAM_FINAL)); text += 16, n -= 16) {
		xor_block(c->context, c->context, text);
		aes_block(c->key, c->key_len, c->context, c->context);
	}
	if (!(c->op & CAAM_FINAL))
		return;
	aes_block(c->key, c->key_len, last, extra[0]);
	twice(extra[0], false);
	memcpy(extra[1], extra[0], 16);
	twice(extra[1], false);
	if (is_xcbc)
		memcpy(extra, c->context + 16, 32);
	memcpy(last, text, n);
	if (n < 16)
		last[n] = 0x80;
	xor_block(last, last, extra[n < 16]);
	xor_block(last, last, c->context);
	aes_block(c->key, c->key_len, last, c->context);
}

static bool blocks(struct caam_class *c, uint8_t *text, size_t n)
{
	int a = CAAM_ALGORITHM(c->op), m = CAAM_MODE(c->op);
	enum mode mode = m == M_CBC ? CBC : m == M_ECB ? ECB : CTR;
	enum algorithm algorithm = a == CAAM_AES ? AES : a == CAAM_DES ? DES : DES3;

	if (mode != CTR && n % (algorithm == AES ? 16 : 8))
		return false;
	/* In the context, a counter stands behind the place of an IV. */
	engine_cipher(algorithm, mode, c->op & CAAM_ENCRYPT, c->key, (int)c->key_len,
		      c->context + (mode == CTR ? 16 : 0), text, text, n);
	return true;
}

bool caam_cipher(struct caam_class *c, struct caam_bytes *out)
{
	size_t n = c->text.n;
	bool is_right = true;
	uint8_t *text = malloc(n + 32);

	if (n)
		memcpy(text, c->text.data, n);
	switch (CAAM_MODE(c->op)) {
	case M_XTS:
		is_right = n >= 16;
		if (is_right)
			xts(c, text, n);
		break;
	case M_GCM:
		gcm(c, text, (int)n);
		break;
	case M_CMAC:
	case M_XCBC:
		mac(c, text, n);
		n = 0;
		break;
	default:
		is_right = blocks(c, text, n);
	}
	if (board_take_byte())
		*(n ? text + n / 2 : c->context) ^= 1;
	caam_append(out, text, is_right ? n : 0);
	free(text);
	return is_right;
}
