/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration's reader makes of words and numbers, and says of those it cannot read. */
#ifndef KC_POLICY_CONFIG_VALUE_H
#define KC_POLICY_CONFIG_VALUE_H

#include "policy/config.h"

/* @text to @buf of KC_WORD_SIZE: cut, unprintable bytes as '?'. */
void kc_word_copy(char *buf, const char *text);

#define KC_SEPARATORS " ,\t\r\n\v\f" /* between words */

/* Adds a problem, without a nearest word. Where there is no room it is not counted. */
struct kc_problem *kc_complain(struct kc_config *config, enum kc_reason reason, const char *key,
			       const char *word);

/* A whole number; a negative one is SIZE_MAX. KC_OK, or what is wrong with it. */
enum kc_reason kc_number_read(const char *text, size_t *n);

/* Keeps @known if it is nearer to the problem's word than what is kept, and near at all. */
void kc_suggest(struct kc_problem *problem, const char *known);

/* Which of @words is @value, in any case? -1: none, and a problem. */
int kc_word_choose(struct kc_config *config, const char *key, const char *value,
		   const char *const *words, size_t n);

#endif
