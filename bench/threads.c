/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The throughput of several threads, each with a context of its own, in updates of one length:
 * threads CIPHER BYTES THREADS. Prints MB/s, all threads together, in a second.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <openssl/evp.h>

#define MOST 64
#define WARM 20 /* updates until a session is open and nothing more is learned */

static const char *name;
static int len;
static atomic_bool ends;
static pthread_barrier_t start;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the number of updates as a pointer. */
static void *work(void *unused)
{
	static const unsigned char key[64] = "a key that is longer than any", iv[16];
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned char *in = calloc(1, (size_t)len), *out = malloc((size_t)len + 16);
	bool ok = in && out && EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL);
	unsigned long n = 0;
	int outl;

	for (int i = 0; i < WARM; i++)
		ok &= EVP_EncryptUpdate(ctx, out, &outl, in, len);
	pthread_barrier_wait(&start);
	while (ok && !atomic_load_explicit(&ends, memory_order_relaxed)) {
		ok = EVP_EncryptUpdate(ctx, out, &outl, in, len);
		n++;
	}
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
	free(in);
	free(out);
	return ok ? (void *)n : unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t thread[MOST];
	double begin, updates = 0;
	void *n;

	if (threads < 1 || threads > MOST)
		return 2;
	name = argv[1];
	len = atoi(argv[2]);
	pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	pthread_barrier_wait(&start);
	begin = now();
	nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	atomic_store(&ends, true);
	begin = now() - begin;
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], &n);
		updates += (double)(size_t)n;
	}
	printf("%.1f\n", updates * len / begin / 1e6);
	return updates == 0;
}
