/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways for processes, providers and library contexts to end while contexts of ours live and threads
 * encrypt. Each is a process of its own, running this program again; it must end as intended.
 * usage: ends_test ONE.CNF OTHER.CNF LOADS [WAY]; LOADS: how often it loads and unloads
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "diff/stats_file.h"
#include "local.h"
#include "stats/table.h"
#include "integration/live.h"
#include "integration/must.h"

#define THREADS 2

extern void diff_setup(OSSL_LIB_CTX *ctx);

static const char *const *config; /* two that differ */
static unsigned long loads;
static const char *const names[] = { "AES-128-CBC", "AES-256-CBC" };

/* NULL: the process's own library context, which is loaded once. */
static void load(OSSL_LIB_CTX *lib, int which)
{
	diff_setup(lib);
	must(OSSL_LIB_CTX_load_config(lib, config[which]), "load the configuration");
}

static EVP_CIPHER_CTX *context(OSSL_LIB_CTX *lib, int which)
{
	return live_context_of(lib, names[which], "provider=kcrypto");
}

static void is_right(EVP_CIPHER_CTX *c)
{
	must(live_is_right(c), "wrong bytes");
}

static atomic_bool stop;
static atomic_uint going;

static void *encrypt_for_ever(void *c)
{
	is_right(c);
	atomic_fetch_add(&going, 1);
	while (!atomic_load(&stop))
		is_right(c);
	return NULL;
}

/* Live contexts and threads at work, in the process's own library context. */
static void be_busy(void)
{
	static EVP_CIPHER_CTX *c[THREADS + 1];
	pthread_t thread;

	load(NULL, 0);
	for (int i = 0; i <= THREADS; i++)
		c[i] = context(NULL, 0);
	is_right(c[THREADS]);
	for (int i = 0; i < THREADS; i++) {
		must(pthread_create(&thread, NULL, encrypt_for_ever, c[i]) == 0, "thread");
		pthread_detach(thread);
	}
	while (atomic_load(&going) < THREADS)
		usleep(1000);
}

static int return_from_main(void)
{
	be_busy();
	return 3;
}

static int exit_from_main(void)
{
	be_busy();
	exit(4);
}

static void *exit_5(void *unused)
{
	(void)unused;
	exit(5);
}

static int exit_from_a_thread(void)
{
	EVP_CIPHER_CTX *c;
	pthread_t thread;

	be_busy();
	/* Before: a library that is being cleaned up must not be used for a fetch. */
	c = context(NULL, 0);
	pthread_create(&thread, NULL, exit_5, NULL);
	encrypt_for_ever(c);
	return 0;
}

static int exit_at_once(void)
{
	be_busy();
	_exit(6);
}

static int quick_exit_from_main(void)
{
	be_busy();
	quick_exit(7);
}

static int die_of_a_signal(void)
{
	be_busy();
	kill(getpid(), SIGTERM);
	pause();
	return 0;
}

/* Done before main returns; OpenSSL's own handler finds nothing left to do. */
static int clean_up_with_contexts_alive(void)
{
	EVP_CIPHER_CTX *c[3];

	load(NULL, 0);
	for (int i = 0; i < 3; i++) {
		c[i] = context(NULL, 0);
		is_right(c[i]);
	}
	EVP_CIPHER_CTX_free(c[0]);
	OPENSSL_cleanup();
	is_right(c[1]);
	EVP_CIPHER_CTX_free(c[1]);
	EVP_CIPHER_CTX_free(c[2]);
	return 8;
}

static int clean_up_after_all(void)
{
	EVP_CIPHER_CTX *c;

	load(NULL, 0);
	c = context(NULL, 0);
	is_right(c);
	EVP_CIPHER_CTX_free(c);
	OPENSSL_cleanup();
	return 9;
}

/* As an exit handler may that was registered before OpenSSL's. */
static int make_a_context_after_the_cleanup(void)
{
	EVP_CIPHER_CTX *cipher;
	EVP_MAC_CTX *c;
	EVP_MAC *mac;

	load(NULL, 1);
	cipher = context(NULL, 1);
	is_right(cipher);
	EVP_CIPHER_CTX_free(cipher);
	mac = EVP_MAC_fetch(NULL, "HMAC", "provider=kcrypto");
	must(mac, "fetch");
	OPENSSL_cleanup();
	c = EVP_MAC_CTX_new(mac);
	must(c, "context");
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(mac);
	return 16;
}

static int free_the_library_context_first(void)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	EVP_CIPHER_CTX *c, *copy = EVP_CIPHER_CTX_new();
	LOCAL(EVP_CIPHER) *cipher = NULL;

	load(lib, 0);
	c = context(lib, 0);
	cipher = EVP_CIPHER_fetch(lib, names[0], "provider=kcrypto");
	is_right(c);
	OSSL_LIB_CTX_free(lib);
	is_right(c);
	must(EVP_CIPHER_CTX_copy(copy, c), "copy");
	EVP_CIPHER_CTX_free(c);
	is_right(copy);
	EVP_CIPHER_CTX_free(copy);
	return 10;
}

static int unload_the_provider_first(void)
{
	LOCAL(OSSL_LIB_CTX) *lib = OSSL_LIB_CTX_new();
	OSSL_PROVIDER *base = OSSL_PROVIDER_load(lib, "default"), *ours;
	LOCAL(EVP_CIPHER_CTX) *c = NULL;

	load(lib, 0);
	ours = OSSL_PROVIDER_load(lib, "kcrypto");
	must(base && ours, "load");
	c = context(lib, 0);
	is_right(c);
	OSSL_PROVIDER_unload(ours);
	OSSL_PROVIDER_unload(base);
	is_right(c);
	return 11;
}

/* One load, one context, one large request, and the end of all. */
static void load_once(int which)
{
	LOCAL(OSSL_LIB_CTX) *lib = OSSL_LIB_CTX_new();
	LOCAL(EVP_CIPHER_CTX) *c = NULL;

	load(lib, which);
	c = context(lib, which);
	is_right(c);
}

static void *load_often(void *which)
{
	for (unsigned long i = 0; i < loads / 10 + 5; i++)
		load_once(*(const int *)which);
	return NULL;
}

/* Two that come and go with different configurations, while a third one works all the time. */
static int several_library_contexts_at_once(void)
{
	static const int number[2] = { 0, 1 };
	LOCAL(OSSL_LIB_CTX) *lib = OSSL_LIB_CTX_new();
	LOCAL(EVP_CIPHER_CTX) *c = NULL;
	pthread_t thread[3];

	load(lib, 0);
	c = context(lib, 0);
	pthread_create(&thread[2], NULL, encrypt_for_ever, c);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, load_often, (void *)(uintptr_t)&number[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	atomic_store(&stop, true);
	pthread_join(thread[2], NULL);
	return 12;
}

static unsigned entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	must(dir, path);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static unsigned mapped_files(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned n = 0;

	must(f, "maps");
	while (fgets(line, sizeof(line), f))
		n += strchr(line, '/') != NULL;
	fclose(f);
	return n;
}

static int load_and_unload(void)
{
	unsigned fds, maps;

	load_once(0);
	load_once(1);
	fds = entries("/proc/self/fd");
	maps = mapped_files();
	for (unsigned long i = 0; i < loads; i++)
		load_once(i % 2);
	must(entries("/proc/self/fd") == fds, "descriptors were leaked");
	must(mapped_files() == maps, "mappings were leaked");
	return 13;
}

/* Draws random numbers of this thread, as a GCM context does that got no IV. */
static void draw(OSSL_LIB_CTX *lib)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, "AES-128-GCM", "provider=kcrypto");
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	unsigned char out[16];
	int n = 0;

	must(cipher && c && EVP_EncryptInit_ex(c, cipher, NULL, live_key, NULL) &&
		     EVP_EncryptUpdate(c, out, &n, live_in, sizeof(out)),
	     "random IV");
}

static void *draw_in_a_library_context_of_its_own(void *all)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

	load(lib, 1);
	draw(lib);
	pthread_barrier_wait(all);
	OSSL_LIB_CTX_free(lib);
	pthread_barrier_wait(all);
	return NULL;
}

/* The thread that is not the last to free its own still has its random number generator. */
static int threads_outlive_their_library_contexts(void)
{
	pthread_barrier_t all;
	pthread_t thread[THREADS];

	load_once(1);
	pthread_barrier_init(&all, NULL, THREADS);
	for (unsigned long i = 0; i < loads; i++) {
		for (int k = 0; k < THREADS; k++)
			pthread_create(&thread[k], NULL, draw_in_a_library_context_of_its_own,
				       &all);
		for (int k = 0; k < THREADS; k++)
			pthread_join(thread[k], NULL);
	}
	return 14;
}

struct drawer {
	OSSL_LIB_CTX *lib;
	pthread_barrier_t stopped, freed;
};

/* As the manual wants it of a thread that lives longer than a library context. */
static void *draw_and_stop(void *arg)
{
	struct drawer *d = arg;

	draw(d->lib);
	OPENSSL_thread_stop_ex(d->lib);
	pthread_barrier_wait(&d->stopped);
	pthread_barrier_wait(&d->freed);
	return NULL;
}

static int threads_stop_before_their_library_context_is_freed(void)
{
	pthread_t thread[THREADS];

	load_once(1);
	for (unsigned long i = 0; i < loads; i++) {
		struct drawer d = { .lib = OSSL_LIB_CTX_new() };

		load(d.lib, 1);
		pthread_barrier_init(&d.stopped, NULL, THREADS + 1);
		pthread_barrier_init(&d.freed, NULL, THREADS + 1);
		for (int k = 0; k < THREADS; k++)
			pthread_create(&thread[k], NULL, draw_and_stop, &d);
		pthread_barrier_wait(&d.stopped);
		OSSL_LIB_CTX_free(d.lib);
		pthread_barrier_wait(&d.freed);
		for (int k = 0; k < THREADS; k++)
			pthread_join(thread[k], NULL);
	}
	return 15;
}

static const struct way {
	const char *name;
	int (*go)(void);
	int status;
} ways[] = {
	{ "return_from_main", return_from_main, 3 << 8 },
	{ "exit_from_main", exit_from_main, 4 << 8 },
	{ "exit_from_a_thread", exit_from_a_thread, 5 << 8 },
	{ "exit_at_once", exit_at_once, 6 << 8 },
	{ "quick_exit_from_main", quick_exit_from_main, 7 << 8 },
	{ "die_of_a_signal", die_of_a_signal, SIGTERM },
	{ "clean_up_with_contexts_alive", clean_up_with_contexts_alive, 8 << 8 },
	{ "clean_up_after_all", clean_up_after_all, 9 << 8 },
	{ "free_the_library_context_first", free_the_library_context_first, 10 << 8 },
	{ "unload_the_provider_first", unload_the_provider_first, 11 << 8 },
	{ "several_library_contexts_at_once", several_library_contexts_at_once, 12 << 8 },
	{ "load_and_unload", load_and_unload, 13 << 8 },
	{ "make_a_context_after_the_cleanup", make_a_context_after_the_cleanup, 16 << 8 },
	{ "threads_outlive_their_library_contexts", threads_outlive_their_library_contexts,
	  14 << 8 },
	{ "threads_stop_before_their_library_context_is_freed",
	  threads_stop_before_their_library_context_is_freed, 15 << 8 },
};

static unsigned long long requests(void)
{
	const struct kc_stats_row *row = stats_file_read()->row;

	return kc_stats_sum(&row[KC_ALG_AES_128_CBC]).requests +
	       kc_stats_sum(&row[KC_ALG_AES_256_CBC]).requests;
}

/* 1 and a line if it did not end as it should. */
static int run(const struct way *way, char **argv)
{
	char *args[] = { argv[0], argv[1], argv[2], argv[3], (char *)(uintptr_t)way->name, NULL };
	unsigned long long before = requests();
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		execv(argv[0], args);
		_exit(71);
	}
	waitpid(pid, &status, 0);
	printf("  %s\n", way->name);
	fflush(stdout);
	if (status == way->status && requests() > before)
		return 0;
	fprintf(stderr, "ends_test: %s: ended with %#x instead of %#x, %llu requests\n", way->name,
		status, way->status, requests() - before);
	return 1;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc < 4)
		return 2;
	config = (const char *const *)&argv[1];
	loads = strtoul(argv[3], NULL, 10);
	if (argc == 4)
		stats_file_make();
	else
		live_prepare();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc == 4)
			bad += run(&ways[i], argv);
		else if (strcmp(argv[4], ways[i].name) == 0)
			return ways[i].go();
	if (argc == 4)
		printf("ends_test: %zu ways to end, %d bad\n", sizeof(ways) / sizeof(ways[0]), bad);
	return bad != 0;
}
