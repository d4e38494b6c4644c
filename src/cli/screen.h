/* SPDX-License-Identifier: Apache-2.0 */
/* Output for people: colours if it goes to a terminal, and lines of at most 80 columns. */
#ifndef KC_CLI_SCREEN_H
#define KC_CLI_SCREEN_H

#include <stdio.h>

#define KC_COLUMNS 80

enum kc_colour { KC_BOLD, KC_GREEN, KC_YELLOW, KC_RED };

/*
 * Prints @text in this colour, followed by blanks up to @width columns. There are no colours unless
 * @out is a terminal, nor with NO_COLOR, nor on a terminal that is dumb.
 */
void kc_paint(FILE *out, enum kc_colour colour, int width, const char *text);

/* Prints the words of @text, and a newline. Starts at @column; indents all lines but the first. */
void kc_wrap(FILE *out, size_t column, size_t indent, const char *text);

/*
 * Prints @word as a shell reads it: between single quotes if there are other characters in it than
 * those of plain paths and names. Negative if @out fails.
 */
int kc_put_word(const char *word, FILE *out);

/*
 * Says on standard error what is being done, if that is a terminal, in place of the last such line.
 * end: erases it; before anything else is printed.
 */
__attribute__((format(printf, 1, 2))) void kc_progress(const char *format, ...);
void kc_progress_end(void);

/* Prints "label: text" in lines that fit; the label is in this colour. */
void kc_say(FILE *out, enum kc_colour colour, const char *label, const char *text);

#endif
