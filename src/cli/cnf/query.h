/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of the line default_properties of openssl.cnf on programs' requests. */
#ifndef KC_CLI_CNF_QUERY_H
#define KC_CLI_CNF_QUERY_H

#include <stdbool.h>

struct kc_query {
	bool is_valid; /* OpenSSL can parse it */
	bool leads;    /* a program gets kcrypto's implementation, if there is one */
	bool has_rest; /* a program gets the algorithms that kcrypto never has */
};

/*
 * Asks this libcrypto itself, in a library context of its own that reads no file. @has_fips: a FIPS
 * provider is active beside the default one. Before 3.0, which has no providers, nothing is valid.
 */
struct kc_query kc_query_ask(const char *query, bool has_fips);

/*
 * The same for the properties in force in this process, whichever file set them. Call it in a
 * child: the provider that asks stays loaded.
 */
struct kc_query kc_query_loaded(bool has_fips);

#endif
