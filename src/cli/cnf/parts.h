/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of openssl.cnf that turn kcrypto on, by the rules of libcrypto's own modules. All
 * commands judge these; no other code looks for our lines.
 */
#ifndef KC_CLI_CNF_PARTS_H
#define KC_CLI_CNF_PARTS_H

#include "cli/cnf/cnf.h"
#include "engine/engine_ids.h"

/* The CONF owns the strings. NULL: not in the configuration. */
struct kc_parts {
	/* sections, under the configuration's names for them */
	const char *init, *providers, *algorithms, *random, *ssl, *tls, *engines;
	const char *kcrypto, *base, *keys, *fips; /* of providers; base: OpenSSL's own, 'default' */
	const char *kcrypto_line;		  /* the name of the line for our provider */
	bool is_active, is_base_active, has_legacy;
	bool is_base_first;	  /* active before kcrypto-keys */
	const char *other;	  /* the name of an active provider that is none of these */
	const char *query;	  /* default_properties */
	bool is_preferred;	  /* the query leads to kcrypto */
	bool is_only;		  /* and to nothing else */
	const char *random_query; /* the properties of the random numbers' cipher */
	const char *options;	  /* for TLS */
	bool has_ktls;
	const struct kc_id *id;	      /* of the first engine that is ours, */
	const char *engine;	      /* its line's name */
	const char *engine_section;   /* and its section */
	struct kc_where late;	      /* openssl_conf in a section, where OpenSSL does not look, */
	char late_init[KC_NAME_SIZE]; /* and its value */
};

/* @cnf: one that was read without error. */
void kc_parts_find(struct kc_parts *parts, const struct kc_cnf *cnf);

/* Does this section of a provider activate it? Before OpenSSL 3.2 any value does, even 'no'. */
bool kc_parts_activates(const struct kc_cnf *cnf, const char *section);

/* Does the section say no? */
bool kc_parts_denies(const struct kc_cnf *cnf, const char *section);

/* The part of a provider's or engine's line that OpenSSL looks at: behind the first dot. */
const char *kc_parts_skip_dot(const char *name);

#endif
