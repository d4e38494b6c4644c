/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets every system call that the provider makes on the kernel's crypto API fail, in every way,
 * each in a process of its own that runs the same small program. The program's output must be the
 * default provider's, and it must use the kernel again afterwards. usage: faults_matrix BACKEND
 * CONFIG [STEP [START [NAME]]]. BACKEND: the one that CONFIG names, afalg, devcrypto or kcrypto;
 * both: AF_ALG after a failure of /dev/crypto. A run tries some of the ways at each index,
 * beginning with START, which is random by default. For a quick look: with STEP, only every STEP-th
 * index; with NAME, only that algorithm.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faults/run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A backend: its calls on a session, and their possible results. */
struct way {
	const char *name;
	enum inject_call first, last;
	const int *errnos;
	size_t n_errnos;
	bool is_device; /* /dev/crypto */
};

static const int alg_errnos[] = {
	EAFNOSUPPORT, ENOENT, EPERM, EMFILE, ENOMEM, ENOBUFS, EINTR, EIO
};
static const int dev_errnos[] = { EIO,	  EINTR,  EACCES, ENOENT, EPERM,  ENODEV,
				  EMFILE, ENOMEM, EINVAL, ENOTTY, EBADMSG };
static const int node_errnos[] = { EIO,	   EINTR,  EACCES, ENOENT,  EPERM,     ENODEV,	  EMFILE,
				   ENOMEM, EINVAL, ENOTTY, EBADMSG, ETIMEDOUT, ESHUTDOWN, ESTALE };
static const int shorts[] = { INJECT_NONE, INJECT_ONE, INJECT_ALL_BUT_1, INJECT_HALF };

static const struct way ways[] = {
	{ "afalg", INJECT_SOCKET, INJECT_FSTAT, alg_errnos, COUNT(alg_errnos), false },
	{ "devcrypto", INJECT_FSTAT, INJECT_AUTHCRYPT, dev_errnos, COUNT(dev_errnos), true },
	{ "both", INJECT_FSTAT, INJECT_AUTHCRYPT, dev_errnos, COUNT(dev_errnos), true },
	{ "kcrypto", INJECT_NODE_OPEN, INJECT_KC_REAP, node_errnos, COUNT(node_errnos), false },
};

static const enum kc_alg_id rows[] = {
	KC_ALG_AES_128_CBC, KC_ALG_AES_128_CTR, KC_ALG_AES_128_ECB,
	KC_ALG_AES_128_GCM, KC_ALG_AES_256_CCM, KC_ALG_CHACHA20_POLY1305,
	KC_ALG_SHA256,	    KC_ALG_HMAC_SHA256, KC_ALG_CMAC_AES_128,
};

/* How thoroughly to test. */
struct depth {
	/*
	 * Every how many-th index is tested: of requests before the first message, of requests from
	 * there on, of other calls.
	 */
	unsigned trial, requests, others;
	unsigned faults; /* at each index: EIO, EINTR, and every how many-th of the others */
};

#define FAULTS 3 /* of the ciphers' calls, see above */

static const struct way *way;
static unsigned start_at;
static enum kc_alg_id row;

static enum kc_kind kind(void)
{
	return kc_algs[row].kind;
}

static bool is_hash(void)
{
	return kind() == KC_DIGEST || kind() == KC_MAC;
}

static bool is_module(void)
{
	return way->first == INJECT_NODE_OPEN;
}

/* The call that makes a request of this kind of algorithm. */
static enum inject_call request_call(void)
{
	if (!way->is_device)
		return is_module() ? INJECT_KC_RUN : INJECT_SENDMSG;
	return kind() == KC_AEAD ? INJECT_AUTHCRYPT : INJECT_CRYPT;
}

static bool is_request(enum inject_call call)
{
	return call == INJECT_SENDMSG || call == INJECT_READ || call == INJECT_CRYPT ||
	       call == INJECT_AUTHCRYPT || call == INJECT_KC_RUN;
}

/* Whether the call is never made for this kind of algorithm. */
static bool is_never_made(enum inject_call call)
{
	if (call == INJECT_CRYPT || call == INJECT_AUTHCRYPT)
		return call != request_call();
	return (call == INJECT_GETSOCKOPT && is_hash()) ||
	       (call == INJECT_SETSOCKOPT && kind() == KC_DIGEST);
}

/* Whether the call is repeated, as interrupted calls are, so that nothing is lost. */
static bool is_made_again(const struct inject_plan *p)
{
	bool is_opening = p->call == INJECT_SOCKET || p->call == INJECT_BIND ||
			  p->call == INJECT_SETSOCKOPT || p->call == INJECT_ACCEPT4;
	bool is_device = p->call >= INJECT_DEV_OPEN && p->call <= INJECT_KC_REAP;

	return p->fault == EINTR &&
	       (is_opening || is_device || p->call == INJECT_SENDMSG || p->call == INJECT_READ);
}

static bool nothing_lost(const struct result *base)
{
	return memcmp(&run_result->count, &base->count, sizeof(base->count)) == 0;
}

/* Whether the fault makes an AEAD's message bad. With half a message, the kernel itself says so. */
static bool says_bad(const struct inject_plan *p)
{
	return kind() == KC_AEAD &&
	       (p->fault == INJECT_BAD || p->fault == INJECT_HALF || p->fault == EBADMSG);
}

/*
 * A driver that calls a good message bad in its trial has lied, and the process no longer uses it.
 */
static bool is_refused(const struct result *base, const struct inject_plan *p)
{
	return is_request(p->call) && says_bad(p) && p->from < base->at_first.calls[p->call];
}

/* A digest's long message may go in blocks, which have a later trial of their own. */
static bool has_blocks(void)
{
	return is_module() && kind() == KC_DIGEST;
}

/* Whether the request may be a known answer. Then more requests than are counted follow it. */
static bool is_of_later_trial(const struct result *base, const struct inject_plan *p)
{
	unsigned made = base->seen.calls[p->call] - base->at_first.calls[p->call];

	return has_blocks() && made > base->count.requests;
}

/*
 * Whether a failed request is counted. It leaves only the rest of a cipher's update, or one long
 * message of a digest, to software. A driver that calls a tag bad may be right.
 */
static bool is_counted(const struct result *base, const struct inject_plan *p)
{
	const struct row_count *count = &run_result->count;
	unsigned long long rest = kind() == KC_CIPHER || has_blocks();

	if (!is_request(p->call) || p->fault == EINTR || p->from < base->at_first.calls[p->call])
		return true;
	if (says_bad(p) && !count->redone)
		return count->requests >= base->count.requests;
	if (!count->redone && is_of_later_trial(base, p))
		return true;
	return count->redone == 1 && count->requests + 1 + rest >= base->count.requests;
}

/* @base: a run without a fault. */
static void once(const struct result *base, enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .fault = fault };
	/* Calls at load are made only once. */
	bool at_load = n <= base->at_fetch.calls[call];
	char why[80];

	if (!run_play(&p, !at_load && !is_refused(base, &p))) {
		run_report(&p);
	} else if (is_made_again(&p) && !nothing_lost(base)) {
		run_wrong("interrupted, and not made again");
		run_report(&p);
	} else if (!is_counted(base, &p)) {
		snprintf(why, sizeof(why), "not counted as it was: %llu requests, %llu redone",
			 run_result->count.requests, run_result->count.redone);
		run_wrong(why);
		run_report(&p);
	}
}

static void for_good(enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .for_good = true, .fault = fault };

	/* No call is interrupted for ever. */
	if (fault != EINTR && n && !run_play(&p, false))
		run_report(&p);
}

/* Callers of fstat only check whether it failed. */
static bool is_due(const struct depth *depth, enum inject_call call, unsigned turn, int fault)
{
	if (depth->faults == 1 || fault == EIO || fault == EINTR)
		return true;
	return call != INJECT_FSTAT && turn % depth->faults == 0;
}

static void all_faults(const struct result *base, const struct depth *depth, enum inject_call call,
		       unsigned n)
{
	bool counts = call == INJECT_SENDMSG || call == INJECT_READ;
	unsigned turn = n + start_at;

	for (size_t e = 0; e < way->n_errnos; e++)
		if (is_due(depth, call, turn++, way->errnos[e]))
			once(base, call, n, way->errnos[e]);
	for (size_t s = 0; counts && s < COUNT(shorts); s++)
		if (is_due(depth, call, turn++, shorts[s]))
			once(base, call, n, shorts[s]);
	if (call == INJECT_READ && kind() == KC_AEAD)
		once(base, call, n, INJECT_BAD);
}

/* Tests one call in all ways. */
static void whole_call(const struct result *base, enum inject_call call, const struct depth *depth)
{
	unsigned n = base->seen.calls[call];
	unsigned first = is_request(call) ? base->at_first.calls[call] : 0;
	unsigned step = is_request(call) ? depth->requests : depth->others;

	for (unsigned i = 1; i < first; i += depth->trial)
		all_faults(base, depth, call, i);
	for (unsigned i = (first ? first : 1) + start_at % step; i <= n; i += step)
		all_faults(base, depth, call, i);
	for (size_t e = 0; depth->requests == 1 && e < way->n_errnos; e++) {
		if (!is_due(depth, call, (unsigned)e + start_at, way->errnos[e]))
			continue;
		for_good(call, 1, way->errnos[e]);
		for_good(call, n / 2, way->errnos[e]);
		for_good(call, n, way->errnos[e]);
	}
	if (call == INJECT_READ && kind() == KC_AEAD) {
		for_good(call, first, INJECT_BAD);
		for_good(call, n / 2, INJECT_BAD);
	}
}

static bool chosen(size_t i, struct result *base)
{
	row = rows[i];
	/* The trial's requests are seen, but not counted. */
	if (run_choose(row) && run_undisturbed(base) &&
	    base->seen.calls[request_call()] > base->count.requests)
		return true;
	fprintf(stderr, "FAILED %s undisturbed\n", run_name);
	run_failures++;
	return false;
}

/*
 * The first fetch only checks the device's path. If that fails, nothing is offered, and programs
 * get the default provider's ciphers as without kcrypto.
 */
static void asked_once(const struct result *base, enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .fault = fault };
	bool lost = !is_made_again(&p);

	if (!run_play(&p, !lost)) {
		run_report(&p);
	} else if (lost ? run_result->offered || run_result->count.requests :
			  !run_result->offered || !nothing_lost(base)) {
		run_wrong(lost ? "offered all the same" : "not offered, or not used");
		run_report(&p);
	}
}

static void discovery(void)
{
	struct result base;

	if (!chosen(0, &base))
		return;
	for (int call = INJECT_DEV_OPEN; call <= INJECT_FSESSION; call++) {
		unsigned n = base.at_fetch.calls[call];

		if (n != (call == INJECT_DEV_OPEN)) {
			fprintf(stderr, "FAILED %u times %s at the first fetch\n", n,
				inject_name(call));
			run_failures++;
		}
		for (unsigned i = 1; i <= n; i++)
			for (size_t e = 0; e < way->n_errnos; e++)
				asked_once(&base, (enum inject_call)call, i, way->errnos[e]);
	}
}

/* The device reports another driver for its sessions. Software is allowed here. */
static void another_driver(void)
{
	struct inject_plan p = {
		.call = INJECT_GSESSINFO, .from = 1, .for_good = true, .fault = INJECT_NONE
	};

	if (run_play(&p, false) && !run_result->count.requests)
		run_wrong("a session of a driver that is admitted was not used");
	if (run_result->wrong[0])
		run_report(&p);
}

/*
 * From the n-th call on the device is dead. AF_ALG takes over, and a failed opening loses nothing.
 */
static void dies(const struct result *base, enum inject_call call, unsigned n, int fault)
{
	struct inject_plan p = { .call = call, .from = n, .for_good = true, .fault = fault };

	if (!run_play(&p, true))
		run_report(&p);
	else if (!run_result->seen.calls[INJECT_READ])
		run_wrong("no request went to AF_ALG");
	else if (is_request(call) ? run_result->count.redone > base->seen.calls[INJECT_DEV_OPEN] :
				    !nothing_lost(base))
		run_wrong("more was lost than had to be");
	if (run_result->wrong[0])
		run_report(&p);
}

/* Tests the first @max calls, and of the others every @step-th; 0: all. */
static void fallback(size_t which, unsigned max, unsigned step)
{
	struct {
		enum inject_call call;
		int fault;
	} deaths[] = {
		{ INJECT_DEV_OPEN, EACCES }, { INJECT_DEV_OPEN, ENODEV },
		{ INJECT_GSESSION, EINVAL }, { INJECT_GSESSION, ENOMEM },
		{ INJECT_CRYPT, ENOTTY },    { INJECT_CRYPT, EIO },
	};
	struct result base;

	if (!chosen(which, &base))
		return;
	if (base.seen.calls[INJECT_SOCKET]) {
		fprintf(stderr, "FAILED AF_ALG was used although the device works\n");
		run_failures++;
	}
	for (size_t i = 0; i < COUNT(deaths); i++) {
		enum inject_call call =
			is_request(deaths[i].call) ? request_call() : deaths[i].call;
		unsigned all = base.seen.calls[call];

		for (unsigned n = 1; n <= (max ? max : all); n += step)
			dies(&base, call, n, deaths[i].fault);
	}
}

static void matrix(size_t which, enum inject_call first, enum inject_call last, struct depth depth)
{
	struct result base;
	unsigned before = run_runs;
	time_t start = time(NULL);

	if (!chosen(which, &base))
		return;
	for (int call = first; call <= (int)last; call++) {
		if (is_never_made(call) != !base.seen.calls[call]) {
			fprintf(stderr, "FAILED %s: %u times %s\n", run_name, base.seen.calls[call],
				inject_name(call));
			run_failures++;
		}
		if (base.seen.calls[call])
			whole_call(&base, (enum inject_call)call, &depth);
	}
	printf("%s: %u runs in %ld s\n", run_name, run_runs - before, (long)(time(NULL) - start));
	fflush(stdout);
}

static void both(unsigned step)
{
	fallback(0, 1, 1);
	run_load_once();
	fallback(0, 0, step);
	fallback(1, 0, 9);
	fallback(3, 0, 9);
}

/*
 * Whether the device has a number and a driver for the algorithm, and the configuration names it.
 */
static bool has_way(enum kc_alg_id id)
{
	return (!way->is_device && !is_module()) || kc_algs[id].kind == KC_CIPHER ||
	       id == KC_ALG_AES_128_GCM || id == KC_ALG_SHA256 || id == KC_ALG_HMAC_SHA256;
}

static void first_cipher(unsigned step)
{
	struct depth all = { step, step, step, FAULTS };

	matrix(0, INJECT_PROC_OPEN, INJECT_PROC_READ, all);
	if (is_module())
		matrix(0, INJECT_KC_LIST, INJECT_KC_LIST, all);
	if (way->is_device)
		discovery();
	run_load_once();
	matrix(0, way->first, way->last, all);
	if (way->is_device)
		another_driver();
}

static void others(unsigned step, const char *name)
{
	for (size_t i = 1; i < COUNT(rows); i++) {
		bool is_first = kc_algs[rows[i]].kind != kc_algs[rows[i - 1]].kind;
		struct depth depth = { 9, (is_first ? 1 : 3) * step, 4 * step, 4 };

		/* The others differ from the first one in bytes alone. */
		if (kc_algs[rows[i]].kind == KC_CIPHER)
			depth = (struct depth){ 9, 9, 9, FAULTS };
		if (has_way(rows[i]) && (!name || kc_alg_find(name) == &kc_algs[rows[i]]))
			matrix(i, way->first, way->last, depth);
	}
}

int main(int argc, char **argv)
{
	unsigned step = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	const char *name = argc > 5 ? argv[5] : NULL;

	for (size_t i = 0; argc > 2 && i < COUNT(ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			way = &ways[i];
	if (!way || !step || !run_begin(argv[2]))
		return 2;
	start_at = argc > 4 ? (unsigned)atoi(argv[4]) : (unsigned)time(NULL) % 12;
	printf("start %u\n", start_at);
	if (strcmp(way->name, "both") == 0) {
		both(step);
	} else {
		if (name)
			run_load_once();
		else
			first_cipher(step);
		others(step, name);
	}
	printf("%u runs, %u wrong\n", run_runs, run_failures);
	return run_failures != 0;
}
