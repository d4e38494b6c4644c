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

#include <openssl/evp.h>

#include "connection.h"
#include "turns.h"

#define LARGEST	  65536
#define MAX_MIXED 8

struct requests {
	EVP_CIPHER_CTX *ctx;
	int size[MAX_MIXED]; /* taking turns */
	unsigned n, next;
};

static unsigned warm_ms = 1000, slice_ms = 20, rounds = 31;
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
	int n, ok = 1;

	for (unsigned i = 0; ok && i < r->n; i++)
		ok = EVP_EncryptUpdate(r->ctx, out, &n, in, r->size[i]);
	return ok;
}

static void *begin_connections(OSSL_LIB_CTX *lib, const char *cnf, const char *what)
{
	(void)cnf;
	return connections_new(lib, strchr(what, ':') + 1);
}

static int connect_once(void *state)
{
	return connection_make(state);
}

/* Runs this program again, to make one connection or a few requests. */
static void *begin_processes(OSSL_LIB_CTX *lib, const char *cnf, const char *what)
{
	static const char *argv[] = { "kcrypto-bench-choice", NULL, NULL, NULL };

	(void)lib;
	argv[1] = *what == 'f' ? "--first" : "--one";
	argv[2] = strchr(what, ':') + 1;
	return setenv("OPENSSL_CONF", cnf, 1) == 0 ? argv : NULL;
}

/* @what: CIPHER:BYTES*N */
static int first_requests(const char *what)
{
	struct requests *r = begin_requests(NULL, NULL, what);
	const char *times = strchr(what, '*');
	int ok = r != NULL;

	for (int n = times ? atoi(times + 1) : 1; ok && n > 0; n--)
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

/* Like a program that knows nothing of library contexts. */
static int one_connection(const char *pem)
{
	void *c = connections_new(NULL, pem);
	int ok = c && connection_make(c);

	connections_free(c);
	return !ok;
}

static const struct turns_work *work_of(const char *what)
{
	static const struct turns_work requests = { begin_requests, request_each },
				       connections = { begin_connections, connect_once },
				       processes = { begin_processes, run_process,
						     .by_children = true };

	if (!strchr(what, ':'))
		usage();
	if (strncmp(what, "connections:", 12) == 0)
		return &connections;
	if (strncmp(what, "first:", 6) == 0)
		return &processes;
	return strncmp(what, "processes:", 10) == 0 ? &processes : &requests;
}

/* NAME=CNF[,VARIABLE=VALUE], split in place. */
static struct contender contender_of(char *word)
{
	struct contender c = { .name = strsep(&word, "=") };

	if (!word)
		usage();
	c.cnf = strsep(&word, ",");
	if (word) {
		c.variable = strsep(&word, "=");
		c.value = word ? word : "";
	}
	return c;
}

static void print(const char *what, const struct contender *c, int n, const struct turns *t)
{
	/* Without the file's path. */
	printf("  %-24.*s", (int)strcspn(what, "/"), what);
	for (int i = 0; i < n; i++)
		printf("  %s %.1f/s", c[i].name, c[i].per_second);
	printf("  %s / %s %.3f (%.3f to %.3f)\n", c[n - 1].name, c[t->best].name, t->ratio, t->low,
	       t->high);
}

int main(int argc, char **argv)
{
	struct contender contenders[TURNS_MAX];
	struct turns turns;
	int c, n = 0;

	if (argc == 3 && strcmp(argv[1], "--one") == 0)
		return one_connection(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--first") == 0)
		return first_requests(argv[2]);
	while ((c = getopt(argc, argv, "+w:s:r:")) != -1) {
		if (c == '?')
			usage();
		*(c == 'w' ? &warm_ms : c == 's' ? &slice_ms : &rounds) = (unsigned)atoi(optarg);
	}
	if (argc - optind < 3 || argc - optind > TURNS_MAX + 1 || !rounds)
		usage();
	for (int i = optind + 1; i < argc; i++)
		contenders[n++] = contender_of(argv[i]);
	if (!turns_measure(work_of(argv[optind]), argv[optind], contenders, n, warm_ms, slice_ms,
			   rounds, &turns)) {
		fprintf(stderr, "kcrypto-bench-choice: %s failed\n", argv[optind]);
		return 1;
	}
	print(argv[optind], contenders, n, &turns);
	return 0;
}
