/* SPDX-License-Identifier: Apache-2.0 */
/* What the line default_properties of openssl.cnf makes of programs' requests. */
#ifndef KC_CLI_CNF_QUERY_H
#define KC_CLI_CNF_QUERY_H

#include <stdbool.h>

struct kc_query {
	bool is_valid; /* OpenSSL can parse it */
	bool leads;    /* a program gets kcrypto's implementation, where there is one */
	bool has_rest; /* a program gets the algorithms that kcrypto never has */
};

/*
 * Asks this libcrypto itself, in a library context of its own that reads no file. @has_fips: a FIPS
 * provider is active beside the default one. Without providers, before 3.0, nothing is valid.
 */
struct kc_query kc_query_ask(const char *query, bool has_fips);

/*
 * The same for the properties that are in force in this process, by whatever file it has loaded.
 * For a child: the provider that asks stays.
 */
struct kc_query kc_query_loaded(bool has_fips);

#endif
