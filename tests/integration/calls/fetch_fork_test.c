/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process forks while another of its threads is in its first fetch, where kcrypto decides what to
 * offer. The thread is stopped at each allocation there, so the test depends on no timing; the
 * child must get kcrypto's cipher and use it. In OpenSSL's own part of the fetch it may hang, as it
 * would without kcrypto. usage: fetch_fork_test CONFIG
 */
#include "unit/check.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "core/process.h"
#include "diff/row.h"
#include "integration/lives/live.h"
#include "integration/lives/loaded.h"
#include "local.h"

/* A limit for a test that hangs, in seconds; the events take a few ms. */
#define PATIENCE 100

enum { WELL, OVER, STUCK };

static sem_t stopped, go_on;
static pthread_t fetcher;
static unsigned to_go; /* allocations of @fetcher under kcrypto's lock until it stops; 0: never */

static bool is_locked(void)
{
	if (pthread_mutex_trylock(kc_process_lock()) != 0)
		return true;
	pthread_mutex_unlock(kc_process_lock());
	return false;
}

static void count(void)
{
	if (!to_go || !pthread_equal(pthread_self(), fetcher) || !is_locked() || --to_go)
		return;
	sem_post(&stopped);
	sem_wait(&go_on);
}

static void *counting_malloc(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	count();
	return n ? malloc(n) : NULL;
}

static void *counting_realloc(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	count();
	return realloc(p, n);
}

static void plain_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

static void *fetch(void *arg)
{
	(void)arg;
	fetcher = pthread_self();
	EVP_CIPHER_free(EVP_CIPHER_fetch(lib, "AES-128-CBC", "provider=kcrypto"));
	sem_post(&stopped);
	return NULL;
}

static bool use_ours(void)
{
	LOCAL(EVP_CIPHER_CTX) *c = live_context_of(lib, "AES-128-CBC", "provider=kcrypto");

	return live_is_right(c);
}

static int end_of(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return STUCK;
	return WEXITSTATUS(status);
}

/*
 * Runs in a process of its own, which has not fetched before. @n: number of the allocation, from 1.
 */
static int fork_at(unsigned n)
{
	pthread_t thread;
	pid_t pid;

	alarm(2 * PATIENCE);
	to_go = n;
	if (pthread_create(&thread, NULL, fetch, NULL) != 0)
		return STUCK;
	sem_wait(&stopped);
	if (to_go)
		return OVER;
	pid = fork();
	if (pid == 0) {
		alarm(PATIENCE);
		_exit(use_ours() ? WELL : STUCK);
	}
	return end_of(pid);
}

static void fork_at_each(void)
{
	unsigned n = 1;
	int end = WELL;

	for (; end != OVER; n++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(fork_at(n));
		end = end_of(pid);
		if (end != WELL && end != OVER)
			fail_msg("forked at allocation %u: the child does not go on", n);
	}
	assert_true(n > 10);
}

TEST(a_child_of_any_moment_of_our_deciding_has_our_cipher)
{
	fork_at_each();
}

/* The base is open already; only the legacy provider is opened, where it exists. */
TEST(so_has_one_of_a_second_library_context)
{
	OSSL_LIB_CTX *first = lib;

	assert_true(use_ours());
	lib = library_with(arguments[0]);
	assert_non_null(lib);
	row_load_legacy(lib);
	fork_at_each();
	row_unload_legacy();
	OSSL_LIB_CTX_free(lib);
	lib = first;
}

static void prepare(void)
{
	sem_init(&stopped, 0, 0);
	sem_init(&go_on, 0, 0);
	live_prepare();
	lib = library_with(arguments[0]);
	assert_non_null(lib);
}

static void finish(void)
{
	OSSL_LIB_CTX_free(lib);
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = finish };

int main(int argc, char **argv)
{
	if (!CRYPTO_set_mem_functions(counting_malloc, counting_realloc, plain_free))
		return 2;
	return check_main(argc, argv);
}
