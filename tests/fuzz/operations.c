/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test's steps, chosen by the input: the cipher, the requests that fail, then the
 * choices of tests/diff. The provider is built in, over the stand-in.
 */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core.h>
#include <openssl/provider.h>

#include "diff/kinds.h"
#include "session/session.h"
#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;

/* The first bytes of an input. */
enum { ANY_ROW, ROW, FAIL_ONE_IN, LIMITS, HEADER };

/*
 * Bytes of the longest text: one of eight inputs may have texts longer than a request, and digests'
 * streams of some requests. Nearly all time would go into such texts.
 */
enum { LONG = 70000, SHORT = 20000, STREAM = 300000 };

static struct diff_row offered[KC_ALG_COUNT];
static size_t n_offered;
static size_t aead[KC_ALG_COUNT], n_aeads; /* their indices */
static size_t digest[KC_ALG_COUNT], n_digests;
static unsigned char *room; /* PLAY_ROOM bytes */

/*
 * Found by the fuzzer, for ChaCha20-Poly1305: a tag of one byte was set, the kernel did messages
 * and records, and then came a message without a tag: OpenSSL compared it with a byte that kcrypto
 * did not have.
 */
static const unsigned char found[] = {
	0x01, 0x06, 0x00, 0x00, 0xa6, 0x23, 0xbd, 0x5d, 0x3a, 0xd2, 0x82, 0xff, 0xff, 0xff, 0xff,
	0xff, 0x00, 0x40, 0x00, 0x38, 0xcf, 0x7e, 0x9d, 0x17, 0xe2, 0x42, 0xdc, 0x2c, 0x1b, 0x40,
	0x7f, 0xb7, 0x58, 0x9d, 0xd4, 0x48, 0x52, 0x35, 0xcf, 0x59, 0x1a, 0xe2, 0x1c, 0x00, 0x00,
	0xa7, 0x1a, 0xc9, 0x0a, 0x1e, 0x45, 0x6e, 0xbe, 0x12, 0x60, 0xa3, 0x00, 0x00, 0xb1, 0x23,
	0xbd, 0x5d, 0x3a, 0xd2, 0x7e, 0x16, 0x02, 0x76, 0xc2, 0xdb, 0x88, 0x67, 0x92, 0xbd, 0x79,
	0x42, 0x50, 0xaf, 0xac, 0x88, 0x42, 0xcf, 0x7e, 0x9d, 0x17, 0xe2, 0x66, 0x61, 0x65, 0x73,
	0x29, 0xe4, 0x3d, 0x48, 0x53, 0xf9, 0xb9, 0x66, 0x42, 0x8c, 0x83, 0xb6, 0xce, 0x0d, 0x5f,
	0x0d, 0x01, 0x38, 0xe0, 0x91, 0xba, 0xaa, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f,
	0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f,
	0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f,
	0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f,
	0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f, 0x2f,
	0x2f, 0x2f, 0x2f, 0x2f, 0xa0, 0xa0, 0xa0, 0xa0, 0x59, 0x59, 0x59, 0x59, 0x59, 0x59, 0x59,
	0x59, 0x59, 0xa0, 0xa0, 0xa0, 0xa0, 0xa0, 0x2a, 0xa4, 0xed,
};

/* Records, and inits that fail with a tag: kcrypto returned four bytes of another tag. */
static const unsigned char shown[] = {
	0x01, 0x06, 0x00, 0x00, 0xae, 0xa3, 0xd9, 0x43, 0x0d, 0xa7, 0x79, 0xef, 0x90, 0x14, 0x84,
	0x93, 0xca, 0x91, 0x1f, 0x30, 0x9a, 0xd9, 0x2b, 0xe0, 0xe4, 0x5f, 0x3c, 0xa8, 0x15, 0x60,
	0x0b, 0xfd, 0xc7, 0xe8, 0x2d, 0x65, 0x33, 0x64, 0x04, 0x4b, 0x61, 0x96, 0x2b, 0xc9, 0x73,
	0x9e, 0x2b, 0x32, 0x37, 0x32, 0x32, 0x32, 0x32, 0x32, 0x32, 0x32, 0x32, 0x5d, 0x32, 0x32,
	0x32, 0x32, 0x32, 0x32, 0x32, 0x32, 0x32, 0xff, 0xff, 0xff, 0xff, 0x32, 0x32, 0x32, 0x32,
	0x32, 0x32, 0x32, 0x32, 0x32, 0xe9, 0xe9, 0x92, 0x90, 0xc6, 0xc0, 0x0d, 0x59, 0x62, 0xc4,
	0x81, 0x56, 0x44, 0x8a, 0x47, 0x33, 0x73, 0x0e, 0xd4, 0x48, 0xd7, 0xca, 0xb7, 0x98, 0xc3,
	0x0c, 0x2c, 0x80, 0xe2, 0x67, 0xaf, 0xcd, 0xd6, 0x7c, 0xdd, 0x0d, 0xd2, 0xdf, 0xc1, 0x60,
	0x08, 0x6e, 0x00, 0xff, 0x42, 0x87, 0x01, 0x1d, 0x6c, 0xa4, 0xd5, 0x6f, 0x97, 0xf4, 0xe3,
	0x4d, 0x38, 0xac, 0x87, 0x0f, 0x0b, 0x69, 0x76, 0xf3, 0xed, 0x05, 0xcf, 0x8f, 0x70, 0x77,
	0xa9, 0x93, 0xec, 0xf6, 0xa8, 0xe9, 0x05, 0xc2, 0xf6, 0x0d, 0x83, 0x46, 0xfa,
};

void write_seeds(void)
{
	struct random random = { .state = 1 };

	seed("found", found, sizeof(found));
	seed("shown", shown, sizeof(shown));
	for (unsigned char i = 0; i < 40; i++) {
		unsigned char bytes[HEADER + 160];

		random_bytes(&random, bytes, sizeof(bytes));
		bytes[ANY_ROW] = i;
		bytes[ROW] = i;
		bytes[FAIL_ONE_IN] = i % 4;
		bytes[LIMITS] = (i % 8 == 7) + i % 16 / 8 * 2;
		seed((char[]){ (char)('a' + i / 10), (char)('0' + i % 10), '\0' }, bytes,
		     sizeof(bytes));
	}
}

static void warm_up_once(EVP_CIPHER_CTX *c)
{
	bool is_ccm = EVP_CIPHER_CTX_get_mode(c) == EVP_CIPH_CCM_MODE;
	unsigned char tag[12]; /* CCM's default length, and the end of a message */
	int n;

	assert(!is_ccm || EVP_EncryptUpdate(c, NULL, &n, NULL, 4096));
	assert(EVP_EncryptUpdate(c, room, &n, room, 4096));
	assert(!is_ccm || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag) > 0);
}

/*
 * Makes one long request with each cipher, so that all trials are over and every input meets the
 * same state.
 */
static void warm_up(EVP_CIPHER *cipher)
{
	/* The halves of an XTS key must differ. */
	static const unsigned char key[EVP_MAX_KEY_LENGTH] = { 1 }, iv[EVP_MAX_IV_LENGTH];
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	unsigned before;

	assert(c && EVP_EncryptInit_ex(c, cipher, NULL, key, iv));
	warm_up_once(c);
	assert(EVP_EncryptInit_ex(c, NULL, NULL, NULL, iv));
	before = standin.requests;
	warm_up_once(c);
	assert(standin.requests == before + 1);
	EVP_CIPHER_CTX_free(c);
}

/* As warm_up(). The second half goes in blocks, where there are midstates. */
static void warm_up_digest(const EVP_MD *md)
{
	unsigned char out[EVP_MAX_MD_SIZE];
	unsigned before = standin.requests;

	for (size_t len = 60000; len < PLAY_ROOM; len += 60000)
		assert(EVP_Digest(room, len, out, NULL, md, NULL));
	assert(standin.requests > before);
}

static void prepare(void)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

	assert(ctx);
	assert(setenv("KC_STANDIN_BLOCKS", "1", 1) == 0);
	standin_reset();
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", OSSL_provider_init);
	assert(OSSL_LIB_CTX_load_config(ctx, ALL_CNF));
	row_load_legacy(ctx);
	room = calloc(1, PLAY_ROOM);
	assert(room);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_algs[i].kind > KC_DIGEST)
			continue;
		assert(diff_find(ctx, &kc_algs[i], &offered[n_offered]));
		if (kc_algs[i].kind == KC_AEAD)
			aead[n_aeads++] = n_offered;
		if (kc_algs[i].kind == KC_DIGEST) {
			digest[n_digests++] = n_offered;
			warm_up_digest(offered[n_offered++].of[0].md);
			continue;
		}
		warm_up(offered[n_offered++].of[0].cipher);
	}
	memset(room, 0, PLAY_ROOM);
	kc_session_end_idle();
}

/* Six of eight inputs test an AEAD, as their contexts have the most state. */
static const struct diff_row *row_for(const uint8_t *header)
{
	unsigned any = header[ANY_ROW] % 8, row = header[ROW];

	if (any == 7)
		return &offered[digest[row % n_digests]];
	return &offered[any ? aead[row % n_aeads] : row % n_offered];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct random source = { .state = 1 };

	if (!room)
		prepare();
	if (size < HEADER)
		return 0;
	standin_reset();
	standin.fail_one_in = data[FAIL_ONE_IN];
	standin.open_errno = data[LIMITS] & 1 ? EMFILE : 0;
	play_longest = data[LIMITS] / 2 % 8 ? SHORT : LONG;
	play_stream = data[LIMITS] / 2 % 8 ? 2 * SHORT : STREAM;
	source.bytes = data + HEADER;
	source.left = size - HEADER;
	if (!diff_play(room, row_for(data), source))
		abort();
	/* No session is left open, except those that wait for the next digest. */
	kc_session_end_idle();
	assert(standin.opened == standin.closed && standin.forgotten == 0);
	return 0;
}
