/* SPDX-License-Identifier: Apache-2.0 */
/* The same rows as a table and as JSON. */
#include "unit/check.h"

#include <math.h>
#include <stdio.h>

#include "cli/screen.h"
#include "cli/table.h"

static const struct kc_column columns[] = {
	{ "NAME", "name" },
	{ "DRIVER", "driver", .is_cut = true },
	{ "BYTES", "bytes", .is_number = true },
	{ "OK", "ok" },
};

/* The last two have the same driver. */
static struct json_object *rows(bool is_long)
{
	struct json_object *rows = json_object_new_array();

	for (int i = 0; i < (is_long ? 3 : 2); i++)
		kc_json(kc_json_row(rows), "name=%s driver=%s bytes=%zu ok=%hhd",
			i ? "AES-256-CBC" : "",
			i && is_long ?
				"a-driver-with-a-long-name-as-templates-of-the-kernel-have-them-all" :
				"d",
			(size_t)(i ? 65536 : 7), (bool)i);
	return rows;
}

static void prints(bool is_long, const char *want)
{
	struct json_object *o = rows(is_long);
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	kc_table_print(out, columns, 4, o);
	fclose(out);
	json_object_put(o);
	assert_string_equal(text, want);
}

TEST(columns_are_as_wide_as_their_cells_and_lines_fit)
{
	prints(false, "NAME         DRIVER  BYTES  OK\n"
		      "-            d           7  no\n"
		      "AES-256-CBC  d       65536  yes\n");
	prints(true,
	       "NAME         DRIVER                                                   BYTES  OK\n"
	       "-            d                                                            7  no\n"
	       "AES-256-CBC  a-driver-with-a-long-name-as-templates-of-the-kernel...  65536  yes\n"
	       "AES-256-CBC  a-driver-with-a-long-name-as-templates-of-the-kernel...  65536  yes\n"
	       /* Printed once and completely, so that it can be copied. */
	       "a-driver-with-a-long-name-as-templates-of-the-kernel...:\n"
	       "  a-driver-with-a-long-name-as-templates-of-the-kernel-have-them-all\n");
}

TEST(counts_by_word_are_words)
{
	static const struct kc_column errors[] = { { "NAME", "name" }, { "ERRORS", "errors" } };
	struct json_object *o = json_object_new_array();
	struct json_object *counts = kc_json(NULL, "lied=%d open-failed=%d", 1, 20);
	char text[200] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	kc_json(kc_json_row(o), "name=%s errors=%p", "a", counts);
	kc_json(kc_json_row(o), "name=%s errors=%p", "b", json_object_new_object());
	kc_table_print(out, errors, 2, o);
	fclose(out);
	json_object_put(o);
	assert_string_equal(text, "NAME  ERRORS\n"
				  "a     1 lied, 20 open-failed\n"
				  "b     -\n");
}

TEST(numbers_have_four_digits_and_no_value_is_null)
{
	static const double values[] = { 0, 0.123456, 1.5, 12345.6, 9999.9, 1e9, -2.00049 };
	static const char *const texts[] = { "0",     "0.1235",	    "1.5", "12346",
					     "10000", "1000000000", "-2" };
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < COUNT(values); i++) {
		kc_json(o, "x=%g", values[i]);
		assert_string_equal(kc_json_get(o, "x"), texts[i]);
	}
	kc_json(o, "x=%g", (double)NAN);
	assert_string_equal(kc_json_get(o, "x"), "-");
	assert_string_equal(kc_json_get(o, "absent"), "-");
	json_object_put(o);
}

TEST(members_have_the_types_of_their_formats)
{
	struct json_object *o =
		kc_json(NULL, "a=%s b=%s c=%d d=%u e=%ju f=%hhd g=%p", "x", "", -1, 2U,
			(uintmax_t)INT64_MAX, (bool)true,
			kc_json(NULL, "h=%g i=%zu j=%zu", 0.5, SIZE_MAX, (size_t)3));

	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
			    "{\"a\":\"x\",\"b\":null,\"c\":-1,\"d\":2,\"e\":9223372036854775807,"
			    "\"f\":true,\"g\":{\"h\":0.5,\"i\":null,\"j\":3}}");
	json_object_put(o);
}

TEST(nested_rows_become_lines_with_their_parents_members)
{
	struct json_object *rows = json_tokener_parse(
		"[{\"pid\":7,\"rows\":[{\"name\":\"a\",\"kernel\":[{\"n\":1,\"errors\":{}}],"
		"\"software\":[{\"n\":2,\"errors\":{\"x\":3}}]}]},{\"pid\":8,\"rows\":[]}]");
	static const struct kc_column nested[] = {
		{ "PID", "pid" }, { "NAME", "name" }, { "N", "n" }, { "ERRORS", "errors" }
	};
	struct json_object *lines = kc_table_lines(rows);
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	json_object_put(rows);
	kc_table_print(out, nested, 4, lines);
	fclose(out);
	json_object_put(lines);
	assert_string_equal(text, "PID  NAME  N  ERRORS\n"
				  "7    a     1  -\n"
				  "7    a     2  3 x\n"
				  "8    -     -  -\n");
}

/* A word, and how a shell reads it back. */
static const char *const words[][2] = {
	{ "/etc/ssl/openssl.cnf", "/etc/ssl/openssl.cnf" },
	{ "/srv/my files/it's", "'/srv/my files/it'\\''s'" },
	{ "$(reboot);", "'$(reboot);'" },
	{ "a\nb", "'a\nb'" },
	{ "", "''" },
};

TEST(a_word_in_a_command_stays_one_word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char text[64] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		assert_true(kc_put_word(words[i][0], out) >= 0);
		fclose(out);
		assert_string_equal(text, words[i][1]);
	}
}
