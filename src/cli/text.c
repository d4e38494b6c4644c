/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words. */
#include "cli/text.h"

#include <stdarg.h>
#include <stdio.h>

static void append(struct kc_list *list, const char *format, va_list args)
{
	int n = vsnprintf(list->text + list->len, list->size - list->len, format, args);

	if (n > 0)
		list->len += (size_t)n;
	if (list->len >= list->size)
		list->len = list->size - 1;
}

__attribute__((format(printf, 2, 3))) static void append_text(struct kc_list *list,
							      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(list, format, args);
	va_end(args);
}

void kc_list_add(struct kc_list *list, const char *separator, const char *format, ...)
{
	va_list args;

	if (list->n++)
		append_text(list, "%s", separator);
	va_start(args, format);
	append(list, format, args);
	va_end(args);
}
