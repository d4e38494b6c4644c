/* SPDX-License-Identifier: Apache-2.0 */
/* Parses words, numbers and lists, and records problems with those that it does not understand. */
#ifndef KC_POLICY_CONFIG_VALUE_H
#define KC_POLICY_CONFIG_VALUE_H

#include "policy/config.h"

/* Copies @text to @buf of KC_WORD_SIZE bytes, cut, and with '?' for unprintable bytes. */
void kc_word_copy(char *buf, const char *text);

#define KC_SEPARATORS " ,\t\r\n\v\f" /* between words */

/* Adds a problem without a suggestion, and returns it. If there is no room, it is not counted. */
struct kc_problem *kc_complain(struct kc_config *config, enum kc_reason reason, const char *key,
			       const char *word);

/* Parses a whole number; a negative one gives SIZE_MAX. KC_OK, or what is wrong with it. */
enum kc_reason kc_number_read(const char *text, size_t *n);

/*
 * Makes @known the suggestion if it is close to the problem's word, and closer than the present
 * suggestion.
 */
void kc_suggest(struct kc_problem *problem, const char *known);

/*
 * Copies the next entry of a list to @entry of @size bytes, cut, and without blanks around its
 * colon; moves *@list past it. False: there is none.
 */
bool kc_list_next(const char **list, char *entry, size_t size);

/* Sets all rows of the kinds that the list @key is about: ciphers, digests or macs. */
void kc_list_set(struct kc_config *config, const char *key, const char *value);

#endif
