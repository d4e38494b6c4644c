/* SPDX-License-Identifier: Apache-2.0 */
/* The table: names are found. */
#include "unit/check.h"

#include <string.h>

#include "core/alg.h"

TEST(names_and_aliases_are_found_in_any_case)
{
	static const struct {
		const char *name;
		int row;
	} cases[] = {
		{ "AES-128-CBC", KC_ALG_AES_128_CBC },
		{ "aes-256-ctr", KC_ALG_AES_256_CTR },
		{ "AES192", KC_ALG_AES_192_CBC },
		{ "des3", KC_ALG_DES_EDE3_CBC },
		{ "AES-128", -1 },
		{ "", -1 },
		{ "AES-128-CBC:AES128", -1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct kc_alg *alg = kc_alg_find(cases[i].name);

		assert_int_equal(alg ? alg - kc_algs : -1, cases[i].row);
	}
}

TEST(a_list_has_a_name_in_any_case_or_has_it_not)
{
	assert_true(kc_names_have("x:aes128", "AES128"));
	assert_false(kc_names_have("AES-128-CBC-CTS:AES-128", "AES-128-CBC"));
	assert_false(kc_names_have("", "a"));
}
