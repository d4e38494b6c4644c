/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The examiner of drivers. A check is one row of the table in checks.c, asked of each candidate in
 * a process of its own: one session with the driver, and requests that software answers too.
 */
#ifndef KC_CLI_SELFTEST_EXAM_H
#define KC_CLI_SELFTEST_EXAM_H

#include <stdatomic.h>

#include "cli/selftest/log.h"
#include "offload/known_answers.h"
#include "policy/candidate.h"

#define KC_HANG_SECONDS 20 /* without any answer */
#define KC_MAX_CHECKS	16
#define KC_MAX_SUBJECTS (KC_ALG_COUNT * KC_MAX_BACKENDS)

enum kc_ruling {
	KC_NOT_ASKED,
	KC_IS_RIGHT,
	KC_IS_WRONG,
	KC_FAILS, /* with an error */
	KC_HANGS,
	KC_DIES, /* the process that asked ended */
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

/* What is examined, and how thoroughly. */
struct kc_examination {
	struct kc_driver listed; /* one driver, as in the kernel's list; nameless: all in use */
	struct kc_candidate *candidate[KC_MAX_SUBJECTS];
	size_t n;
	unsigned seconds;	    /* half of them for parallel sessions, half for speed */
	unsigned rounds, seed;	    /* random messages for each candidate */
	const char *no_module;	    /* why nothing can be asked through OpenSSL, or NULL */
	struct kc_finding *finding; /* by check, and then by candidate */
	struct kc_speed *speed;	    /* by candidate */
	struct kc_log log;
};

struct kc_exam {
	const struct kc_examination *all;
	struct kc_candidate *candidate;
	const struct kc_alg *alg;
	struct kc_speed *speed;
	struct kc_finding *finding;
	_Atomic unsigned *requests; /* a finding's, which its threads share */
	size_t page;		    /* bytes */
	struct kc_answers answers;
	struct kc_session session; /* opened with the key of the answers */
	uint8_t *room, *mem;
};

struct kc_check {
	const char *word;
	/* Why it can't be asked of this algorithm, or NULL. A NULL function: of any. */
	const char *(*why_not)(const struct kc_alg *alg);
	/* True: all answers are right. False: the finding has the rest. */
	bool (*run)(struct kc_exam *exam);
	bool is_quick; /* asked of all drivers in use, too */
};

/*
 * For requests of up to @max bytes at offsets of up to two pages. @number: each has another key.
 * The caller has filled in the members above page. False if memory is short.
 */
bool kc_exam_begin(struct kc_exam *exam, size_t max, unsigned number);
void kc_exam_end(struct kc_exam *exam);

/* 0 or -errno. */
int kc_exam_open(struct kc_exam *exam);

/* Does this request on both sides. False, with the finding, if the answers differ. */
bool kc_exam_ask(struct kc_exam *exam, const struct kc_question *question);

/* The same in each direction that the algorithm has. */
bool kc_exam_ask_both(struct kc_exam *exam, struct kc_question question);

/* Puts it down and returns false. @format: the sentence. */
__attribute__((format(printf, 3, 4))) bool kc_exam_find(struct kc_exam *exam, enum kc_ruling ruling,
							const char *format, ...);

/* Nothing could be asked: a failure where a driver is in use and known by name. */
__attribute__((format(printf, 2, 3))) bool kc_exam_none(struct kc_exam *exam, const char *format,
							...);

/* "encrypting 4096 bytes". Returns @text. */
const char *kc_question_text(const struct kc_alg *alg, const struct kc_question *q, char *text,
			     size_t size);

/* The nearest length that the algorithm and the session take. */
size_t kc_exam_fit(const struct kc_exam *exam, size_t len);

/* Bytes: lengths are multiples of it. */
size_t kc_exam_unit(const struct kc_alg *alg);

#endif
