/* SPDX-License-Identifier: Apache-2.0 */
/* Within the reading of openssl.cnf: a line as libcrypto joins and divides it. */
#ifndef KC_CLI_CNF_WORDS_H
#define KC_CLI_CNF_WORDS_H

#include "cli/cnf/cnf.h"

/*
 * Copies the line at @at, with those that continue it, to @words as libcrypto joins them. Returns
 * the next one. @n: the number of lines that it took.
 */
const char *kc_words_join(char *words, const char *at, const char *end, unsigned *n);

/* Finds what kind of line its words make, its name and its value, and drops its remark. */
void kc_words_split(struct kc_line *line);

#endif
