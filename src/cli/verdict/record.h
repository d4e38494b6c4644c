/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto verdict: is this driver reliable? A check is one row of the table in checks.c, asked of
 * each algorithm that the driver does, in a process of its own.
 */
#ifndef KC_CLI_VERDICT_RECORD_H
#define KC_CLI_VERDICT_RECORD_H

#include <stdatomic.h>

#include "cli/verdict/log.h"
#include "policy/candidate.h"

#define KC_VERDICT_SECONDS 20 /* without any answer: the driver hangs */

enum kc_ruling {
	KC_NOT_ASKED,
	KC_IS_RIGHT,
	KC_IS_WRONG,
	KC_FAILS, /* with an error */
	KC_HANGS,
	KC_DIES, /* the process that asked ended */
	KC_RULINGS,
};

/* One request: lengths in bytes, offsets from a page's start. */
struct kc_question {
	enum kc_dir dir;
	size_t len;
	unsigned in_offset, out_offset, aad_len;
	bool has_iv; /* one of its own */
	uint8_t iv[KC_MAX_IV];
};

/* In memory that processes share, like the next. */
struct kc_finding {
	enum kc_ruling ruling;
	_Atomic unsigned requests;   /* that were answered */
	struct kc_question question; /* the last one */
	char text[200];		     /* "", or what was found, or why it was not asked */
};

#define KC_SPEED_SIZES 4

/* MB/s, by direction and size; 0: unknown. */
struct kc_speed {
	double driver[2][KC_SPEED_SIZES], software[2][KC_SPEED_SIZES];
};

extern const size_t kc_speed_size[KC_SPEED_SIZES]; /* bytes */

#define KC_MAX_CHECKS 16

/* The driver and the way to it. */
struct kc_subject {
	struct kc_driver listed; /* as in the kernel's list */
	const struct kc_backend *backend;
	struct kc_candidate candidate[KC_ALG_COUNT]; /* its algorithms */
	size_t n;
	const char *no_module; /* why nothing can be asked through OpenSSL, or NULL */
};

struct kc_verdict {
	struct kc_subject *subject;
	unsigned seconds;
	bool is_over;				    /* the driver hangs: it is asked no more */
	struct kc_finding (*finding)[KC_ALG_COUNT]; /* by check and the subject's algorithm */
	struct kc_speed *speed;			    /* by algorithm */
	struct kc_log log;
};

struct kc_exam;

struct kc_check {
	const char *word;
	/* Why it can't be asked of this algorithm, or NULL. A NULL function: of any. */
	const char *(*why_not)(const struct kc_alg *alg);
	/* True: all answers are right. False: the finding has the rest. */
	bool (*run)(struct kc_exam *exam);
};

extern const struct kc_check kc_checks[];
extern const size_t kc_n_checks;

/* Runs each check. False if memory or processes are short. */
bool kc_verdict_run(struct kc_verdict *verdict);

/* Did one check find the driver wrong or failing; was at least one answered right? */
bool kc_verdict_is_bad(const struct kc_verdict *verdict);
bool kc_verdict_is_good(const struct kc_verdict *verdict);

void kc_verdict_print(const struct kc_verdict *verdict);
void kc_verdict_print_json(const struct kc_verdict *verdict);

#endif
