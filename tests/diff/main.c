/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-diff: plays differential rounds over the rows that the provider offers under the current
 * configuration, and asserts that the kernel did a part of each cipher and AEAD, or of as many
 * digests and MACs as are expected. The seed is printed; the same seed repeats the same rounds.
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

#include "stats/table.h"
#include "diff/jobs.h"
#include "diff/kinds.h"
#include "integration/lives/loaded.h"

#define MAX_THREADS    64
#define MAX_MISMATCHES 5
#define MORE_ROUNDS    5000

static struct options {
	unsigned long rounds, threads, jobs, expect;
	uint64_t seed;
	const char *alg, *config;
	bool all, hashes, any;
} options = { .rounds = 1000, .threads = 1, .expect = 1 };

static void usage(void)
{
	fputs("usage: kcrypto-diff --config FILE [--rounds N] [--seed S] [--alg NAME]\n"
	      "                    [--hashes]     digests and MACs, not ciphers and AEADs\n"
	      "                    [--any]        a cipher that has no request in the kernel is fine\n"
	      "                    [--edges]      lengths and places where drivers break\n"
	      "                    [--expect N]   at least N ciphers must be offered, N hashes\n"
	      "                                   reach the kernel; \"all\": each\n"
	      "                    [--threads N]  that play at the same time\n"
	      "                    [--jobs N]     of one thread, likewise: asynchronous ones, some of\n"
	      "                                   which are never resumed\n",
	      stderr);
	exit(2);
}

static bool is_played(const struct kc_alg *alg)
{
	if (options.alg)
		return strcmp(options.alg, kc_alg_name(alg)) == 0;
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
		{ "any", no_argument, NULL, 'y' },
		{ "config", required_argument, NULL, 'f' },
		{ "edges", no_argument, NULL, 'b' },
		{ "expect", required_argument, NULL, 'e' },
		{ "threads", required_argument, NULL, 't' },
		{ "jobs", required_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned long *const numbers[] = { ['r'] = &options.rounds,
					   ['e'] = &options.expect,
					   ['t'] = &options.threads,
					   ['j'] = &options.jobs };
	int c;

	options.seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 's')
			options.seed = strtoull(optarg, NULL, 0);
		else if (c == 'a')
			options.alg = optarg;
		else if (c == 'h')
			options.hashes = true;
		else if (c == 'b')
			play_at_edges = true;
		else if (c == 'y')
			options.any = true;
		else if (c == 'f')
			options.config = optarg;
		else if (c == 'e' && strcmp(optarg, "all") == 0)
			options.all = true;
		else if (c == '?')
			usage();
		else
			*numbers[c] = strtoul(optarg, NULL, 0);
	}
	if (!options.config || optind != argc || options.threads - 1 >= MAX_THREADS ||
	    options.jobs > MAX_THREADS)
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

static bool device_fails(void)
{
	const char *fail = getenv("KC_STANDIN_FAIL");

	return fail && atoi(fail);
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

/*
 * The wrong answers for which a driver was dropped, found by a trial or by comparison with the
 * base.
 */
static unsigned long long lies(const struct kc_stats_row *s)
{
	unsigned long long n = 0;

	for (unsigned i = 0; i < KC_MAX_BACKENDS; i++)
		n += kc_stats_errors_of(&s->backend[i], KC_STATS_LIED) +
		     kc_stats_errors_of(&s->backend[i], KC_STATS_WRONG_ANSWER);
	return n;
}

/* Whether the kernel did a part, where the row is a cipher or an AEAD, and no driver was wrong. */
static bool is_well(const struct diff_row *row)
{
	const struct kc_stats_row *s = counted(row);
	bool has_reached = kc_stats_sum(s).requests;

	if (lies(s))
		fprintf(stderr, "kcrypto-diff: %s: a driver was wrong and was dropped\n",
			row->name);
	if (options.hashes || options.any || !has_reached == row_is_absent(row->alg))
		return !lies(s);
	fprintf(stderr, "kcrypto-diff: %s request of %s reached the kernel\n",
		has_reached ? "a" : "no", row->name);
	return false;
}

/*
 * Every cipher has to reach the kernel. Hashes may have thresholds, so only a number of them has
 * to.
 */
static bool report(const struct diff_row *offered, size_t n)
{
	unsigned long wrong = 0;
	unsigned long long failed = 0;

	for (const struct diff_row *row = offered; row < offered + n; row++) {
		struct kc_stats_sum sum = kc_stats_sum(counted(row));
		unsigned long long asked = sum.requests + sum.failed + lies(counted(row));

		printf("  %-17s %9llu of %llu requests, %llu bytes, by the kernel; %llu redone\n",
		       row->name, (unsigned long long)sum.requests, asked,
		       (unsigned long long)sum.bytes, (unsigned long long)sum.failed);
		failed += sum.failed;
		wrong += !is_well(row);
	}
	printf("%lu of %zu reached the kernel\n", reached(offered, n), n);
	if (device_fails() && !failed) {
		fprintf(stderr, "kcrypto-diff: no request failed: play more rounds\n");
		return false;
	}
	return !wrong && (!options.hashes || reached(offered, n) >= options.expect);
}

struct player {
	pthread_t thread;
	const struct diff_row *offered;
	size_t n;
	uint64_t seed;
	unsigned long rounds;
	unsigned char *room; /* for a job's round */
};

static atomic_ulong mismatches;

/* Shows progress. */
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

static void play_rounds(struct player *p, unsigned char *room)
{
	struct random seeds = { p->seed };

	for (unsigned long i = 0; p->rounds && mismatches < MAX_MISMATCHES; i++, p->rounds--) {
		/*
		 * The first round uses the seed itself, so that the seed of a single round repeats
		 * it.
		 */
		uint64_t seed = i ? random_next(&seeds) : p->seed;

		mismatches += !play_one(room, &p->offered[seed % p->n], seed);
		show(i);
	}
}

static unsigned char *new_room(void)
{
	unsigned char *room = calloc(1, PLAY_ROOM);

	if (!room)
		die("out of memory");
	return room;
}

static void *play(void *arg)
{
	unsigned char *room = new_room();

	play_rounds(arg, room);
	free(room);
	return NULL;
}

/* By chance a few rounds may leave a row without a request; MORE_ROUNDS do not. */
static void play_missed(const struct diff_row *offered, size_t n)
{
	struct diff_row row[1];
	struct player p = { .offered = row, .n = 1 };
	struct random seeds = { options.seed };

	for (size_t i = 0; i < n; i++) {
		if (options.any || (options.hashes && reached(offered, n) >= options.expect))
			return;
		row[0] = offered[i];
		for (int more = 0; more < MORE_ROUNDS && !row_is_absent(row->alg) &&
				   !kc_stats_sum(counted(row)).requests;
		     more++) {
			p.seed = random_next(&seeds); /* consecutive seeds would play alike */
			p.rounds = 1;
			play(&p);
		}
	}
}

/* The first player is this thread, so one player needs no other thread. */
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

#define MOST_LEFT 40
#define UNTOUCHED 0x5a

static unsigned char *left_rooms[MOST_LEFT]; /* of jobs that were never resumed */
static size_t n_left;

static int play_job(void *arg)
{
	struct player *p = *(struct player **)arg;

	play_rounds(p, p->room);
	return 1;
}

/* Copies a context in the middle of a call. The copy may fail or succeed, but must do no harm. */
static void copy_paused(const struct twins *t)
{
	unsigned char text[300] = "", out[400];
	EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
	int n;

	if (t->cipher[0] && t->keyed && EVP_CIPHER_CTX_copy(copy, t->cipher[0]) == 1)
		EVP_CipherUpdate(copy, out, &n, text, sizeof(text));
	EVP_CIPHER_CTX_free(copy);
}

/* Frees the contexts of a paused job. Nothing may be written to its buffers afterwards. */
static void leave(struct player *p)
{
	struct play *round = play_in(p->room);

	for (size_t i = 0; i < CONTEXTS; i++)
		round->kind->end(&round->twins[i]);
	left_rooms[n_left++] = memset(p->room, UNTOUCHED, PLAY_ROOM);
	p->room = new_room();
	p->seed++;
}

static bool meddle(void *arg, struct random *random)
{
	struct player *p = arg;
	bool is_left = !options.hashes && n_left < MOST_LEFT && random_below(random, 200) == 0;

	if (!options.hashes && random_below(random, 50) == 0)
		copy_paused(&play_in(p->room)->twins[random_below(random, CONTEXTS)]);
	if (is_left)
		leave(p);
	return is_left;
}

static void play_jobs(const struct diff_row *offered, size_t n)
{
	struct player player[MAX_THREADS];
	void *args[MAX_THREADS];
	struct jobs jobs = { options.jobs, play_job, args, meddle };

	queue_is_shared = true;
	for (size_t i = 0; i < options.jobs; i++) {
		player[i] = (struct player){ .offered = offered,
					     .n = n,
					     .seed = options.seed + i * 1000,
					     .rounds = options.rounds / options.jobs,
					     .room = new_room() };
		args[i] = &player[i];
	}
	if (!jobs_play(&jobs, (struct random){ .state = options.seed }))
		die("a job can't go on");
	for (size_t i = 0; i < options.jobs; i++)
		free(player[i].room);
	for (size_t i = 0; i < n_left; i++)
		for (size_t at = 0; at < PLAY_ROOM; at++)
			if (left_rooms[i][at] != UNTOUCHED)
				die("a request of a job that was left has written");
	printf("%zu jobs were never resumed\n", n_left);
}

int main(int argc, char **argv)
{
	static struct diff_row offered[KC_ALG_COUNT];
	OSSL_LIB_CTX *ctx;
	size_t n;
	bool ok;

	read_options(argc, argv);
	/*
	 * Otherwise the first step searches for the system's openssl.cnf and leaves ENOENT in
	 * errno.
	 */
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
	/* The device fails from a certain request on. Each row must have had its trial by then. */
	if (device_fails())
		play_missed(offered, n);
	if (options.jobs)
		play_jobs(offered, n);
	else
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
