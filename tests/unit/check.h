/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka and the headers that it wants before it. */
#ifndef KC_TESTS_CHECK_H
#define KC_TESTS_CHECK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
