/* SPDX-License-Identifier: Apache-2.0 */
/* For programs without cmocka: a call that has to succeed, or the program ends. */
#ifndef KC_TESTS_MUST_H
#define KC_TESTS_MUST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <openssl/err.h>

static inline void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "FAILED %s: %s\n", program_invocation_short_name, what);
	ERR_print_errors_fp(stderr);
	_exit(70);
}

#endif
