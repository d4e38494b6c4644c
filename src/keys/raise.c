/* SPDX-License-Identifier: Apache-2.0 */
/* Raises OpenSSL's errors for all files of the provider. */
#include "keys/keys.h"

#include <stdarg.h>

void *kc_raise(int reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ERR_new();
	ERR_vset_error(ERR_LIB_PROV, reason, format, args);
	va_end(args);
	return NULL;
}
