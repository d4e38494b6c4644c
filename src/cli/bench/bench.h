/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto bench alone: contenders, their work, and its results. */
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

/* A line of the table: a library context of this process with a configuration of its own. */
struct kc_contender {
	const char *label;
	const char *driver, *kind; /* see kc_claim_word(); NULL if no driver is known */
	const char *why;	   /* why it has no figures; NULL: no reason is known */
	struct kc_evidence evidence;
	OSSL_LIB_CTX *lib;	/* NULL: it did not enter */
	const char *properties; /* for each fetch; NULL: the context's default */
	bool is_ktls;		/* the kernel's own TLS does this one's records */
	unsigned by_ktls;	/* of sealing and opening, the number that kTLS does */
	bool is_half;		/* software does the rest on purpose */
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
	unsigned seconds; /* for the whole run, roughly */
	unsigned processes, rounds;
	unsigned slice_ms; /* for each contender in each round */
	const char *file;  /* the openssl.cnf to use; NULL: the one that applications read */
	unsigned runs;	   /* number of pairs, for a command */
	uint64_t end_ns;   /* when the seconds are over */
	size_t left;	   /* figures still to measure, with the current one */
};

/*
 * field.c: prepares all fields of this process. @module: our module's file, which has to stay; if
 * it has no path, OpenSSL looks in its own directory. @trusts_seccomp: backends are asked even
 * under a filter.
 */
void kc_field_begin(const char *module, bool trusts_seccomp);

/* Enters software as a contender; false if it can't be had. */
bool kc_enter_software(struct kc_contender *contender);
/*
 * Enters a backend, which gets every request of @alg, of any length; false if it can't be had.
 * @driver: through this driver, or "" for any.
 */
bool kc_enter_backend(struct kc_contender *contender, const struct kc_alg *alg, const char *backend,
		      const char *driver);

/* The reason why a contender has no figures if those before it took all the time. */
#define KC_BENCH_LATE "the time was up; --seconds gives more"

/*
 * Makes the contenders of kcrypto bench; each that can't be had says why. @is_late: all say that it
 * is too late, and no driver is tried.
 */
void kc_field_fill(struct kc_field *field, const struct kc_bench *bench, const struct kc_alg *alg,
		   bool is_late);

/* Frees the contexts. A zeroed field is empty. */
void kc_field_clear(struct kc_field *field);

#define KC_BENCH_NOISY 0.25 /* turns that differ by more tell more about the machine than drivers */

/*
 * compare.c: begins the comparisons of @alg. Each contender keeps its processes until
 * kc_compare_end(), so that they try a driver once.
 */
void kc_compare_begin(const struct kc_bench *bench, const struct kc_field *field,
		      const struct kc_alg *alg);

/*
 * All contenders do requests of @size bytes, or TLS records, in turns. Adds a row for each to
 * @rows, without figures where these would be wrong, or if @is_late.
 */
void kc_compare(size_t size, bool is_late, struct json_object *rows);

/* Ends all processes. Returns true if a request of a contender took longer than a turn. */
bool kc_compare_end(void);

/*
 * advice.c: concludes from measured figures alone how a machine's TLS records should be done. Adds
 * that to @advice, from the last four @rows: software's, kcrypto's, kTLS's, and both's.
 */
void kc_bench_advise(struct json_object *advice, struct json_object *rows);

/*
 * conclude.c: adds conclusions from the last @rows to @conclusions: from which length on the kernel
 * is faster, and by how much. The rows are of an algorithm with @lines contenders, of which the
 * first is software, and @sizes. Figures that vary too much give no conclusion.
 */
void kc_bench_conclude(struct json_object *conclusions, struct json_object *rows, size_t lines,
		       size_t sizes);

/* Returns a row's figure; 0 if it is null. */
double kc_bench_number(const struct json_object *row, const char *key);

#define KC_LEAST_PAIRS 3 /* of runs or turns: fewer are no evidence */

/* Ratios of the pairs: time with kcrypto divided by time without. */
struct kc_pairing {
	size_t n; /* pairs of runs */
	struct kc_quartiles wall, machine;
	uint64_t by_kernel; /* bytes */
	bool is_seen;	    /* a kcrypto module was loaded */
};

/* Returns a sentence: whether a command is faster with kcrypto. */
const char *kc_bench_judge(const struct kc_pairing *pairing);

/* report.c: prints the head, for people. */
void kc_bench_report_begin(struct json_object *report, const struct kc_bench *bench);
/* Prints the tables of @alg, whose @lines contenders have the last rows. */
void kc_bench_report_add(struct json_object *report, const struct kc_bench *bench,
			 const struct kc_alg *alg, size_t lines);
/* Prints the conclusions, or the report as JSON if that is asked for; releases the report. */
void kc_bench_report_end(struct json_object *report, const struct kc_bench *bench);

/* command.c: compares a command without and with kcrypto. Returns an exit code. */
int kc_bench_command(const struct kc_bench *bench, char *const *argv);

#endif
