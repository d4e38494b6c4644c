/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka and the headers that it wants before it. */
#ifndef KC_TESTS_CHECK_H
#define KC_TESTS_CHECK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* What version 2 has instead of its old names, version 1 lacks. */
#define CMOCKA_DISABLE_DEPRECATION_WARNINGS
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Inside qemu-user, which the suite that uses it says: it wipes no page, and knows few netlinks. A
 * test of these is skipped there and nowhere else.
 */
static inline bool is_emulated(void)
{
	return getenv("KC_TESTS_EMULATED") != NULL;
}

#endif
