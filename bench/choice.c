/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-bench-choice: how well the choice between software and kernel is made. Each contender is
 * a process with a configuration; the last one is compared with the best of the others. Gives no
 * verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include "cli/bench/turns.h"

#define LARGEST	   65536
#define RECORD	   16384
#define MAX_MIXED  8
#define MOST	   6 /* contenders */
#define MAX_ROUNDS 1001
#define SUITE	   "ECDHE-ECDSA-AES128-SHA256"

/* What a kind of work does in a process that has loaded @cnf. */
struct kind {
	const char *prefix;
	void *(*begin)(OSSL_LIB_CTX *lib, const char *cnf, const char *what);
	int (*once)(void *state);
	bool by_children; /* children's CPU time counts; wall times of starts vary too much */
};

struct contender {
	const struct kind *kind;
	const char *what, *name, *cnf;
	const char *variable, *value; /* for its environment, or NULL */
	struct kc_crew crew;
	double rate[MAX_ROUNDS], median; /* calls per second */
};

struct requests {
	EVP_CIPHER_CTX *ctx;
	int size[MAX_MIXED]; /* taking turns */
	unsigned n;
};

static unsigned warm_ms = 1000, slice_ms = 20, rounds = 31;
static struct contender contenders[MOST];
static size_t n;
static _Alignas(4096) unsigned char in[LARGEST], out[LARGEST + 16];

static void usage(void)
{
	fputs("usage: kcrypto-bench-choice [-w MS] [-s MS] [-r ROUNDS] WORK NAME=CNF[,VARIABLE=VALUE]...\n"
	      "WORK: CIPHER:BYTES[+BYTES...], requests of these sizes in turns; connections:PEM, TLS in\n"
	      "one process; processes:PEM, each connection a process of its own;\n"
	      "first:CIPHER:BYTES*N, the first N requests of a process.  -w: of the last contender,\n"
	      "before the first round.\n",
	      stderr);
	exit(2);
}

/* @what: CIPHER:BYTES+BYTES */
static void *begin_requests(OSSL_LIB_CTX *lib, const char *cnf, const char *what)
{
	static const unsigned char key[32] = "a key that guards nothing here", iv[16];
	static struct requests r;
	const char *at = strchr(what, ':');
	char name[32];
	EVP_CIPHER *c;
	int ok;

	(void)cnf;
	snprintf(name, sizeof(name), "%.*s", (int)(at - what), what);
	for (; *at && r.n < MAX_MIXED; at += strcspn(at, "+")) {
		r.size[r.n] = atoi(++at);
		if (r.size[r.n] <= 0 || r.size[r.n++] > LARGEST)
			return NULL;
	}
	c = EVP_CIPHER_fetch(lib, name, NULL);
	r.ctx = EVP_CIPHER_CTX_new();
	ok = c && EVP_EncryptInit_ex(r.ctx, c, NULL, key, iv) &&
	     EVP_CIPHER_CTX_set_padding(r.ctx, 0);
	EVP_CIPHER_free(c);
	return ok ? &r : NULL;
}

/* Makes one request of each size. */
static int request_each(void *state)
{
	struct requests *r = state;
	int len, ok = 1;

	for (unsigned i = 0; ok && i < r->n; i++)
		ok = EVP_EncryptUpdate(r->ctx, out, &len, in, r->size[i]);
	return ok;
}

struct connections {
	SSL_CTX *client, *server;
};

static SSL_CTX *end_of(OSSL_LIB_CTX *lib, const SSL_METHOD *method)
{
	SSL_CTX *c = SSL_CTX_new_ex(lib, NULL, method);

	if (c && SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION) &&
	    SSL_CTX_set_cipher_list(c, SUITE))
		return c;
	SSL_CTX_free(c);
	return NULL;
}

/*
 * For TLS 1.2 with AES-128-CBC and encrypt-then-MAC, for an accelerator that has only CBC. @what:
 * a file with an ECDSA key, whose handshake is the cheapest, and its certificate.
 */
static void *begin_connections(OSSL_LIB_CTX *lib, const char *cnf, const char *what)
{
	static struct connections c;
	const char *pem = strchr(what, ':') + 1;

	(void)cnf;
	c.client = end_of(lib, TLS_client_method());
	c.server = end_of(lib, TLS_server_method());
	if (c.client && c.server &&
	    SSL_CTX_use_certificate_file(c.server, pem, SSL_FILETYPE_PEM) == 1 &&
	    SSL_CTX_use_PrivateKey_file(c.server, pem, SSL_FILETYPE_PEM) == 1)
		return &c;
	return NULL;
}

/* Neither waits for the other for ever: each continues until it needs data from the other. */
static int shake_hands(SSL *client, SSL *server)
{
	for (int i = 0; i < 10; i++) {
		SSL_connect(client);
		SSL_accept(server);
		if (SSL_is_init_finished(client) && SSL_is_init_finished(server))
			return 1;
	}
	return 0;
}

static int send_record(SSL *from, SSL *to)
{
	static unsigned char sent[RECORD], got[RECORD];
	size_t done = 0, len;

	if (!SSL_write_ex(from, sent, RECORD, &len) || len != RECORD)
		return 0;
	while (done < RECORD && SSL_read_ex(to, got + done, RECORD - done, &len))
		done += len;
	return done == RECORD;
}

/* A handshake, one record from the server, and the end. */
static int connect_once(void *state)
{
	const struct connections *c = state;
	SSL *client = SSL_new(c->client), *server = SSL_new(c->server);
	BIO *a, *b;
	int ok = client && server && BIO_new_bio_pair(&a, 2 * RECORD, &b, 2 * RECORD);

	if (ok) {
		SSL_set_bio(client, a, a);
		SSL_set_bio(server, b, b);
		ok = shake_hands(client, server) && send_record(server, client);
	}
	SSL_free(client);
	SSL_free(server);
	return ok;
}

/* Runs this program again, to make one connection or a few requests. */
static void *begin_processes(OSSL_LIB_CTX *lib, const char *cnf, const char *what)
{
	static const char *argv[] = { "kcrypto-bench-choice", NULL, NULL, NULL };

	(void)lib;
	argv[1] = *what == 'f' ? "--first" : "--one";
	argv[2] = strchr(what, ':') + (*what == 'f');
	return setenv("OPENSSL_CONF", cnf, 1) == 0 ? argv : NULL;
}

/* @what: CIPHER:BYTES*N */
static int first_requests(const char *what)
{
	struct requests *r = begin_requests(NULL, NULL, what);
	const char *times = strchr(what, '*');
	int ok = r != NULL;

	for (int left = times ? atoi(times + 1) : 1; ok && left > 0; left--)
		ok = request_each(r);
	return !ok;
}

static int run_process(void *state)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		execv("/proc/self/exe", state);
		_exit(1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* Like a program that knows nothing of library contexts. @what: ":PEM" */
static int one_connection(const char *what)
{
	void *c = begin_connections(NULL, NULL, what);

	return !(c && connect_once(c));
}

static const struct kind kinds[] = {
	{ "connections:", begin_connections, connect_once },
	{ "processes:", begin_processes, run_process, .by_children = true },
	{ "first:", begin_processes, run_process, .by_children = true },
	{ "", begin_requests, request_each },
};

static const struct kind *kind_of(const char *what)
{
	const struct kind *k = kinds;

	if (!strchr(what, ':'))
		usage();
	while (strncmp(what, k->prefix, strlen(k->prefix)) != 0)
		k++;
	return k;
}

/* In a process of the contender's own: none shares what another one learns or keeps open. */
static void *begin(const void *arg)
{
	const struct contender *c = arg;
	OSSL_LIB_CTX *lib;

	if (c->variable)
		setenv(c->variable, c->value, 1);
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	lib = OSSL_LIB_CTX_new();
	return lib && OSSL_LIB_CTX_load_config(lib, c->cnf) ? c->kind->begin(lib, c->cnf, c->what) :
							      NULL;
}

/* NAME=CNF[,VARIABLE=VALUE], split in place. */
static void add_contender(const char *what, char *word)
{
	struct contender *c = &contenders[n++];

	c->kind = kind_of(what);
	c->what = what;
	c->name = strsep(&word, "=");
	if (!word)
		usage();
	c->cnf = strsep(&word, ",");
	if (word) {
		c->variable = strsep(&word, "=");
		c->value = word ? word : "";
	}
}

/* The first turn is a warm-up. */
static bool take_turn(void *arg, size_t who, unsigned round)
{
	struct contender *c = (struct contender *)arg + who;
	unsigned ms = !round && who == n - 1 ? warm_ms : slice_ms;
	struct kc_turn t;

	if (!kc_crew_turn(&c->crew, ms, &t))
		return false;
	if (round)
		c->rate[round - 1] =
			(double)t.calls * 1e9 /
			(double)(c->kind->by_children ? t.took.process_ns : t.took.wall_ns);
	return true;
}

static bool measure(void)
{
	bool ok;

	for (size_t i = 0; i < n; i++) {
		const struct kc_job job = { begin, contenders[i].kind->once, &contenders[i] };

		kc_crew_start(&contenders[i].crew, &job, 1);
	}
	ok = kc_turns(n, rounds + 1, take_turn, contenders);
	for (size_t i = 0; i < n; i++)
		kc_crew_end(&contenders[i].crew);
	return ok;
}

/* The ratio within each round of the last contender to the best of the others. */
static void print(const char *what)
{
	struct contender *last = &contenders[n - 1], *best = contenders;
	static double ratio[MAX_ROUNDS], sorted[MAX_ROUNDS];
	struct kc_quartiles q;

	/* Without the file's path. */
	printf("  %-24.*s", (int)strcspn(what, "/"), what);
	for (struct contender *c = contenders; c <= last; c++) {
		memcpy(sorted, c->rate, rounds * sizeof(*sorted));
		c->median = kc_median(sorted, rounds);
		best = c < last && c->median > best->median ? c : best;
		printf("  %s %.1f/s", c->name, c->median);
	}
	for (unsigned r = 0; r < rounds; r++)
		ratio[r] = last->rate[r] / best->rate[r];
	q = kc_quartiles(ratio, rounds);
	printf("  %s / %s %.3f (%.3f to %.3f)\n", last->name, best->name, q.median, q.low, q.high);
}

int main(int argc, char **argv)
{
	int c;

	if (argc == 3 && strcmp(argv[1], "--one") == 0)
		return one_connection(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--first") == 0)
		return first_requests(argv[2]);
	while ((c = getopt(argc, argv, "+w:s:r:")) != -1) {
		if (c == '?')
			usage();
		*(c == 'w' ? &warm_ms : c == 's' ? &slice_ms : &rounds) = (unsigned)atoi(optarg);
	}
	if (argc - optind < 3 || argc - optind > MOST + 1 || !rounds || rounds > MAX_ROUNDS)
		usage();
	for (int i = optind + 1; i < argc; i++)
		add_contender(argv[optind], argv[i]);
	if (!measure()) {
		fprintf(stderr, "kcrypto-bench-choice: %s failed\n", argv[optind]);
		return 1;
	}
	print(argv[optind]);
	return 0;
}
