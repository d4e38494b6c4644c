/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration's reader says of a word that it does not know. */
#ifndef KC_CORE_WORDS_H
#define KC_CORE_WORDS_H

#include "core/config.h"

/* @text to @buf of KC_WORD_SIZE: cut, unprintable bytes as '?'. */
void kc_word_copy(char *buf, const char *text);

/* Keeps @known if it is nearer to the problem's word than what is kept, and near at all. */
void kc_suggest(struct kc_problem *problem, const char *known);

#endif
