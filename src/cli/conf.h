/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The openssl.cnf that applications read, as text: which section is kcrypto's, the lines of that
 * section, and missing lines on the path to it. reach.h tells whether applications get anything.
 */
#ifndef KC_CLI_CONF_H
#define KC_CLI_CONF_H

#include <limits.h>
#include <openssl/conf.h>

#include "engine/engine_ids.h"
#include "policy/config.h"
#include "policy/config_keys.h"

struct kc_conf {
	char file[PATH_MAX];
	char section[128];	    /* the provider's, else the engine's; "" if there is none */
	const char *engine;	    /* the engine's id, if the section is an engine's, else "" */
	char module[PATH_MAX];	    /* the provider's file, named by the section or by its name */
	bool is_active;		    /* the provider has its line 'activate' */
	bool is_default_active;	    /* and so has OpenSSL's own */
	char query[256];	    /* default_properties, "" if there are none */
	char error[PATH_MAX + 128]; /* why the file cannot be read; "" if it was */
	char notes[16][640];	    /* sentences for the user; enough room for all possible notes */
	size_t n_notes;
};

/* Adds a note, formatted like printf. */
__attribute__((format(printf, 2, 3))) void kc_conf_note(struct kc_conf *conf, const char *format,
							...);

/*
 * Reads @file or, if that is NULL, the file that OpenSSL would read, into @config. Notes what an
 * application would not get, and why. @conf is zeroed, @config comes from kc_config_init().
 */
void kc_conf_read(struct kc_conf *conf, const char *file, struct kc_config *config);

/*
 * Returns a value, or NULL. OpenSSL's modules look only at the lines of the section;
 * NCONF_get_string() would look in the section default as well.
 */
const char *kc_conf_get(const CONF *cnf, const char *section, const char *name);

/* Returns the section of the provider with this name, or whose module's file has it; or NULL. */
const char *kc_conf_find_provider(const CONF *cnf, const char *providers, const char *name);

/* The section of the first engine that is ours, and its id; or NULL. @engines: may be NULL. */
const char *kc_conf_find_engine(const CONF *cnf, const char *engines, const struct kc_id **id);

/* Is the provider of this section active? */
bool kc_conf_is_active(const CONF *cnf, const char *section);

#endif
