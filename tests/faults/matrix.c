/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system call that the provider makes on the kernel's crypto API fails once, in every way,
 * each in a process of its own that plays the same small program: its output has to be the default
 * provider's, and it has to come back to the kernel. usage: faults_matrix afalg|devcrypto|both
 * CONFIG [STEP]: the way that CONFIG leads to, or, with both, to AF_ALG only where /dev/crypto
 * fails. With a STEP only every so many-th index, to have a quick look.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

#include "diff/stats_file.h"
#include "faults/inject.h"
#include "faults/workload.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TOO_LONG     30 /* seconds for one run */

/* A backend: its calls on a session, the one that each request has, and what may be answered. */
struct way {
	const char *name;
	enum inject_call first, last, request;
	const int *errnos;
	size_t n_errnos;
};

struct row_count {
	unsigned long long requests, bytes, redone;
};

/* What one run leaves behind, in shared memory. */
struct result {
	struct inject_seen seen;
	struct inject_seen at_fetch; /* calls until the first fetch was done */
	bool offered;		     /* it got our cipher */
	char wrong[64];
	struct row_count count;
};

static const int alg_errnos[] = {
	EAFNOSUPPORT, ENOENT, EPERM, EMFILE, ENOMEM, ENOBUFS, EINTR, EIO
};
static const int dev_errnos[] = { EIO,	  EINTR,  EACCES, ENOENT, EPERM,  ENODEV,
				  EMFILE, ENOMEM, EINVAL, ENOTTY, EBADMSG };
static const int shorts[] = { INJECT_NONE, INJECT_ONE, INJECT_ALL_BUT_1, INJECT_HALF };

static const struct way ways[] = {
	{ "afalg", INJECT_SOCKET, INJECT_FSTAT, INJECT_SENDMSG, alg_errnos, COUNT(alg_errnos) },
	{ "devcrypto", INJECT_FSTAT, INJECT_CRYPT, INJECT_CRYPT, dev_errnos, COUNT(dev_errnos) },
	{ "both", INJECT_FSTAT, INJECT_CRYPT, INJECT_CRYPT, dev_errnos, COUNT(dev_errnos) },
};

static const struct way *way;
static const char *config;
static OSSL_LIB_CTX *loaded; /* NULL: each process loads for itself */
static enum kc_alg_id alg = KC_ALG_AES_128_CBC;
static const char *cipher = "AES-128-CBC";
static unsigned char want[WORKLOAD_SIZE], got[WORKLOAD_SIZE];
static size_t want_len;
static struct result *result;
static bool must_recover;
static unsigned runs, failures;

static struct row_count count_now(void)
{
	const struct kc_stats_row *row = &stats_file_read()->row[alg];

	return (struct row_count){ kc_count_read(&row->requests), kc_count_read(&row->bytes),
				   kc_count_read(&row->redone) };
}

static OSSL_LIB_CTX *load(void)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	EVP_CIPHER *fetched;

	if (!OSSL_LIB_CTX_load_config(lib, config))
		snprintf(result->wrong, sizeof(result->wrong), "no configuration");
	fetched = EVP_CIPHER_fetch(lib, cipher, "?provider=kcrypto");
	result->offered =
		fetched &&
		strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(fetched)), "kcrypto") == 0;
	EVP_CIPHER_free(fetched);
	return lib;
}

/* Did the last update's request go to the kernel? */
static bool in_the_kernel_again(void)
{
	static unsigned long long before;
	static bool seen_before;
	unsigned long long now = count_now().requests;
	bool enough = seen_before && (now > before || !must_recover);

	before = now;
	seen_before = true;
	return enough;
}

static void say_wrong(const char *what)
{
	snprintf(result->wrong, sizeof(result->wrong), "%s", what);
}

/*
 * What can't be told ours is not closed either: fstat has to say so, and the device that it knows
 * the session. But who opened it a moment ago knows it without.
 */
static unsigned may_stay_open(const struct inject_plan *plan)
{
	bool tells = plan->call == INJECT_FSTAT || plan->call == INJECT_GSESSINFO;

	return tells ? result->seen.fired - result->seen.fired_opening : 0;
}

static void child(const struct inject_plan *plan)
{
	struct workload w = { .cipher = cipher,
			      .query = "?provider=kcrypto",
			      .transcript = got,
			      .recovered = in_the_kernel_again };
	struct row_count before = count_now(), after;
	OSSL_LIB_CTX *lib;
	const char *wrong;

	alarm(TOO_LONG);
	inject_set(plan);
	lib = loaded ? loaded : load();
	result->at_fetch = result->seen;
	wrong = workload_play(lib, &w);
	if (wrong)
		say_wrong(wrong);
	else if (w.len != want_len || memcmp(want, got, w.len) != 0)
		say_wrong("the output is not the default provider's");
	else if (inject_open_sessions() > may_stay_open(plan))
		say_wrong("a session was left open");
	if (!loaded)
		OSSL_LIB_CTX_free(lib);
	if (result->seen.careless)
		say_wrong("a call without SOCK_CLOEXEC, O_CLOEXEC or MSG_NOSIGNAL");
	after = count_now();
	result->count =
		(struct row_count){ after.requests - before.requests, after.bytes - before.bytes,
				    after.redone - before.redone };
	_exit(result->wrong[0] != '\0');
}

static bool play(const struct inject_plan *plan, bool recover)
{
	int status = -1;
	pid_t pid;

	memset(result, 0, sizeof(*result));
	must_recover = recover;
	runs++;
	pid = fork();
	if (pid == 0)
		child(plan);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		say_wrong("no process");
	else if (WIFSIGNALED(status))
		snprintf(result->wrong, sizeof(result->wrong), "killed by signal %d",
			 WTERMSIG(status));
	if (status == 0 && plan->from && !result->seen.fired)
		say_wrong("the call was not made: nothing was tested");
	return result->wrong[0] == '\0';
}

static const char *fault_word(int fault)
{
	switch (fault) {
	case INJECT_NONE:
		return "0 bytes";
	case INJECT_ONE:
		return "1 byte";
	case INJECT_ALL_BUT_1:
		return "1 byte less";
	case INJECT_HALF:
		return "half, really";
	}
	return strerrorname_np(fault);
}

static void report(const struct inject_plan *p)
{
	failures++;
	fprintf(stderr, "FAILED %s: %s %u%s, %s: %s\n", cipher, inject_name[p->call], p->from,
		p->for_good ? " and on" : "", fault_word(p->fault), result->wrong);
}

/* Those that the kernel interrupts are made again, so that nothing at all is lost. */
static bool is_made_again(const struct inject_plan *p)
{
	bool is_opening = p->call == INJECT_SOCKET || p->call == INJECT_BIND ||
			  p->call == INJECT_SETSOCKOPT || p->call == INJECT_ACCEPT4;
	bool is_device = p->call >= INJECT_DEV_OPEN && p->call <= INJECT_FSESSION;

	return p->fault == EINTR &&
	       (is_opening || is_device || p->call == INJECT_SENDMSG || p->call == INJECT_READ);
}

static bool nothing_lost(const struct result *base)
{
	return memcmp(&result->count, &base->count, sizeof(base->count)) == 0;
}

/* @base: an undisturbed run. */
static void once(const struct result *base, enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .fault = fault };
	/* What is found out at load is found out once. */
	bool at_load = n <= base->at_fetch.calls[call];

	if (!play(&p, !at_load)) {
		report(&p);
	} else if (is_made_again(&p) && !nothing_lost(base)) {
		say_wrong("interrupted, and not made again");
		report(&p);
	}
}

static void for_good(enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .for_good = true, .fault = fault };

	/* Nobody is interrupted for ever. */
	if (fault != EINTR && n && !play(&p, false))
		report(&p);
}

/*
 * AF_ALG's matrix has each errno at each index. Over the device the first two are, of the others
 * every third, and none for fstat: nobody looks at more than that it failed.
 */
static bool is_due(enum inject_call call, unsigned n, size_t e)
{
	if (way->request != INJECT_CRYPT || e < 2)
		return true;
	return call != INJECT_FSTAT && (n + e) % 3 == 0;
}

/* One call in all ways; every @step-th index. */
static void whole_call(const struct result *base, enum inject_call call, unsigned step)
{
	unsigned n = base->seen.calls[call];
	bool counts = call == INJECT_SENDMSG || call == INJECT_READ;

	for (unsigned i = 1; i <= n; i += step) {
		for (size_t e = 0; e < way->n_errnos; e++)
			if (is_due(call, i, e))
				once(base, call, i, way->errnos[e]);
		for (size_t s = 0; counts && s < COUNT(shorts); s++)
			once(base, call, i, shorts[s]);
	}
	for (size_t e = 0; step == 1 && e < way->n_errnos; e++) {
		for_good(call, 1, way->errnos[e]);
		for_good(call, n / 2, way->errnos[e]);
		for_good(call, n, way->errnos[e]);
	}
}

static bool software(void)
{
	struct workload w = { .cipher = cipher, .query = "provider=default", .transcript = want };
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	const char *wrong = OSSL_PROVIDER_load(lib, "default") ? workload_play(lib, &w) : "default";

	want_len = w.len;
	OSSL_LIB_CTX_free(lib);
	if (wrong)
		fprintf(stderr, "FAILED %s, software: %s\n", cipher, wrong);
	return !wrong;
}

static bool undisturbed(struct result *base)
{
	struct inject_plan none = { .from = 0 };
	bool well = play(&none, true);

	*base = *result;
	printf("%s undisturbed: %llu requests counted, %llu failed", cipher, base->count.requests,
	       base->count.redone);
	for (int call = 0; call < INJECT_CALLS; call++)
		printf("; %s %u", inject_name[call], base->seen.calls[call]);
	printf("\n");
	fflush(stdout);
	if (!well)
		report(&none);
	/* The trial's requests are in the one but not in the other. */
	return well && base->count.requests >= 10 && base->count.redone == 0 &&
	       base->seen.calls[way->request] > base->count.requests &&
	       base->seen.calls[INJECT_READ] == base->seen.calls[INJECT_SENDMSG];
}

/*
 * The device is asked for a session of each algorithm at the first fetch. What fails there is not
 * offered, and the default provider's as without us; all else is as if nothing had happened.
 */
static void asked_once(const struct result *base, enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .fault = fault };
	bool other_row = call == INJECT_FSESSION || (call != INJECT_DEV_OPEN && n != 1);
	bool lost = !is_made_again(&p) && !other_row;

	if (!play(&p, !lost)) {
		report(&p);
	} else if (lost ? result->offered || result->count.requests :
			  !result->offered || !nothing_lost(base)) {
		say_wrong(lost ? "offered all the same" : "not offered, or not used");
		report(&p);
	}
}

static void discovery(void)
{
	struct result base;

	if (!software() || !undisturbed(&base)) {
		failures++;
		return;
	}
	for (int call = INJECT_DEV_OPEN; call <= INJECT_FSESSION; call++) {
		unsigned n = base.at_fetch.calls[call];

		/* As many ioctls as there are algorithms of which the module has any number. */
		if (call == INJECT_DEV_OPEN ? n != 1 : call == INJECT_CRYPT ? n != 0 : n < 4) {
			fprintf(stderr, "FAILED %u times %s at the first fetch\n", n,
				inject_name[call]);
			failures++;
		}
		for (unsigned i = 1; i <= n; i++)
			for (size_t e = 0; e < way->n_errnos; e++)
				asked_once(&base, (enum inject_call)call, i, way->errnos[e]);
	}
}

/* The device says that it gave a session of another driver than the one that it was chosen for. */
static void another_driver(void)
{
	struct inject_plan p = {
		.call = INJECT_GSESSINFO, .from = 1, .for_good = true, .fault = INJECT_NONE
	};

	if (play(&p, false) && result->count.requests)
		say_wrong("a session of another driver was used");
	if (result->wrong[0])
		report(&p);
}

/* From the n-th call on the device is dead: AF_ALG takes over, and what only opens loses nothing. */
static void dies(const struct result *base, enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .for_good = true, .fault = fault };

	if (!play(&p, true))
		report(&p);
	else if (!result->seen.calls[INJECT_READ])
		say_wrong("no request went to AF_ALG");
	else if (call == INJECT_CRYPT ? result->count.redone > base->seen.calls[INJECT_DEV_OPEN] :
					!nothing_lost(base))
		say_wrong("more was lost than had to be");
	if (result->wrong[0])
		report(&p);
}

/* The first @max calls, and every @step-th; 0: all. */
static void fallback(unsigned max, unsigned step)
{
	static const struct {
		enum inject_call call;
		int fault;
	} deaths[] = {
		{ INJECT_DEV_OPEN, EACCES }, { INJECT_DEV_OPEN, ENODEV },
		{ INJECT_GSESSION, EINVAL }, { INJECT_GSESSION, ENOMEM },
		{ INJECT_CRYPT, ENOTTY },    { INJECT_CRYPT, EIO },
	};
	struct result base;

	if (!software() || !undisturbed(&base)) {
		failures++;
		return;
	}
	if (base.seen.calls[INJECT_SOCKET]) {
		fprintf(stderr, "FAILED AF_ALG was used although the device works\n");
		failures++;
	}
	for (size_t i = 0; i < COUNT(deaths); i++) {
		unsigned all = base.seen.calls[deaths[i].call];

		for (unsigned n = 1; n <= (max ? max : all); n += step)
			dies(&base, deaths[i].call, n, deaths[i].fault);
	}
}

/* The calls @first to @last; of each, every @step-th time. */
static void matrix(enum inject_call first, enum inject_call last, unsigned step)
{
	struct result base;
	unsigned before = runs;
	time_t start = time(NULL);

	if (!software() || !undisturbed(&base)) {
		failures++;
		return;
	}
	for (int call = first; call <= (int)last; call++) {
		if (!base.seen.calls[call]) {
			fprintf(stderr, "FAILED %s: no %s at all\n", cipher, inject_name[call]);
			failures++;
		}
		whole_call(&base, (enum inject_call)call, step);
	}
	printf("%s: %u runs in %ld s\n", cipher, runs - before, (long)(time(NULL) - start));
	fflush(stdout);
}

static void set_cipher(enum kc_alg_id id, const char *name)
{
	alg = id;
	cipher = name;
}

static void both(unsigned step)
{
	fallback(1, 1);
	loaded = load();
	fallback(0, step);
	set_cipher(KC_ALG_AES_128_CTR, "AES-128-CTR");
	fallback(0, 9);
}

static void one_way(unsigned step)
{
	matrix(INJECT_PROC_OPEN, INJECT_PROC_READ, step);
	if (way->request == INJECT_CRYPT)
		discovery();
	loaded = load();
	matrix(way->first, way->last, step);
	if (way->request == INJECT_CRYPT)
		another_driver();
	/* Every ninth: among them is one that is done in place. */
	set_cipher(KC_ALG_AES_128_CTR, "AES-128-CTR");
	matrix(way->first, way->last, 9);
	set_cipher(KC_ALG_AES_128_ECB, "AES-128-ECB");
	matrix(way->first, way->last, 9);
}

int main(int argc, char **argv)
{
	unsigned step = argc > 3 ? (unsigned)atoi(argv[3]) : 1;

	for (size_t i = 0; argc > 2 && i < COUNT(ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			way = &ways[i];
	if (!way || !step)
		return 2;
	config = argv[2];
	stats_file_make();
	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (result == MAP_FAILED || !inject_start(&result->seen))
		return 2;
	set_cipher(KC_ALG_AES_128_CBC, "AES-128-CBC");
	if (strcmp(way->name, "both") == 0)
		both(step);
	else
		one_way(step);
	printf("%u runs, %u wrong\n", runs, failures);
	return failures != 0;
}
