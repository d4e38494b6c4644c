/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-diff-hash: plays differential rounds over the digests and MACs of the table that the
 * provider offers under the configuration at hand, and asserts that the kernel did a part of as
 * many as are expected. The seed is printed; the same seed plays the same rounds.
 */
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

#include "hash.h"
#include "row.h"
#include "stats_file.h"
#include "stats/stats_read.h"

/* Of a build that has the provider inside (the stand-in's); NULL in the others. */
extern void diff_setup(OSSL_LIB_CTX *ctx);

#define MAX_THREADS    64
#define MAX_MISMATCHES 5

struct offered {
	struct hash_pair pair;
	char name[KC_ALG_NAME_SIZE];
	size_t row;
};

struct player {
	pthread_t thread;
	const struct offered *offered;
	size_t n;
	uint64_t seed;
	unsigned long rounds;
};

static struct options {
	unsigned long rounds, threads, expect;
	bool all;
	uint64_t seed;
	const char *alg, *config;
} options = { .rounds = 1000, .threads = 1, .expect = 1 };

static atomic_ulong mismatches;

static void usage(void)
{
	fputs("usage: kcrypto-diff-hash --config FILE [--rounds N] [--seed S] [--alg NAME]\n"
	      "                         [--expect N]   at least N rows reach the kernel; \"all\": each\n"
	      "                         [--threads N]  that play at the same time\n",
	      stderr);
	exit(2);
}

static bool is_played(const struct kc_alg *alg)
{
	char name[KC_ALG_NAME_SIZE];

	kc_alg_name(alg, name, sizeof(name));
	return (alg->kind == KC_DIGEST || alg->kind == KC_MAC) &&
	       (!options.alg || strcmp(options.alg, name) == 0);
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
	fprintf(stderr, "kcrypto-diff-hash: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static bool fetch(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct offered *o)
{
	struct hash_pair *pair = &o->pair;

	*pair = (struct hash_pair){ .inner = alg->inner, .key_len = alg->key_len, .name = o->name };
	if (alg->kind == KC_DIGEST) {
		pair->ours_md = EVP_MD_fetch(ctx, o->name, "provider=kcrypto");
		pair->theirs_md = EVP_MD_fetch(
			ctx, o->name, alg->legacy ? "provider=legacy" : "provider=default");
		return pair->ours_md && pair->theirs_md;
	}
	pair->ours_mac = EVP_MAC_fetch(ctx, alg->mac, "provider=kcrypto");
	pair->theirs_mac = EVP_MAC_fetch(ctx, alg->mac, "provider=default");
	return pair->ours_mac && pair->theirs_mac;
}

static void release(struct offered *o)
{
	EVP_MD_free(o->pair.ours_md);
	EVP_MD_free(o->pair.theirs_md);
	EVP_MAC_free(o->pair.ours_mac);
	EVP_MAC_free(o->pair.theirs_mac);
}

static size_t fetch_offered(OSSL_LIB_CTX *ctx, struct offered *offered)
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct offered *o = &offered[n];

		if (!is_played(&kc_algs[i]))
			continue;
		kc_alg_name(&kc_algs[i], o->name, sizeof(o->name));
		o->row = i;
		if (fetch(ctx, &kc_algs[i], o))
			n++;
		else
			release(o);
	}
	ERR_clear_error();
	return n;
}

static unsigned long report(const struct offered *offered, size_t n)
{
	const struct kc_stats *stats = stats_file_read();
	unsigned long reached = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kc_stats_row *row = &stats->row[offered[i].row];
		unsigned long long requests = kc_stats_sum(row).requests;

		printf("  %-14s %9llu requests %12llu bytes by the kernel, %llu redone\n",
		       offered[i].name, requests, (unsigned long long)kc_stats_sum(row).bytes,
		       (unsigned long long)kc_stats_sum(row).failed);
		reached += requests != 0;
	}
	return reached;
}

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
	unsigned char *room = malloc(hash_room());
	struct random seeds = { p->seed };

	if (!room)
		die("out of memory");
	for (unsigned long i = 0; i < p->rounds && mismatches < MAX_MISMATCHES; i++) {
		/* The first round has the seed itself, so that a seed of one round repeats it. */
		uint64_t seed = i ? random_next(&seeds) : p->seed;

		mismatches += !hash_run(room, &p->offered[seed % p->n].pair, seed);
		show(i);
	}
	free(room);
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
	static struct offered offered[KC_ALG_COUNT];
	OSSL_LIB_CTX *ctx;
	unsigned long reached;
	size_t n;

	read_options(argc, argv);
	stats_file_make();
	ctx = OSSL_LIB_CTX_new();
	diff_setup(ctx);
	row_load_legacy(ctx);
	if (!OSSL_LIB_CTX_load_config(ctx, options.config))
		die("the configuration can't be loaded");
	n = fetch_offered(ctx, offered);
	if (n == 0)
		die("the provider offers none");
	printf("kcrypto-diff-hash: seed %llu, %lu rounds over %zu digests and MACs\n",
	       (unsigned long long)options.seed, options.rounds, n);
	fflush(stdout);
	play_all(offered, n);
	reached = report(offered, n);
	printf("%lu rounds, %lu mismatches, %lu of %zu reached the kernel\n", options.rounds,
	       mismatches, reached, n);
	if (reached < options.expect)
		fprintf(stderr, "kcrypto-diff-hash: %lu were expected to\n", options.expect);
	for (size_t i = 0; i < n; i++)
		release(&offered[i]);
	row_unload_legacy();
	OSSL_LIB_CTX_free(ctx);
	return mismatches != 0 || reached < options.expect;
}
