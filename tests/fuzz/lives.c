/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens around contexts: library contexts come and go, some with a tune file of arbitrary
 * content; threads, copies and keys. The input is a list of steps; each output has to be the
 * default provider's. The provider is built in, over the stand-in.
 */
#include "fuzz.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "local.h"
#include "policy/tune_file.h"
#include "standin/standin.h"

OSSL_provider_init_fn OSSL_provider_init;

enum { LIBS = 3, CONTEXTS = 4, NAMES = 4, LONGEST = 4096, PATCHES = 8, MOST = 32 };

static const char *const names[NAMES] = { "AES-128-CBC", "AES-256-CTR", "AES-128-GCM",
					  "ChaCha20-Poly1305" };
static const unsigned char key[EVP_MAX_KEY_LENGTH] = { 7, 1 };

static OSSL_LIB_CTX *plain; /* has OpenSSL's own providers only */
static EVP_CIPHER *software[NAMES];
static char tuned_path[] = "/tmp/kcrypto-lives.XXXXXX", config_path[] = "/tmp/kcrypto-lives.XXXXXX";

static OSSL_LIB_CTX *libs[LIBS];
static struct context {
	EVP_CIPHER_CTX *c;
	unsigned name;
} contexts[CONTEXTS];

static const uint8_t *input;
static size_t left;

static unsigned next(void)
{
	return left ? (left--, *input++) : 0;
}

void write_seeds(void)
{
	static const unsigned char steps[] = {
		0, 0, 2, 0, 3, 0, 5, 0, 6, 0, 4, 0, 1, 0, 3, 0, 7, 0
	};
	unsigned char bytes[8 * sizeof(steps)];

	for (unsigned char i = 0; i < 16; i++) {
		for (size_t n = 0; n < sizeof(bytes); n++)
			bytes[n] = (unsigned char)(steps[n % sizeof(steps)] + n * i / 3);
		seed((char[]){ (char)('a' + i), '\0' }, bytes, sizeof(bytes));
	}
}

/* A file as tune writes it, with a result for each name. */
static struct kc_tuned *tuned_new(void)
{
	static struct kc_drivers drivers;
	struct kc_tuned *t;

	kc_drivers_init(&drivers, NULL);
	assert(standin_backend.discover(&drivers) == 0);
	t = kc_tuned_new(drivers.n, NAMES);
	assert(t);
	kc_tuned_add_drivers(t, &standin_backend, &drivers);
	for (size_t i = 0; i < NAMES; i++) {
		struct kc_candidate c = { .alg = kc_alg_find(names[i]),
					  .backend = &standin_backend,
					  .driver = "standin-device" };

		assert(c.alg);
		kc_tuned_add_fact(t, &c)->session_bytes = 1;
	}
	kc_tuned_seal(t);
	return t;
}

/* Some bytes come from the input. The checksum is right, as nothing would be read otherwise. */
static void write_tuned(void)
{
	struct kc_tuned *t = tuned_new();
	size_t size = t->size, n_drivers = t->n_drivers, n_facts = t->n_facts;
	FILE *file = fopen(tuned_path, "w");

	for (unsigned n = next() % PATCHES; n; n--) {
		size_t at = (next() << 8 | next()) % size;

		/*
		 * Most of the file is a list of drivers. What the file says of them stands at its
		 * end.
		 */
		((unsigned char *)t)[next() % 2 ? at : size - 1 - at % 512] = (unsigned char)next();
	}
	if (t->n_drivers == n_drivers && t->n_facts == n_facts)
		kc_tuned_seal(t);
	assert(file && fwrite(t, 1, size, file) == size && fclose(file) == 0);
	free(t);
}

static void make_lib(void)
{
	OSSL_LIB_CTX **lib = &libs[next() % LIBS];

	if (*lib)
		return;
	write_tuned();
	*lib = OSSL_LIB_CTX_new();
	assert(*lib && OSSL_PROVIDER_add_builtin(*lib, "kcrypto", OSSL_provider_init));
	assert(OSSL_LIB_CTX_load_config(*lib, next() % 2 ? config_path : ALL_CNF));
}

/* The library context's contexts live on. */
static void free_lib(void)
{
	OSSL_LIB_CTX **lib = &libs[next() % LIBS];

	OSSL_LIB_CTX_free(*lib);
	*lib = NULL;
}

static void make_context(void)
{
	struct context *to = &contexts[next() % CONTEXTS];
	OSSL_LIB_CTX *lib = libs[next() % LIBS];
	LOCAL(EVP_CIPHER) *cipher = NULL;

	if (to->c || !lib)
		return;
	to->name = next() % NAMES;
	/* A tune file may say that the algorithm never pays. */
	cipher = EVP_CIPHER_fetch(lib, names[to->name], "provider=kcrypto");
	if (!cipher)
		return;
	to->c = EVP_CIPHER_CTX_new();
	assert(to->c && EVP_EncryptInit_ex(to->c, cipher, NULL, key, NULL));
}

static void free_context(void)
{
	struct context *c = &contexts[next() % CONTEXTS];

	EVP_CIPHER_CTX_free(c->c);
	c->c = NULL;
}

static void copy_context(void)
{
	const struct context *from = &contexts[next() % CONTEXTS];
	struct context *to = &contexts[next() % CONTEXTS];

	if (!from->c || to->c)
		return;
	to->name = from->name;
	to->c = EVP_CIPHER_CTX_new();
	assert(to->c && EVP_CIPHER_CTX_copy(to->c, from->c));
}

/* Draws half of the nonce's bytes in the library context that does the work. */
static void draw_nonce(EVP_CIPHER_CTX *c, unsigned char *iv)
{
	assert(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv));
	assert(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 8, iv + 4));
}

static void finish(EVP_CIPHER_CTX *c, unsigned char *out, int *n)
{
	int last = 0;

	assert(EVP_EncryptFinal_ex(c, out + *n, &last));
	*n += last;
	if (EVP_CIPHER_CTX_get_mode(c) == EVP_CIPH_GCM_MODE ||
	    EVP_CIPHER_CTX_get_mode(c) == EVP_CIPH_STREAM_CIPHER) {
		assert(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out + *n));
		*n += 16;
	}
}

static void encrypt(const struct context *of, size_t len, bool draws)
{
	static unsigned char in[LONGEST], out[2][LONGEST + 32];
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	unsigned char iv[EVP_MAX_IV_LENGTH] = { 3 };
	int n[2];

	assert(EVP_EncryptInit_ex(of->c, NULL, NULL, NULL, iv));
	if (draws && EVP_CIPHER_CTX_get_mode(of->c) == EVP_CIPH_GCM_MODE)
		draw_nonce(of->c, iv);
	assert(EVP_EncryptUpdate(of->c, out[0], &n[0], in, (int)len));
	finish(of->c, out[0], &n[0]);
	assert(c && EVP_EncryptInit_ex(c, software[of->name], NULL, key, iv));
	assert(EVP_EncryptUpdate(c, out[1], &n[1], in, (int)len));
	finish(c, out[1], &n[1]);
	assert(n[0] == n[1] && memcmp(out[0], out[1], (size_t)n[0]) == 0);
}

/* Returns whether there was anything to do. */
static bool work(void)
{
	const struct context *of = &contexts[next() % CONTEXTS];
	size_t len = (next() << 8 | next()) % LONGEST;

	if (of->c)
		encrypt(of, len, next() % 2);
	return of->c;
}

static void *work_and_end(void *unused)
{
	unsigned how = next();

	while (work() && next() % 2)
		;
	if (how % 3 == 1 && libs[how / 3 % LIBS])
		OPENSSL_thread_stop_ex(libs[how / 3 % LIBS]);
	else if (how % 3 == 2)
		OPENSSL_thread_stop();
	if (how % 7 == 0)
		free_context();
	return unused;
}

static void work_here(void)
{
	work();
}

static void work_in_a_thread(void)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, work_and_end, NULL) == 0);
	assert(pthread_join(thread, NULL) == 0);
}

static void (*const steps[])(void) = { make_lib,     make_lib,	       make_context,
				       make_context, copy_context,     work_here,
				       free_context, work_in_a_thread, free_lib };

static void remove_files(void)
{
	unlink(tuned_path);
	unlink(config_path);
}

static void prepare(void)
{
	char line[200];
	FILE *all = fopen(ALL_CNF, "r"), *file;
	int fd = mkstemp(tuned_path), other = mkstemp(config_path);

	assert(all && fd >= 0 && other >= 0 && atexit(remove_files) == 0);
	close(fd);
	file = fdopen(other, "w");
	assert(file);
	while (fgets(line, sizeof(line), all)) {
		fputs(line, file);
		if (strncmp(line, "soft_drivers", strlen("soft_drivers")) == 0)
			fprintf(file, "tune_file = %s\n", tuned_path);
	}
	assert(fclose(file) == 0 && fclose(all) == 0);
	plain = OSSL_LIB_CTX_new();
	for (size_t i = 0; i < NAMES; i++)
		assert((software[i] = EVP_CIPHER_fetch(plain, names[i], NULL)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!plain)
		prepare();
	standin_reset();
	input = data;
	left = size;
	standin.fail_one_in = next() % 4;
	for (int i = 0; left && i < MOST; i++)
		steps[next() % (sizeof(steps) / sizeof(steps[0]))]();
	for (size_t i = 0; i < CONTEXTS; i++) {
		EVP_CIPHER_CTX_free(contexts[i].c);
		contexts[i].c = NULL;
	}
	for (size_t i = 0; i < LIBS; i++) {
		OSSL_LIB_CTX_free(libs[i]);
		libs[i] = NULL;
	}
	/* No session is left open. */
	assert(standin.opened == standin.closed && standin.forgotten == 0);
	return 0;
}
