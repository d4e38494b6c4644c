/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test's steps, decided by the input: which cipher, which requests fail, then
 * diff.c's choices. The provider is built in, over the stand-in.
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
#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;

/* The first bytes of an input. */
enum { CIPHER, FAIL_ONE_IN, OPEN_FAILS, HEADER };

static struct diff_row offered[KC_ALG_COUNT];
static size_t n_offered;
static unsigned char *room; /* PLAY_ROOM bytes */

void write_seeds(void)
{
	struct random random = { .state = 1 };

	for (unsigned char i = 0; i < 40; i++) {
		unsigned char bytes[HEADER + 160];

		random_bytes(&random, bytes, sizeof(bytes));
		bytes[CIPHER] = i;
		bytes[FAIL_ONE_IN] = i % 4;
		bytes[OPEN_FAILS] = i % 8 == 7;
		seed((char[]){ (char)('a' + i / 10), (char)('0' + i % 10), '\0' }, bytes,
		     sizeof(bytes));
	}
}

static void warm_up_once(EVP_CIPHER_CTX *c)
{
	int n;

	if (EVP_CIPHER_CTX_get_mode(c) == EVP_CIPH_CCM_MODE)
		assert(EVP_EncryptUpdate(c, NULL, &n, NULL, 4096));
	assert(EVP_EncryptUpdate(c, room, &n, room, 4096));
}

/* One long request each, so that all trials are over and every input meets the same state. */
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

static void prepare(void)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

	assert(ctx);
	standin_reset();
	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", OSSL_provider_init);
	assert(OSSL_LIB_CTX_load_config(ctx, ALL_CNF));
	row_load_legacy(ctx);
	room = calloc(1, PLAY_ROOM);
	assert(room);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_algs[i].kind > KC_AEAD)
			continue;
		assert(diff_find(ctx, &kc_algs[i], &offered[n_offered]));
		warm_up(offered[n_offered++].of[0].cipher);
	}
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
	standin.open_errno = data[OPEN_FAILS] & 1 ? EMFILE : 0;
	source.bytes = data + HEADER;
	source.left = size - HEADER;
	if (!diff_play(room, &offered[data[CIPHER] % n_offered], source))
		abort();
	/* Nothing is left open. */
	assert(standin.opened == standin.closed && standin.forgotten == 0);
	return 0;
}
