/* SPDX-License-Identifier: Apache-2.0 */
/* Decides about colours, and breaks lines between words. */
#include "cli/screen.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colours(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no && *no)
		return false;
	if (!term || !*term || strcmp(term, "dumb") == 0)
		return false;
	return isatty(fileno(out));
}

void kc_paint(FILE *out, enum kc_colour colour, int width, const char *text)
{
	static const char *const begin[] = {
		[KC_BOLD] = "\033[1m",
		[KC_GREEN] = "\033[32m",
		[KC_YELLOW] = "\033[33m",
		[KC_RED] = "\033[31m",
	};

	if (has_colours(out))
		fprintf(out, "%s%-*s\033[0m", begin[colour], width, text);
	else
		fprintf(out, "%-*s", width, text);
}

void kc_wrap(FILE *out, size_t column, size_t indent, const char *text)
{
	for (bool is_first = true; *text; is_first = false) {
		size_t len = strcspn(text, " ");

		if (!is_first && column + 1 + len > KC_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!is_first) {
			putc(' ', out);
			column++;
		}
		fwrite(text, 1, len, out);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	putc('\n', out);
}

void kc_say(FILE *out, enum kc_colour colour, const char *label, const char *text)
{
	kc_paint(out, colour, 0, label);
	fputs(": ", out);
	kc_wrap(out, strlen(label) + 2, 2, text);
}

int kc_put_word(const char *word, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=@%+,-";

	if (*word && !word[strspn(word, plain)])
		return fputs(word, out);
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	return putc('\'', out);
}

/* Blanks erase the old text; that works on every terminal. */
#define PROGRESS (KC_COLUMNS - 1)

void kc_progress(const char *format, ...)
{
	char text[PROGRESS + 1];
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "\r%-*s", PROGRESS, text);
}

void kc_progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%*s\r", PROGRESS, "");
}
