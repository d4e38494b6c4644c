/* SPDX-License-Identifier: Apache-2.0 */
/* One session with the driver, and requests that software answers too. */
#ifndef KC_CLI_VERDICT_EXAM_H
#define KC_CLI_VERDICT_EXAM_H

#include "cli/verdict/record.h"
#include "offload/known_answers.h"

struct kc_exam {
	struct kc_candidate *candidate;
	const struct kc_alg *alg;
	const struct kc_subject *subject;
	unsigned seconds;
	struct kc_speed *speed;
	struct kc_finding *finding;
	_Atomic unsigned *requests; /* a finding's, which its threads share */
	size_t page;		    /* bytes */
	struct kc_answers answers;
	struct kc_session session; /* opened with the key of the answers */
	uint8_t *room, *mem;
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

/* "encrypting 4096 bytes". Returns @text. */
const char *kc_question_text(const struct kc_alg *alg, const struct kc_question *q, char *text,
			     size_t size);

/* The nearest length that the algorithm and the session take. */
size_t kc_exam_fit(const struct kc_exam *exam, size_t len);

/* Bytes: lengths are multiples of it. */
size_t kc_exam_unit(const struct kc_alg *alg);

#endif
