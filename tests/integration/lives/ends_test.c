/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways in which processes, providers and library contexts end while kcrypto contexts live and
 * threads encrypt. Each way is a process of its own, which must end as intended. usage: ends_test
 * ONE.CNF OTHER.CNF LOADS [WAY]; LOADS: how often it loads and unloads
 */
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
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "diff/stats_file.h"
#include "local.h"
#include "integration/lives/live.h"
#include "integration/lives/must.h"
#include "integration/lives/sessions.h"

#define THREADS 2

extern void diff_setup(OSSL_LIB_CTX *ctx);

/* LeakSanitizer's function, if it is linked in: ignores what this thread allocates from now on. */
extern void __lsan_disable(void) __attribute__((weak));

static const char *const *config; /* two different ones */
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

/*
 * For threads that work while the process ends: OpenSSL deletes the key under which it finds their
 * error queues, and a thread that asks for its queue at this moment loses the pointer to it.
 */
static void forgive_leaks(void)
{
	if (__lsan_disable)
		__lsan_disable();
}

static void *encrypt_for_ever(void *c)
{
	forgive_leaks();
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

static void *exit_now(void *status)
{
	exit(*(int *)status);
}

static void exit_in_a_thread(int status)
{
	/* Made before, as a library that is being cleaned up must not be used for a fetch. */
	EVP_CIPHER_CTX *c = context(NULL, 0);
	pthread_t thread;

	pthread_create(&thread, NULL, exit_now, &status);
	encrypt_for_ever(c);
}

static void die_of_a_signal(int signal)
{
	kill(getpid(), signal);
	pause();
}

/* The program cleans up before main returns; OpenSSL's own handler finds nothing left to do. */
static void clean_up_with_contexts_alive(void)
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
}

static void clean_up_after_all(void)
{
	EVP_CIPHER_CTX *c;

	load(NULL, 0);
	c = context(NULL, 0);
	is_right(c);
	EVP_CIPHER_CTX_free(c);
	OPENSSL_cleanup();
}

/* As an exit handler that was registered before OpenSSL's may do. */
static void make_a_context_after_the_cleanup(void)
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
}

#define MAC_LEN 8000

struct mac_play {
	const char *name, *key, *inner;
	size_t number, key_len;
	EVP_MAC_CTX *c[2]; /* kcrypto's, the default provider's */
};

static void start_macs(struct mac_play *p)
{
	static const char *const queries[] = { "provider=kcrypto", "provider=default" };
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(p->key, (char *)(uintptr_t)p->inner, 0),
		OSSL_PARAM_construct_end(),
	};

	for (int i = 0; i < 2; i++) {
		LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(NULL, p->name, queries[i]);

		p->c[i] = EVP_MAC_CTX_new(mac);
		must(EVP_MAC_init(p->c[i], live_key, p->key_len, params), "MAC init");
	}
}

static void end_macs(struct mac_play *p)
{
	unsigned long long before = requests(p->number);
	unsigned char tag[2][64];
	size_t n[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		must(EVP_MAC_update(p->c[i], live_in, MAC_LEN), "MAC update");
		must(EVP_MAC_final(p->c[i], tag[i], &n[i], sizeof(tag[i])), "MAC final");
		EVP_MAC_CTX_free(p->c[i]);
	}
	must(n[0] == n[1] && memcmp(tag[0], tag[1], n[0]) == 0, "wrong MAC");
	must(requests(p->number) > before, "the kernel did no MAC");
}

/* As an exit handler that was registered before OpenSSL's may do; the trials are not over yet. */
static void make_the_first_macs_after_the_cleanup(void)
{
	static struct mac_play plays[] = {
		{ .name = "HMAC",
		  .key = "digest",
		  .inner = "SHA256",
		  .number = KC_ALG_HMAC_SHA256,
		  .key_len = 16 },
		{ .name = "HMAC",
		  .key = "digest",
		  .inner = "SHA512",
		  .number = KC_ALG_HMAC_SHA512,
		  .key_len = 16 },
		{ .name = "CMAC",
		  .key = "cipher",
		  .inner = "AES-128-CBC",
		  .number = KC_ALG_CMAC_AES_128,
		  .key_len = 16 },
	};
	EVP_CIPHER_CTX *cipher;

	load(NULL, 1);
	cipher = context(NULL, 1);
	is_right(cipher);
	EVP_CIPHER_CTX_free(cipher);
	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++)
		start_macs(&plays[i]);
	OPENSSL_cleanup();
	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++)
		end_macs(&plays[i]);
}

static void free_the_library_context_first(void)
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
}

static void unload_the_provider_first(void)
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
}

/* One load, one context, one large request, and the end of everything. */
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

/* Two library contexts come and go with different configurations; a third one works meanwhile. */
static void several_library_contexts_at_once(void)
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

static void load_and_unload(void)
{
	size_t fds;
	unsigned maps;

	load_once(0);
	load_once(1);
	fds = descriptors();
	maps = mapped_files();
	for (unsigned long i = 0; i < loads; i++)
		load_once(i % 2);
	must(descriptors() == fds, "descriptors were leaked");
	must(mapped_files() == maps, "mappings were leaked");
}

/* Draws random numbers of this thread, as a GCM context without an IV does. */
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

/* A thread that does not free its library context last still has its random number generator. */
static void threads_outlive_their_library_contexts(void)
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
}

struct drawer {
	OSSL_LIB_CTX *lib;
	pthread_barrier_t stopped, freed;
};

/* As the manual asks of a thread that outlives a library context. */
static void *draw_and_stop(void *arg)
{
	struct drawer *d = arg;

	draw(d->lib);
	OPENSSL_thread_stop_ex(d->lib);
	pthread_barrier_wait(&d->stopped);
	pthread_barrier_wait(&d->freed);
	return NULL;
}

static void threads_stop_before_their_library_context_is_freed(void)
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
}

/* A way, and the call that ends it with this status or signal; NULL: it returns. */
static const struct way {
	const char *name;
	void (*go)(void);
	void (*end)(int status);
	int status;
} ways[] = {
	{ "return_from_main", be_busy, NULL, 3 },
	{ "exit_from_main", be_busy, exit, 4 },
	{ "exit_from_a_thread", be_busy, exit_in_a_thread, 5 },
	{ "exit_at_once", be_busy, _exit, 6 },
	{ "quick_exit_from_main", be_busy, quick_exit, 7 },
	{ "die_of_a_signal", be_busy, die_of_a_signal, SIGTERM },
	{ "clean_up_with_contexts_alive", clean_up_with_contexts_alive, NULL, 0 },
	{ "clean_up_after_all", clean_up_after_all, NULL, 0 },
	{ "free_the_library_context_first", free_the_library_context_first, NULL, 0 },
	{ "unload_the_provider_first", unload_the_provider_first, NULL, 0 },
	{ "several_library_contexts_at_once", several_library_contexts_at_once, NULL, 0 },
	{ "load_and_unload", load_and_unload, NULL, 0 },
	{ "make_a_context_after_the_cleanup", make_a_context_after_the_cleanup, NULL, 0 },
	{ "make_the_first_macs_after_the_cleanup", make_the_first_macs_after_the_cleanup, NULL, 0 },
	{ "threads_outlive_their_library_contexts", threads_outlive_their_library_contexts, NULL,
	  0 },
	{ "threads_stop_before_their_library_context_is_freed",
	  threads_stop_before_their_library_context_is_freed, NULL, 0 },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static unsigned long long all_requests(void)
{
	return requests(KC_ALG_AES_128_CBC) + requests(KC_ALG_AES_256_CBC);
}

/* Returns 1 and prints a line if the process did not end as intended. */
static int is_bad(const struct way *way, pid_t pid, unsigned long long before)
{
	int status = -1, wanted = way->end == die_of_a_signal ? way->status : way->status << 8;

	waitpid(pid, &status, 0);
	printf("  %s\n", way->name);
	fflush(stdout);
	if (status == wanted && all_requests() > before)
		return 0;
	fprintf(stderr, "ends_test: %s: ended with %#x instead of %#x, %llu requests\n", way->name,
		status, wanted, all_requests() - before);
	return 1;
}

static int live_and_end(const struct way *way)
{
	if (way->go == be_busy)
		forgive_leaks();
	live_prepare();
	way->go();
	if (way->end)
		way->end(way->status);
	return way->status;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc < 4)
		return 2;
	config = (const char *const *)&argv[1];
	loads = strtoul(argv[3], NULL, 10);
	for (const struct way *way = ways; argc > 4 && way < ways + WAYS; way++)
		if (strcmp(argv[4], way->name) == 0)
			return live_and_end(way);
	stats_file_make();
	for (const struct way *way = ways; way < ways + WAYS; way++) {
		unsigned long long before = all_requests();
		pid_t pid = fork();

		if (pid == 0)
			return live_and_end(way);
		bad += is_bad(way, pid, before);
	}
	printf("ends_test: %zu ways to end, %d bad\n", WAYS, bad);
	return bad != 0;
}
