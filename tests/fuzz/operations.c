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

#include "diff/aead.h"
#include "diff/diff.h"
#include "diff/row.h"
#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;

/* The first bytes of an input. */
enum { CIPHER, FAIL_ONE_IN, OPEN_FAILS, HEADER };

static struct {
	EVP_CIPHER *ours, *theirs;
	enum kc_kind kind;
} offered[KC_ALG_COUNT];
static size_t n_offered;

static struct diff_options options;

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
	assert(EVP_EncryptUpdate(c, options.room, &n, options.room, 4096));
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
	options.room = calloc(1, diff_room());
	assert(options.room);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		size_t n = n_offered;

		if (kc_algs[i].kind > KC_AEAD)
			continue;
		assert(row_fetch(ctx, &kc_algs[i], &offered[n].ours, &offered[n].theirs));
		offered[n].kind = kc_algs[i].kind;
		warm_up(offered[n_offered++].ours);
	}
}

static bool play(size_t row, struct random source)
{
	return (offered[row].kind == KC_AEAD ? aead_play : diff_play)(&options, offered[row].ours,
								      offered[row].theirs, source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct random source = { .state = 1 };
	size_t which;

	if (!options.room)
		prepare();
	if (size < HEADER)
		return 0;
	standin_reset();
	standin.fail_one_in = data[FAIL_ONE_IN];
	standin.open_errno = data[OPEN_FAILS] & 1 ? EMFILE : 0;
	source.bytes = data + HEADER;
	source.left = size - HEADER;
	which = data[CIPHER] % n_offered;
	if (!play(which, source))
		abort();
	/* Nothing is left open. */
	assert(standin.opened == standin.closed && standin.forgotten == 0);
	return 0;
}
