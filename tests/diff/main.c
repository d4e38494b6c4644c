/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-diff: plays differential rounds over the rows that the provider offers under the
 * configuration at hand, and asserts that the kernel did a part of each cipher and AEAD, or of as
 * many digests and MACs as are expected. The seed is printed; the same seed plays the same rounds.
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

#include "stats/stats.h"
#include "stats/table.h"
#include "diff/kinds.h"
#include "integration/loaded.h"

#define MAX_THREADS    64
#define MAX_MISMATCHES 5
#define MORE_ROUNDS    200

static struct options {
	unsigned long rounds, threads, expect;
	uint64_t seed;
	const char *alg, *config;
	bool all, hashes;
} options = { .rounds = 1000, .threads = 1, .expect = 1 };

static void usage(void)
{
	fputs("usage: kcrypto-diff --config FILE [--rounds N] [--seed S] [--alg NAME]\n"
	      "                    [--hashes]     digests and MACs, not ciphers and AEADs\n"
	      "                    [--expect N]   at least N ciphers must be offered, N hashes\n"
	      "                                   reach the kernel; \"all\": each\n"
	      "                    [--threads N]  that play at the same time\n",
	      stderr);
	exit(2);
}

static bool is_played(const struct kc_alg *alg)
{
	char name[KC_ALG_NAME_SIZE];

	kc_alg_name(alg, name, sizeof(name));
	if (options.alg)
		return strcmp(options.alg, name) == 0;
	return options.hashes == (alg->kind > KC_AEAD);
}

static unsigned long count_all(void)
{
	unsigned long n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		n += is_played(&kc_algs[i]) && !row_is_absent(&kc_algs[i]);
	return n;
}

static void read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ "alg", required_argument, NULL, 'a' },
		{ "hashes", no_argument, NULL, 'h' },
		{ "config", required_argument, NULL, 'f' },
		{ "expect", required_argument, NULL, 'e' },
		{ "threads", required_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	options.seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'r')
			options.rounds = strtoul(optarg, NULL, 0);
		else if (c == 's')
			options.seed = strtoull(optarg, NULL, 0);
		else if (c == 'a')
			options.alg = optarg;
		else if (c == 'h')
			options.hashes = true;
		else if (c == 'f')
			options.config = optarg;
		else if (c == 'e' && strcmp(optarg, "all") == 0)
			options.all = true;
		else if (c == 'e')
			options.expect = strtoul(optarg, NULL, 0);
		else if (c == 't')
			options.threads = strtoul(optarg, NULL, 0);
		else
			usage();
	}
	if (!options.config || optind != argc || options.threads - 1 >= MAX_THREADS)
		usage();
	if (options.all)
		options.expect = count_all();
}

static void die(const char *what)
{
	fprintf(stderr, "kcrypto-diff: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static size_t fetch_offered(OSSL_LIB_CTX *ctx, struct diff_row *offered)
{
	size_t n = 0, present = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (!is_played(&kc_algs[i]) || !diff_find(ctx, &kc_algs[i], &offered[n]))
			continue;
		present += !row_is_absent(&kc_algs[i]);
		n++;
	}
	options.hashes = n && offered->alg->kind > KC_AEAD;
	if (!n || (!options.hashes && present < options.expect))
		die("the provider offers fewer than expected");
	return n;
}

static const struct kc_stats_row *counted(const struct diff_row *row)
{
	return &stats_file_read()->row[row->alg - kc_algs];
}

static unsigned long reached(const struct diff_row *offered, size_t n)
{
	unsigned long rows = 0;

	for (size_t i = 0; i < n; i++)
		rows += kc_stats_sum(counted(&offered[i])).requests != 0;
	return rows;
}

/* Every cipher has to reach the kernel; of hashes, which may have thresholds, so many. */
static bool report(const struct diff_row *offered, size_t n)
{
	unsigned long wrong = 0;

	for (const struct diff_row *row = offered; row < offered + n; row++) {
		const struct kc_stats_row *s = counted(row);
		unsigned long long requests = kc_stats_sum(s).requests;

		printf("  %-17s %9llu requests %12llu bytes by the kernel, %llu redone\n",
		       row->name, requests, (unsigned long long)kc_stats_sum(s).bytes,
		       (unsigned long long)kc_stats_sum(s).failed);
		if (options.hashes || !requests == row_is_absent(row->alg))
			continue;
		fprintf(stderr, "kcrypto-diff: %s request of %s reached the kernel\n",
			requests ? "a" : "no", row->name);
		wrong++;
	}
	printf("%lu of %zu reached the kernel\n", reached(offered, n), n);
	return !wrong && (!options.hashes || reached(offered, n) >= options.expect);
}

struct player {
	pthread_t thread;
	const struct diff_row *offered;
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

static bool play_one(unsigned char *room, const struct diff_row *row, uint64_t seed)
{
	bool ok = diff_play(room, row, (struct random){ .state = seed });

	if (!ok)
		fprintf(stderr, "repeat it with: --seed %llu --rounds 1 --alg %s\n",
			(unsigned long long)seed, row->name);
	return ok;
}

static void *play(void *arg)
{
	const struct player *p = arg;
	unsigned char *room = malloc(PLAY_ROOM);
	struct random seeds = { p->seed };

	if (!room)
		die("out of memory");
	for (unsigned long i = 0; i < p->rounds && mismatches < MAX_MISMATCHES; i++) {
		/*
		 * The first round uses the seed itself, so that a single round's seed repeats it.
		 */
		uint64_t seed = i ? random_next(&seeds) : p->seed;

		mismatches += !play_one(room, &p->offered[seed % p->n], seed);
		show(i);
	}
	free(room);
	return NULL;
}

/* Few rounds may leave a row without a request by chance; so many more do not. */
static void play_missed(const struct diff_row *offered, size_t n)
{
	struct diff_row row[1];
	struct player p = { .offered = row, .n = 1, .seed = options.seed, .rounds = 1 };

	for (size_t i = 0; i < n; i++) {
		if (options.hashes && reached(offered, n) >= options.expect)
			return;
		row[0] = offered[i];
		for (int more = 0; more < MORE_ROUNDS && !row_is_absent(row->alg) &&
				   !kc_stats_sum(counted(row)).requests;
		     more++, p.seed++)
			play(&p);
	}
}

/* The first player is this thread, so that one player needs no other. */
static void play_all(const struct diff_row *offered, size_t n)
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
	static struct diff_row offered[KC_ALG_COUNT];
	OSSL_LIB_CTX *ctx;
	size_t n;
	bool ok;

	read_options(argc, argv);
	/* Else the first step looks for the system's openssl.cnf, and leaves ENOENT in errno. */
	OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
	stats_file_make();
	ctx = library_with(options.config);
	if (!ctx)
		die("the configuration can't be loaded");
	row_load_legacy(ctx);
	n = fetch_offered(ctx, offered);
	printf("kcrypto-diff: seed %llu, %lu rounds over %zu rows\n",
	       (unsigned long long)options.seed, options.rounds, n);
	fflush(stdout);
	play_all(offered, n);
	play_missed(offered, n);
	ok = report(offered, n);
	printf("%lu rounds, %lu mismatches\n", options.rounds, mismatches);
	for (size_t i = 0; i < n; i++) {
		row_release(&offered[i].of[0]);
		row_release(&offered[i].of[1]);
	}
	row_unload_legacy();
	OSSL_LIB_CTX_free(ctx);
	return mismatches != 0 || !ok;
}
