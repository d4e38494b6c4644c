/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-diff: plays differential rounds over every cipher that the provider offers under the
 * configuration at hand, and asserts that the kernel did a part of each. The seed is printed; the
 * same seed plays the same rounds.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/provider.h>

#include "aead.h"
#include "stats/stats.h"
#include "stats/stats_read.h"
#include "diff.h"
#include "diff/row.h"
#include "stats_file.h"

/* Of a build that has the provider inside (the stand-in's); NULL in the others. */
extern void diff_setup(OSSL_LIB_CTX *ctx);

struct offered {
	EVP_CIPHER *ours, *theirs;
	size_t row;
};

#define MAX_THREADS    64
#define MAX_MISMATCHES 5

static struct options {
	unsigned long rounds, threads;
	uint64_t seed;
	const char *cipher, *config;
	size_t min_ciphers;
} options = { .rounds = 1000, .threads = 1, .min_ciphers = 1 };

static void usage(void)
{
	fputs("usage: kcrypto-diff --config FILE [--rounds N] [--seed S] [--cipher NAME]\n"
	      "                    [--expect N]   at least N ciphers must be offered; \"all\": each\n"
	      "                    [--threads N]  that play at the same time\n",
	      stderr);
	exit(2);
}

static bool is_played(const struct kc_alg *alg)
{
	char name[KC_ALG_NAME_SIZE];

	kc_alg_name(alg, name, sizeof(name));
	return alg->kind <= KC_AEAD && (!options.cipher || strcmp(options.cipher, name) == 0);
}

static size_t count_all(void)
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		n += is_played(&kc_algs[i]) && !row_is_absent(&kc_algs[i]);
	return n;
}

static void read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ "cipher", required_argument, NULL, 'c' },
		{ "config", required_argument, NULL, 'f' },
		{ "expect", required_argument, NULL, 'e' },
		{ "threads", required_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 },
	};
	bool all = false;
	int c;

	options.seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'r')
			options.rounds = strtoul(optarg, NULL, 0);
		else if (c == 's')
			options.seed = strtoull(optarg, NULL, 0);
		else if (c == 'c')
			options.cipher = optarg;
		else if (c == 'f')
			options.config = optarg;
		else if (c == 'e' && strcmp(optarg, "all") == 0)
			all = true;
		else if (c == 'e')
			options.min_ciphers = strtoul(optarg, NULL, 0);
		else if (c == 't')
			options.threads = strtoul(optarg, NULL, 0);
		else
			usage();
	}
	if (!options.config || optind != argc || options.threads - 1 >= MAX_THREADS)
		usage();
	if (all)
		options.min_ciphers = count_all();
}

static void die(const char *what)
{
	fprintf(stderr, "kcrypto-diff: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static size_t fetch_offered(OSSL_LIB_CTX *ctx, struct offered *offered)
{
	size_t n = 0, present = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (!is_played(&kc_algs[i]))
			continue;
		offered[n].row = i;
		if (!row_fetch(ctx, &kc_algs[i], &offered[n].ours, &offered[n].theirs))
			continue;
		present += !row_is_absent(&kc_algs[i]);
		n++;
	}
	ERR_clear_error();
	if (!n || present < options.min_ciphers)
		die("the provider offers fewer ciphers than expected");
	return n;
}

static int report(const struct offered *offered, size_t n)
{
	const struct kc_stats *stats = stats_file_read();
	int bad = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kc_stats_row *row = &stats->row[offered[i].row];
		const char *name = stats->name[offered[i].row];
		unsigned long long requests = kc_stats_sum(row).requests;

		printf("  %-17s %9llu requests %12llu bytes by the kernel, %llu redone\n", name,
		       requests, (unsigned long long)kc_stats_sum(row).bytes,
		       (unsigned long long)kc_stats_sum(row).failed);
		if (!requests != row_is_absent(&kc_algs[offered[i].row])) {
			fprintf(stderr, "kcrypto-diff: %s request of %s reached the kernel\n",
				requests ? "a" : "no", name);
			bad = 1;
		}
	}
	return bad;
}

struct player {
	pthread_t thread;
	const struct offered *offered;
	size_t n;
	uint64_t seed;
	unsigned long rounds;
};

static atomic_ulong mismatches;

/* A sign of life. */
static void show(unsigned long round)
{
	if (round == 0 || round % 5000 != 0)
		return;
	printf("  round %lu\n", round);
	fflush(stdout);
}

static void *play(void *arg)
{
	const struct player *p = arg;
	struct diff_options o = { .room = malloc(diff_room()) };
	struct random seeds = { p->seed };

	if (!o.room)
		die("out of memory");
	for (unsigned long i = 0; i < p->rounds && mismatches < MAX_MISMATCHES; i++) {
		/* The first round has the seed itself, so that a seed of one round repeats it. */
		uint64_t seed = i ? random_next(&seeds) : p->seed;
		const struct offered *which = &p->offered[seed % p->n];

		mismatches += kc_algs[which->row].kind == KC_AEAD ?
				      !aead_run(&o, which->ours, which->theirs, seed) :
				      !diff_run(&o, which->ours, which->theirs, seed);
		show(i);
	}
	free(o.room);
	return NULL;
}

/* The first player is this thread, so that one player needs no other. */
static void play_all(const struct offered *offered, size_t n)
{
	struct player player[MAX_THREADS];

	for (unsigned long i = options.threads; i-- > 0;) {
		struct player *p = &player[i];

		*p = (struct player){ .offered = offered,
				      .n = n,
				      .seed = options.seed + i,
				      .rounds = (options.rounds + i) / options.threads };
		if (i && pthread_create(&p->thread, NULL, play, p) != 0)
			die("a thread can't be made");
	}
	play(&player[0]);
	for (unsigned long i = 1; i < options.threads; i++)
		pthread_join(player[i].thread, NULL);
}

int main(int argc, char **argv)
{
	struct offered offered[KC_ALG_COUNT];
	OSSL_LIB_CTX *ctx;
	size_t n;
	int bad;

	read_options(argc, argv);
	stats_file_make();
	ctx = OSSL_LIB_CTX_new();
	diff_setup(ctx);
	if (!OSSL_LIB_CTX_load_config(ctx, options.config))
		die("the configuration can't be loaded");
	row_load_legacy(ctx);
	n = fetch_offered(ctx, offered);
	printf("kcrypto-diff: seed %llu, %lu rounds over %zu ciphers\n",
	       (unsigned long long)options.seed, options.rounds, n);
	fflush(stdout);
	play_all(offered, n);
	bad = report(offered, n);
	printf("%lu rounds, %lu mismatches\n", options.rounds, mismatches);
	for (size_t i = 0; i < n; i++) {
		EVP_CIPHER_free(offered[i].ours);
		EVP_CIPHER_free(offered[i].theirs);
	}
	OSSL_LIB_CTX_free(ctx);
	return mismatches != 0 || bad;
}
