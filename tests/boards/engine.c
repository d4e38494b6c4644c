// SPDX-License-Identifier: GPL-2.0-or-later
#define OPENSSL_SUPPRESS_DEPRECATED
#include "engine.h"

#include <endian.h>
#include <openssl/des.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

static void des_cbc(enum algorithm a, bool encrypt, DES_key_schedule *k, uint8_t *iv,
		    const uint8_t *in, uint8_t *out, size_t n)
{
	if (a == DES)
		DES_ncbc_encrypt(in, out, n, &k[0], (DES_cblock *)iv, encrypt);
	else
		DES_ede3_cbc_encrypt(in, out, n, &k[0], &k[1], &k[2], (DES_cblock *)iv, encrypt);
}

static void des(enum algorithm a, enum mode m, bool encrypt, const uint8_t *key, uint8_t *iv,
		const uint8_t *in, uint8_t *out, size_t n)
{
	DES_key_schedule k[3];
	size_t i;

	for (i = 0; i < 3; i++)
		DES_set_key_unchecked((const_DES_cblock *)(key + (a == DES3 ? 8 * i : 0)), &k[i]);
	if (m == CBC) {
		des_cbc(a, encrypt, k, iv, in, out, n);
		return;
	}
	/* With three equal keys 3DES is DES. */
	for (i = 0; i < n; i += 8)
		DES_ecb3_encrypt((const_DES_cblock *)(in + i), (DES_cblock *)(out + i), &k[0],
				 &k[1], &k[2], encrypt);
}

/* Returns the cipher, which is fetched once. */
static EVP_CIPHER *aes_cipher(enum mode m, int key_len)
{
	static EVP_CIPHER *ciphers[3][3];
	static const char *const modes[] = { "ECB", "CBC", "CTR" };
	EVP_CIPHER **cipher = &ciphers[m][key_len / 8 - 2];
	char name[32];

	snprintf(name, sizeof(name), "AES-%d-%s", key_len * 8, modes[m]);
	if (!*cipher)
		*cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
	return *cipher;
}

static void aes(enum mode m, bool encrypt, const uint8_t *key, int key_len, uint8_t *iv,
		const uint8_t *in, uint8_t *out, size_t n)
{
	static EVP_CIPHER_CTX *ctx;
	int len;

	if (!ctx)
		ctx = EVP_CIPHER_CTX_new();
	if (!EVP_CipherInit_ex2(ctx, aes_cipher(m, key_len), key, m == ECB ? NULL : iv, encrypt,
				NULL) ||
	    !EVP_CIPHER_CTX_set_padding(ctx, 0) || !EVP_CipherUpdate(ctx, out, &len, in, n) ||
	    (m != ECB && !EVP_CIPHER_CTX_get_updated_iv(ctx, iv, 16)))
		abort();
}

void engine_cipher(enum algorithm a, enum mode m, bool encrypt, const uint8_t *key, int key_len,
		   uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	if (!n)
		return;
	if (a == AES)
		aes(m, encrypt, key, key_len, iv, in, out, n);
	else
		des(a, m, encrypt, key, iv, in, out, n);
	if (board_take_byte())
		out[n / 2] ^= 1;
}

/* The S-box, which libcrypto does not export: the inverse of x, then an affine map. */
static uint8_t sbox(uint8_t x)
{
	static uint8_t box[256];
	uint8_t p = 1, q = 1;

	while (!box[0]) {
		p ^= (p << 1) ^ (p & 0x80 ? 0x1b : 0);
		q ^= q << 1;
		q ^= q << 2;
		q ^= q << 4;
		q ^= q & 0x80 ? 9 : 0;
		box[p] = q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^
			 (q << 4 | q >> 4) ^ 0x63;
		if (p == 1)
			box[0] = 0x63;
	}
	return box[x];
}

static uint8_t round_constant(int i)
{
	uint8_t r = 1;

	while (--i > 0)
		r = (r << 1) ^ (r & 0x80 ? 0x1b : 0);
	return r;
}

void engine_aes_unexpand(const uint8_t *last, int key_len, uint8_t *key)
{
	int nk = key_len / 4, words = 4 * (nk + 7), i, j;
	uint8_t w[60][4], t[4], first;

	memcpy(w[words - nk], last, key_len);
	for (i = words - 1; i >= nk; i--) {
		memcpy(t, w[i - 1], 4);
		if (i % nk == 0) {
			first = t[0];
			t[0] = sbox(t[1]) ^ round_constant(i / nk);
			t[1] = sbox(t[2]);
			t[2] = sbox(t[3]);
			t[3] = sbox(first);
		}
		for (j = 0; j < 4; j++) {
			if (nk == 8 && i % nk == 4)
				t[j] = sbox(t[j]);
			w[i - nk][j] = w[i][j] ^ t[j];
		}
	}
	memcpy(key, w, key_len);
}

void engine_hash_init(enum hash h, uint32_t *state)
{
	static const uint32_t first[][8] = {
		[H_MD5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 },
		[H_SHA1] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 },
		[H_SHA256] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
			       0x9b05688c, 0x1f83d9ab, 0x5be0cd19 },
	};

	memcpy(state, first[h], 4 * HASH_WORDS(h));
}

static void hash_block(enum hash h, uint32_t *state, const uint8_t *data)
{
	MD5_CTX md5 = { 0 };
	SHA_CTX sha1 = { 0 };
	SHA256_CTX sha256 = { 0 };

	switch (h) {
	case H_MD5:
		memcpy(&md5.A, state, 16);
		MD5_Transform(&md5, data);
		memcpy(state, &md5.A, 16);
		break;
	case H_SHA1:
		memcpy(&sha1.h0, state, 20);
		SHA1_Transform(&sha1, data);
		memcpy(state, &sha1.h0, 20);
		break;
	case H_SHA256:
		memcpy(sha256.h, state, 32);
		SHA256_Transform(&sha256, data);
		memcpy(state, sha256.h, 32);
	}
}

void engine_hash_blocks(enum hash h, uint32_t *state, const uint8_t *data, size_t blocks)
{
	if (blocks && board_take_byte())
		state[0] ^= 1;
	for (; blocks--; data += 64)
		hash_block(h, state, data);
}

void engine_sha512_blocks(uint8_t *state, const uint8_t *data, size_t blocks)
{
	SHA512_CTX c = { 0 };
	int i;

	if (blocks && board_take_byte())
		state[0] ^= 1;
	memcpy(c.h, state, sizeof(c.h));
	for (i = 0; i < 8; i++)
		c.h[i] = be64toh(c.h[i]);
	for (; blocks--; data += 128)
		SHA512_Transform(&c, data);
	for (i = 0; i < 8; i++)
		c.h[i] = htobe64(c.h[i]);
	memcpy(state, c.h, sizeof(c.h));
}

void engine_hash_final(enum hash h, uint32_t *state, const uint8_t *rest, size_t n, uint64_t total)
{
	size_t whole = n / 64, left = n % 64, len = left < 56 ? 64 : 128;
	uint8_t end[128] = { 0 };
	int i;

	engine_hash_blocks(h, state, rest, whole);
	memcpy(end, rest + 64 * whole, left);
	end[left] = 0x80;
	for (i = 0; i < 8; i++)
		end[len - 1 - i] = total * 8 >> 8 * (h == H_MD5 ? 7 - i : i);
	engine_hash_blocks(h, state, end, len / 64);
}

void engine_hash_store(enum hash h, const uint32_t *state, void *digest)
{
	uint32_t bytes[8];
	int i;

	for (i = 0; i < HASH_WORDS(h); i++)
		bytes[i] = h == H_MD5 ? htole32(state[i]) : htobe32(state[i]);
	memcpy(digest, bytes, 4 * HASH_WORDS(h));
}

static void half(uint8_t *v)
{
	int carry = v[15] & 1, j;

	for (j = 15; j > 0; j--)
		v[j] = v[j] >> 1 | v[j - 1] << 7;
	v[0] = v[0] >> 1 ^ (carry ? 0xe1 : 0);
}

void engine_ghash(const uint8_t *h, uint8_t *y, const uint8_t *block)
{
	uint8_t z[16] = { 0 }, v[16];
	int i, j;

	for (i = 0; i < 16; i++)
		y[i] ^= block[i];
	memcpy(v, h, 16);
	for (i = 0; i < 128; i++) {
		for (j = 0; j < 16 && y[i / 8] & 0x80 >> i % 8; j++)
			z[j] ^= v[j];
		half(v);
	}
	memcpy(y, z, 16);
}
