/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals and cancellation: an interrupted request is still done, and no call becomes a
 * cancellation point. usage: signals_test CONFIG; OPENSSL_MODULES names the build directory.
 */
#include "unit/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <openssl/provider.h>

#include "diff/stats_file.h"
#include "integration/lives/live.h"

#define REQUESTS 2000
#define SIGNALS	 100

static const char *config;

/* A step of a program's life, run with a cancellation pending from its start. */
struct step {
	const char *query;
	EVP_CIPHER_CTX *c, *other;
	int well;
};

static void load(struct step *s)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	const char *name = strchr(s->query, '=') + 1;
	OSSL_PROVIDER *provider = OSSL_PROVIDER_load(lib, name);

	s->well = provider != NULL;
	OSSL_PROVIDER_unload(provider);
	OSSL_LIB_CTX_free(lib);
}

static void fetch(struct step *s)
{
	s->c = live_context(s->query);
	s->well = 1;
}

static void first_update(struct step *s)
{
	s->well = live_is_right(s->c);
}

static void more_updates(struct step *s)
{
	s->well = 1;
	for (int i = 0; i < 20; i++)
		s->well &= live_is_right(s->c);
}

static void copy(struct step *s)
{
	s->other = EVP_CIPHER_CTX_new();
	s->well = EVP_CIPHER_CTX_copy(s->other, s->c) && live_is_right(s->other);
}

static void new_key(struct step *s)
{
	s->well = EVP_EncryptInit_ex(s->c, NULL, NULL, live_key, live_iv) && live_is_right(s->c);
}

static void final(struct step *s)
{
	unsigned char out[16];
	int n;

	s->well = EVP_EncryptFinal_ex(s->c, out, &n);
}

static void let_go(struct step *s)
{
	EVP_CIPHER_CTX_free(s->c);
	EVP_CIPHER_CTX_free(s->other);
	s->well = 1;
}

static const struct {
	const char *name;
	void (*make)(struct step *s);
	bool loads; /* later steps need the whole configuration */
} steps[] = {
	{ "load", load, true },
	{ "first fetch", fetch },
	{ "first update", first_update },
	{ "more updates", more_updates },
	{ "copy", copy },
	{ "new key", new_key },
	{ "final", final },
	{ "free", let_go },
};

static struct step now;
static size_t at;

static void *cancelled_thread(void *well)
{
	pthread_cancel(pthread_self());
	steps[at].make(&now);
	*(int *)well = now.well;
	pthread_testcancel();
	return NULL;
}

/*
 * Runs in a process of its own, as load, fetch and trial happen once. Exits with the number of the
 * step that was cancelled or failed, counted from 1.
 */
static void live_cancelled(const char *query, const char *conf)
{
	now.query = query;
	for (at = 0; at < COUNT(steps); at++) {
		int well = 0;
		pthread_t thread;
		void *end;

		pthread_create(&thread, NULL, cancelled_thread, &well);
		pthread_join(thread, &end);
		/* The thread ends as cancelled, so the cancellation was pending all the time. */
		if (!well || end != PTHREAD_CANCELED) {
			print_message("  %s: '%s' %s\n", query, steps[at].name,
				      well ? "was never cancelled" : "was cancelled, or failed");
			_exit((int)at + 1);
		}
		if (steps[at].loads)
			live_load(conf);
	}
	_exit(0);
}

static void in_a_child(const char *query, const char *conf)
{
	pid_t pid = fork();

	if (pid == 0)
		live_cancelled(query, conf);
	assert_ends_well(pid);
}

TEST(nothing_is_a_place_to_be_cancelled_at)
{
	unsigned long long before = requests(KC_ALG_AES_128_CBC);

	/* For comparison: the default provider's calls are no cancellation points either. */
	in_a_child("provider=default", NULL);
	in_a_child("provider=kcrypto", config);
	assert_true(requests(KC_ALG_AES_128_CBC) >= before + 22);
}

static volatile sig_atomic_t signals;

static void on_alarm(int sig)
{
	(void)sig;
	signals++;
}

static void set_timer(long us)
{
	struct itimerval t = { { 0, us }, { 0, us } };

	assert_int_equal(setitimer(ITIMER_REAL, &t, NULL), 0);
}

/* Signals arrive from the load on, during the first trial. */
TEST(a_signal_every_millisecond_costs_no_request)
{
	struct sigaction action = { .sa_handler = on_alarm };
	unsigned long long before = requests(KC_ALG_AES_128_CBC),
			   failed = redone(KC_ALG_AES_128_CBC), made = 0;
	EVP_CIPHER_CTX *c = NULL;

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	set_timer(1000);
	live_load(config);
	for (; made < REQUESTS || signals < SIGNALS; made++) {
		/* Openings are interrupted too. */
		if (made % 10 == 0) {
			EVP_CIPHER_CTX_free(c);
			c = live_context("provider=kcrypto");
		}
		assert_true(live_is_right(c));
	}
	set_timer(0);
	EVP_CIPHER_CTX_free(c);
	assert_int_equal(requests(KC_ALG_AES_128_CBC) - before, made);
	assert_int_equal(redone(KC_ALG_AES_128_CBC), failed);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	config = argv[1];
	stats_file_make();
	live_prepare();
	return check_main(argc, argv);
}
