/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a configuration that turn kcrypto on, and those that are missing. */
#ifndef KC_CLI_CNF_STATE_H
#define KC_CLI_CNF_STATE_H

#include "cli/cnf/cnf.h"

/* The CONF owns the strings. NULL: not in the configuration. */
struct kc_state {
	/* sections, under the configuration's names for them */
	const char *init, *providers, *algorithms, *random, *ssl, *tls, *engines;
	const char *kcrypto, *base; /* those of our provider and of OpenSSL's own, 'default' */
	const char *query;	    /* default_properties */
	const char *random_query;   /* the properties of the random numbers' cipher */
	const char *options;	    /* for TLS */
	bool is_active, is_base_active;
	bool is_preferred; /* the query leads to kcrypto */
	bool is_only;	   /* and to nothing else */
	bool has_ktls;
	const char *other;     /* the name of an active provider that is neither */
	const char *engine;    /* the first engine with an id of ours, by its line's name */
	const char *engine_id; /* that id */
	const char *engine_section;
};

/* @cnf: one that was read without error. */
void kc_state_read(struct kc_state *state, const struct kc_cnf *cnf);

/* Does this section of a provider or engine activate it? */
bool kc_state_activates(const struct kc_cnf *cnf, const char *section);

/* The part of an engine's line or command that OpenSSL looks at: behind the first dot. */
const char *kc_state_skip_dot(const char *name);

#endif
