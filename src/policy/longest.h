/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which length of a request is the longest that pays, for text that may be divided. A driver may
 * leave longer ones to the kernel's software, which may be faster or slower than OpenSSL.
 */
#ifndef KC_POLICY_LONGEST_H
#define KC_POLICY_LONGEST_H

#include "policy/terms.h"

/*
 * After the first verdict on requests of @len bytes: returns the next shorter length, in bytes, if
 * the trial promises that it costs less; otherwise the best one known, SIZE_MAX if none is too
 * long.
 */
size_t kc_longest_after(const struct kc_candidate *candidate, enum kc_dir dir, size_t len);

/*
 * What the trial promised may be wrong, and what was measured, too, on a busy machine. So each
 * later look, at requests of @len bytes that pay or do not, has the next pair try the next shorter
 * length, whatever it promises, until all were tried; some looks try a longer one again. Returns
 * that length in bytes, SIZE_MAX for any, or 0 if there is none to try.
 */
size_t kc_longest_to_try(const struct kc_candidate *candidate, enum kc_dir dir, size_t len,
			 bool pays);

/*
 * Returns the longest request that costs hardly more than the best pieces of the same text, in
 * bytes; SIZE_MAX if none is too long.
 */
size_t kc_longest_best(const struct kc_candidate *candidate);

#endif
