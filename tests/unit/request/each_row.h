/* SPDX-License-Identifier: Apache-2.0 */
/* For a test program with a table of rows: what a row is and each_row() are its own. */
#ifndef KC_TESTS_EACH_ROW_H
#define KC_TESTS_EACH_ROW_H

struct row;
static void each_row(void (*play)(const struct row *));

/* A test that is played with each row. */
#define TEST_OF_ROW(name)                                                                          \
	static void name(const struct row *row);                                                   \
	TEST(name##_with_each_row)                                                                 \
	{                                                                                          \
		each_row(name);                                                                    \
	}                                                                                          \
	static void name(const struct row *row)

#endif
