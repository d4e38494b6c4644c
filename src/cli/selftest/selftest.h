/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For kcrypto selftest alone, the examiner of drivers. A check is one row of the table in checks.c,
 * made for each candidate in a process of its own: one session with the driver, and requests that
 * software answers, too.
 */
#ifndef KC_CLI_SELFTEST_SELFTEST_H
#define KC_CLI_SELFTEST_SELFTEST_H

#include <stdatomic.h>

#include "cli/probe/probe.h"
#include "offload/answers.h"

#define KC_HANG_SECONDS 20 /* without any answer */

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
	unsigned tag_len; /* 0: the usual one */
	bool has_iv;	  /* it has its own IV */
	uint8_t iv[KC_MAX_IV];
};

/* In memory that processes share. */
struct kc_finding {
	enum kc_ruling ruling;
	_Atomic unsigned asked;	     /* requests that the driver was to do */
	_Atomic unsigned requests;   /* requests that it answered */
	_Atomic unsigned left_out;   /* requests for which the time did not suffice */
	unsigned kib_ns;	     /* by the known answers: what a KiB takes; 0: unknown */
	struct kc_question question; /* the last one */
	char text[400];		     /* "", or what was found, or why it was not asked */
};

/*
 * How thoroughly: a driver in use is asked a little; one that programs are to trust, all that
 * programs ask; one that the user names, also what programs never ask.
 */
enum kc_depth { KC_IN_USE, KC_TO_BE_TRUSTED, KC_NAMED };

/* The subject of an examination, and how thorough it is. */
struct kc_examination {
	enum kc_depth depth;
	/* Gets the finding of each check of each candidate. */
	void (*tell)(const char *check, const struct kc_candidate *c,
		     const struct kc_finding *found);
	struct kc_driver listed; /* one driver, as in the kernel's list; nameless: all in use */
	struct kc_candidate *candidate[KC_MAX_CANDIDATES];
	size_t n;
	unsigned seconds;      /* for parallel sessions */
	unsigned limit;	       /* seconds for all checks */
	unsigned rounds, seed; /* random messages for each candidate */
	unsigned repeats;      /* of one question, for each candidate */
	const char *no_module; /* why nothing can be asked through OpenSSL, or NULL */
};

/* One check of one candidate. */
struct kc_exam {
	const struct kc_examination *all;
	struct kc_candidate *candidate;
	const struct kc_alg *alg;
	struct kc_finding *finding;
	struct kc_finding *shared; /* whose counts its threads share */
	uint64_t until;		   /* ns of the clock: after it, the rest is left out */
	uint64_t end;		   /* ns of the clock: the end of all checks */
	uint64_t took_ns;	   /* of its last request */
	uint64_t kib_ns;	   /* what a KiB may take; 0: unknown */
	size_t page;		   /* bytes */
	struct kc_answers answers;
	struct kc_session session; /* opened with the key in answers */
	uint8_t *mem;		   /* memory of the answers */
};

/*
 * checks.c: makes each check of each candidate, and reports it. False if memory or processes are
 * short.
 */
bool kc_checks_run(struct kc_examination *all);

/*
 * exam.c: prepares requests of up to @max bytes at offsets of up to two pages. @number: each has
 * another key. The caller has set the members above page. False if memory is short.
 */
bool kc_exam_begin(struct kc_exam *exam, size_t max, unsigned number);
/* Frees the memory and closes the session. Fine if kc_exam_begin() failed. */
void kc_exam_end(struct kc_exam *exam);

/* Opens the session. 0 or -errno. */
int kc_exam_open(struct kc_exam *exam);

/* Counts a request that the driver is to do. */
void kc_exam_count_asked(struct kc_exam *exam);
/* Counts a request that it has answered. */
void kc_exam_count_answer(struct kc_exam *exam);

/*
 * True if the time would be up before the next request, of @len bytes, ends: if that takes as long
 * as the last one, or as its length would by the known answers. Then counts @requests as left out.
 * The first request of a check may use the time of all checks.
 */
bool kc_exam_leaves_out(struct kc_exam *exam, size_t len, unsigned requests);

/*
 * Does this request on both sides, if there is time. False, with the finding, if the answers
 * differ.
 */
bool kc_exam_ask(struct kc_exam *exam, const struct kc_question *question);

/* The same in each direction that the algorithm has. */
bool kc_exam_ask_both(struct kc_exam *exam, struct kc_question question);

/* Records a finding and returns false. @format: the sentence. */
__attribute__((format(printf, 3, 4))) bool kc_exam_find(struct kc_exam *exam, enum kc_ruling ruling,
							const char *format, ...);

/* Returns the ruling for an error of a request. */
enum kc_ruling kc_exam_error(int err);

/*
 * Returns the ruling if nothing could be asked: a failure for a driver in use that is known by
 * name.
 */
enum kc_ruling kc_exam_none(const struct kc_exam *exam);

/* Returns "encrypting 4096 bytes", until the thread's next call. */
const char *kc_question_text(const struct kc_alg *alg, const struct kc_question *q);

/* Returns the nearest length that the algorithm and the session take. */
size_t kc_exam_fit(const struct kc_exam *exam, size_t len);

/* Returns the bytes of which lengths are multiples. */
size_t kc_exam_unit(const struct kc_candidate *c, enum kc_depth depth);

/* Returns the next random number; the same seed gives the same numbers. */
uint64_t kc_random(uint64_t *state);
/* Fills the buffer with random bytes. */
void kc_random_fill(uint64_t *state, uint8_t *buf, size_t len);

/*
 * A check puts questions of questions.c, or asks by itself, there or in many.c, random.c and
 * rest.c. A question function makes the question with number @i, whose length is adjusted later;
 * false: there are no more. An asking function returns true if all answers are right; otherwise the
 * finding has the rest.
 */
typedef bool kc_question_fn(const struct kc_exam *exam, unsigned i, struct kc_question *q);
kc_question_fn kc_of_length, kc_of_largest, kc_of_alignment, kc_of_iv, kc_of_counter, kc_of_aad;

typedef bool kc_ask_fn(struct kc_exam *exam);
kc_ask_fn kc_ask_known, kc_ask_interrupts, kc_ask_tags, kc_ask_tag_lengths, kc_ask_keys,
	kc_ask_broken, kc_ask_repeated, kc_ask_rested, kc_ask_sessions, kc_ask_parallel,
	kc_ask_random;

/*
 * report.c prints each finding at once, in the Test Anything Protocol, or all at the end as JSON.
 * It also reports lines that the kernel logs meanwhile.
 */
void kc_report_begin(const struct kc_examination *all, bool json);
/* Reports a check's finding about a driver. */
void kc_report_add(const char *check, const struct kc_candidate *c, const struct kc_finding *found);
/* Reports a finding for which no driver was asked. @text: may be NULL. */
void kc_report_note(const char *check, enum kc_ruling ruling, const char *text);

/* Reports the log and, of one driver, the conclusion, which it returns. */
enum kc_ruling kc_report_end(const struct kc_examination *all);

#endif
