/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a configuration gains, update by update: kcrypto-lengths ENGINE WARM ALGORITHM [LENGTH...]
 *
 * For each direction, length and place of the buffers, prints the time of an update by the default
 * provider and by the provider that OPENSSL_CONF prefers, after WARM updates from which a process
 * may learn. Also prints the part of the bytes that the engine itself has counted in the file
 * ENGINE ("-": there is none). The fastest of a few updates counts, which is a good measure only if
 * the clock counts instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>

#define ROUNDS	4
#define LONGEST 262144
#define PAGE	4096 /* places are offsets from a page's start */

#define LENGTHS 8

static size_t lengths[LENGTHS + 1] = { 2048, 4096, 8192, 16384, 32768, 49152, 65536, 131072 };
static const size_t places[] = { 0, 8 };

struct side {
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *ctx;
	double ns; /* of the fastest update */
};

static const char *engine_file;
static unsigned char *in, *out;

/* Returns the bytes that the engine has done; 0 if there is no file. */
static unsigned long long by_engine(void)
{
	unsigned long long bytes = 0;
	FILE *f = fopen(engine_file, "r");

	if (f && fscanf(f, "requests %*u bytes %llu", &bytes) != 1)
		bytes = 0;
	if (f)
		fclose(f);
	return bytes;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "kcrypto-lengths: %s failed\n", what);
	exit(1);
}

static void begin(struct side *s, const char *name, const char *properties, int encrypts)
{
	static const unsigned char key[64] = { 1 }, iv[16];

	s->cipher = EVP_CIPHER_fetch(NULL, name, properties);
	s->ctx = EVP_CIPHER_CTX_new();
	must(s->cipher && s->ctx && EVP_CipherInit_ex2(s->ctx, s->cipher, key, iv, encrypts, NULL),
	     name);
	EVP_CIPHER_CTX_set_padding(s->ctx, 0);
}

static void end(struct side *s)
{
	EVP_CIPHER_CTX_free(s->ctx);
	EVP_CIPHER_free(s->cipher);
}

static void update(struct side *s, size_t len, size_t place)
{
	double start = now_ns(), took;
	int n;

	must(EVP_CipherUpdate(s->ctx, out + place, &n, in + place, (int)len), "an update");
	took = now_ns() - start;
	if (!s->ns || took < s->ns)
		s->ns = took;
}

static double mb_per_s(const struct side *s, size_t len)
{
	return (double)len * 1e3 / s->ns;
}

static void compare(const char *name, int encrypts, size_t len, size_t place, unsigned warm)
{
	struct side soft = { 0 }, ours = { 0 };
	unsigned long long before;

	begin(&soft, name, "provider=default", encrypts);
	begin(&ours, name, NULL, encrypts);
	for (unsigned i = 0; i < warm; i++)
		update(&ours, len, place);
	ours.ns = 0;
	before = by_engine();
	for (unsigned i = 0; i < ROUNDS; i++)
		update(&ours, len, place);
	before = by_engine() - before;
	for (unsigned i = 0; i < ROUNDS; i++)
		update(&soft, len, place);
	printf("%-12s %s %6zu at +%zu: software %6.1f MB/s, kcrypto %6.1f MB/s, ratio %.2f, "
	       "engine %3.0f %%\n",
	       name, encrypts ? "enc" : "dec", len, place, mb_per_s(&soft, len),
	       mb_per_s(&ours, len), soft.ns / ours.ns,
	       (double)before * 100 / (double)(ROUNDS * len));
	fflush(stdout);
	end(&soft);
	end(&ours);
}

static void compare_all(const char *name, unsigned warm)
{
	for (int encrypts = 1; encrypts >= 0; encrypts--)
		for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++)
			for (const size_t *len = lengths; *len; len++)
				compare(name, encrypts, *len, places[p], warm);
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc > 4 + LENGTHS) {
		fprintf(stderr, "usage: kcrypto-lengths ENGINE WARM ALGORITHM [LENGTH...]\n");
		return 2;
	}
	engine_file = argv[1];
	if (argc > 4)
		memset(lengths, 0, sizeof(lengths));
	for (int i = 4; i < argc; i++) {
		lengths[i - 4] = strtoul(argv[i], NULL, 10);
		must(lengths[i - 4] && lengths[i - 4] <= LONGEST - PAGE, argv[i]);
	}
	in = aligned_alloc(PAGE, LONGEST);
	out = aligned_alloc(PAGE, LONGEST);
	must(in && out, "memory");
	memset(in, 7, LONGEST);
	compare_all(argv[3], (unsigned)atoi(argv[2]));
	free(in);
	free(out);
	return 0;
}
