/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto bench: contenders, what they do, and what came of it. */
#ifndef KC_CLI_BENCH_BENCH_H
#define KC_CLI_BENCH_BENCH_H

#include <stdbool.h>

#include <json-c/json.h>
#include <openssl/types.h>

#include "cli/bench/turns.h"
#include "cli/evidence/evidence.h"
#include "core/request.h"

#define KC_MAX_CONTENDERS 8
#define KC_MAX_SIZES	  16
#define KC_MAX_RUNS	  1000
#define KC_BENCH_ROUNDS	  5 /* at least, unless a request takes longer than a turn */

/* A library context of this process, with its own configuration, and a line of the table. */
struct kc_contender {
	const char *label;
	const char *driver, *kind; /* see kc_claim_word(); NULL if no driver is known */
	const char *why;	   /* it has no figures; NULL: no reason is known */
	struct kc_evidence evidence;
	OSSL_LIB_CTX *lib;	/* NULL: it did not enter */
	const char *properties; /* of each fetch; NULL: the context's default */
	bool is_ktls;		/* the kernel's own TLS does this one's records */
	unsigned by_ktls;	/* of sealing and opening: how many does it? */
	bool is_half;		/* the rest is left to software, and by intention */
};

struct kc_field {
	struct kc_contender contender[KC_MAX_CONTENDERS];
	size_t n;
};

struct kc_bench {
	const struct kc_alg *algs[KC_ALG_COUNT];
	size_t n_algs;
	size_t sizes[KC_MAX_SIZES]; /* bytes */
	size_t n_sizes;
	bool decrypts, json;
	bool is_tls;	  /* records of TLS, sealed and opened */
	bool is_13;	  /* of TLS 1.3 */
	unsigned seconds; /* of the whole run, roughly */
	unsigned processes, rounds;
	unsigned slice_ms; /* for each contender in each round */
	const char *file;  /* the openssl.cnf to use; NULL: the one that applications read */
	unsigned runs;	   /* pairs of a command */
};

/*
 * field.c: for all fields of this process. @module: our module's file, which has to stay; where it
 * has no path, OpenSSL looks in its own directory. @trusts_seccomp: even under a filter, backends
 * are asked.
 */
void kc_field_begin(const char *module, bool trusts_seccomp);

/*
 * These enter a contender; false where it can't be had. A backend's gets every request of @alg,
 * whatever its length. @driver: through this one, or "" for any.
 */
bool kc_enter_software(struct kc_contender *contender);
bool kc_enter_backend(struct kc_contender *contender, const struct kc_alg *alg, const char *backend,
		      const char *driver);

/* Why a contender has no figures if its turn comes late, behind others that took all the time. */
#define KC_BENCH_LATE "the time was up; --seconds gives more"

/*
 * Makes the contenders of kcrypto bench. One that cannot be had says why. @is_late: they only say
 * so, and no driver is tried.
 */
void kc_field_fill(struct kc_field *field, const struct kc_bench *bench, const struct kc_alg *alg,
		   bool is_late);

/* Frees the contexts. A zeroed field is empty. */
void kc_field_clear(struct kc_field *field);

#define KC_BENCH_NOISY 0.25 /* turns that differ by more tell more about the machine than drivers */

/*
 * compare.c: all contenders do requests of @size bytes, or records of TLS, in turns. Adds a row of
 * each to @rows, which has no figures where they would be wrong, or if this @is_late.
 */
void kc_compare(const struct kc_bench *bench, const struct kc_field *field,
		const struct kc_alg *alg, size_t size, bool is_late, struct json_object *rows);

/*
 * advice.c: conclusions from measured figures, and from nothing else. Who should do a machine's TLS
 * records? Adds it to @advice, from the last four @rows: software's, kcrypto's, kTLS's, both's.
 */
void kc_bench_advise(struct json_object *advice, struct json_object *rows);

/*
 * conclude.c: adds to @conclusions what the last @rows show, of an algorithm with @lines contenders
 * and @sizes, of which software's is the first: from which length on the kernel is faster, and by
 * how much. From figures that vary too much, nothing.
 */
void kc_bench_conclude(struct json_object *conclusions, struct json_object *rows, size_t lines,
		       size_t sizes);

/* A figure of a row; 0 if it is null. */
double kc_bench_number(const struct json_object *row, const char *key);

#define KC_LEAST_PAIRS 3 /* of runs or turns: fewer are no evidence */

/* Ratios of the pairs: time with kcrypto, divided by time without. */
struct kc_pairing {
	size_t n; /* pairs of runs */
	struct kc_quartiles wall, machine;
	uint64_t by_kernel; /* bytes */
	bool is_seen;	    /* a kcrypto module was loaded */
};

/* Is a command faster with kcrypto? A sentence. */
const char *kc_bench_judge(const struct kc_pairing *pairing);

/*
 * report.c, for people: the head; the tables of @alg, whose @lines contenders have the last rows;
 * what follows from all. The last one prints the report as JSON if that is asked for, and releases
 * it.
 */
void kc_bench_report_begin(struct json_object *report, const struct kc_bench *bench);
/* Prints the tables of @alg. */
void kc_bench_report_add(struct json_object *report, const struct kc_bench *bench,
			 const struct kc_alg *alg, size_t lines);
/* Prints what follows from all, or the JSON. */
void kc_bench_report_end(struct json_object *report, const struct kc_bench *bench);

/* command.c: compares a command without and with kcrypto. Returns an exit code. */
int kc_bench_command(const struct kc_bench *bench, char *const *argv);

#endif
