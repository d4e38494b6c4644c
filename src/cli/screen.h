/* SPDX-License-Identifier: Apache-2.0 */
/* Output for people: colours if it goes to a terminal, and lines of at most 80 columns. */
#ifndef KC_CLI_SCREEN_H
#define KC_CLI_SCREEN_H

#include <stdio.h>

#define KC_COLUMNS 80

enum kc_colour { KC_BOLD, KC_GREEN, KC_YELLOW, KC_RED };

/*
 * Prints @text in a colour, followed by blanks up to @width columns. There are no colours with
 * NO_COLOR, on a dumb terminal, or if @out is no terminal.
 */
void kc_paint(FILE *out, enum kc_colour colour, int width, const char *text);

/* Prints the words of @text, and a newline. Starts at @column; indents all lines but the first. */
void kc_wrap(FILE *out, size_t column, size_t indent, const char *text);

/*
 * Prints @word for a shell: in single quotes if it has characters other than those of plain paths
 * and names. Returns a negative number if @out fails.
 */
int kc_put_word(const char *word, FILE *out);

/*
 * If standard error is a terminal, shows there what is being done, in place of the last such line.
 * end: erases it, before anything else is printed.
 */
__attribute__((format(printf, 1, 2))) void kc_progress(const char *format, ...);
void kc_progress_end(void);

/* Prints "label: text" in lines that fit. The label has this colour. */
void kc_say(FILE *out, enum kc_colour colour, const char *label, const char *text);

#endif
