/* SPDX-License-Identifier: Apache-2.0 */
/* The checks, by file. Each is a row of the table in checks.c. */
#ifndef KC_CLI_SELFTEST_CHECKS_H
#define KC_CLI_SELFTEST_CHECKS_H

#include "cli/selftest/exam.h"

extern const struct kc_check kc_checks[];
extern const size_t kc_n_checks;

/*
 * Makes each check of each candidate, and calls @found after it. False if memory or processes are
 * short.
 */
bool kc_checks_run(struct kc_examination *all,
		   void (*found)(const struct kc_examination *all, size_t check, size_t subject));

const struct kc_finding *kc_finding_of(const struct kc_examination *all, size_t check,
				       size_t subject);

/* Was one check of rulings @from to @to? */
bool kc_checks_found(const struct kc_examination *all, enum kc_ruling from, enum kc_ruling to);

/* shapes.c: requests of every form, one after another */
bool kc_ask_known(struct kc_exam *exam);
bool kc_ask_lengths(struct kc_exam *exam);
bool kc_ask_largest(struct kc_exam *exam);
bool kc_ask_alignments(struct kc_exam *exam);
const char *kc_has_no_iv(const struct kc_alg *alg);
bool kc_ask_ivs(struct kc_exam *exam);
const char *kc_has_no_counter(const struct kc_alg *alg);
bool kc_ask_counters(struct kc_exam *exam);
const char *kc_is_no_aead(const struct kc_alg *alg);
bool kc_ask_aad(struct kc_exam *exam);

/* refusals.c: what has to be refused */
bool kc_ask_tags(struct kc_exam *exam);
const char *kc_takes_any_key(const struct kc_alg *alg);
bool kc_ask_keys(struct kc_exam *exam);
const char *kc_takes_any_request(const struct kc_alg *alg);
bool kc_ask_broken(struct kc_exam *exam);

/* many.c: several sessions */
bool kc_ask_sessions(struct kc_exam *exam);
bool kc_ask_parallel(struct kc_exam *exam);

/* random.c: through OpenSSL and our module */
bool kc_ask_random(struct kc_exam *exam);
bool kc_ask_speed(struct kc_exam *exam);

#endif
