/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The openssl.cnf that applications read, on top of cnf/: the parts that turn kcrypto on, by the
 * rules of libcrypto's own modules; kcrypto's section, and what its lines mean. All commands use
 * these; no other code looks for our lines.
 */
#ifndef KC_CLI_CONF_H
#define KC_CLI_CONF_H

#include <limits.h>
#include <string.h>

#include "cli/cnf/cnf.h"
#include "cli/cnf/query.h"
#include "engine/engine_ids.h"
#include "policy/config.h"

/* The CONF owns the strings. NULL: the part is not in the configuration. */
struct kc_parts {
	/* sections, by the names that the configuration has for them */
	const char *init, *providers, *algorithms, *random, *ssl, *tls, *engines;
	const char *kcrypto, *base, *keys, *fips; /* of providers; base: OpenSSL's own, 'default' */
	const char *kcrypto_line;		  /* the name of the line for our provider */
	/* the line of [init] that loads our module as a configuration module, and its section */
	const char *loader_line, *loader;
	bool is_loader_last; /* no line of [init] follows it */
	bool is_activated;   /* by the provider's section, the old way */
	bool is_active;	     /* in either way */
	bool is_base_active, has_legacy;
	bool is_base_there;	  /* or OpenSSL loads it, because no section activates a provider */
	bool is_base_first;	  /* active before kcrypto-keys */
	const char *other;	  /* the name of another active provider, or NULL */
	const char *query;	  /* default_properties */
	const char *fips_mode;	  /* a line that adds fips=yes to the query: its value, or NULL */
	struct kc_query answer;	  /* OpenSSL's interpretation of the query, if there is one */
	bool is_preferred;	  /* the query leads to kcrypto, and to other providers */
	const char *random_query; /* the properties for the random numbers' cipher */
	const char *options;	  /* for TLS */
	bool has_ktls;
	const struct kc_id *id;	    /* of the first engine that is kcrypto's, */
	const char *engine;	    /* its line's name */
	const char *engine_section; /* and its section */
	const struct kc_line *late; /* openssl_conf in a section, where OpenSSL does not look */
};

/*
 * True if @word is in @list, in any case; commas and blanks separate the words. @list may be NULL.
 */
bool kc_has_word(const char *list, const char *word);

/*
 * True if this section activates its provider. Before OpenSSL 3.2 any value does that, even 'no'.
 */
bool kc_parts_activates(const struct kc_cnf *cnf, const char *section);

/* Finds the parts in @cnf. */
void kc_parts_find(struct kc_parts *parts, const struct kc_cnf *cnf);

/* Returns the part of a line's name that OpenSSL uses: after the first dot. */
static inline const char *kc_skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	if (dot)
		return dot + 1;
	return name;
}

/* True if the section says 'no' to its activation. */
bool kc_parts_denies(const struct kc_cnf *cnf, const char *section);

struct kc_conf {
	bool has_providers; /* the OpenSSL there is 3.0 or later */
	bool wants_random;  /* the OpenSSL there is 3.0 to 3.4, or unknown */
	char file[PATH_MAX];
	struct kc_cnf cnf;
	struct kc_parts parts;
	const char *section;	    /* the provider's, else the engine's; "" if there is none */
	const char *engine;	    /* the engine's id, if the section is an engine's, else "" */
	struct kc_config config;    /* the meaning of the section's lines */
	char module[PATH_MAX];	    /* the provider's file, named by the section or by its name */
	char loader[PATH_MAX];	    /* the file of the line that loads it, or "" */
	char error[PATH_MAX + 320]; /* why the file can't be read; "" if it was read */
};

/*
 * Reads @file or, if that is NULL, the file that OpenSSL would read. @conf must be zeroed or freed.
 * Each file is read once.
 */
void kc_conf_read(struct kc_conf *conf, const char *file);

/* The same for the option --config: a file that it names must be readable. Returns an exit code. */
int kc_conf_open(struct kc_conf *conf, const char *file);

/* The same, with the arguments of kc_cnf_read(). 0 or -errno, also if there is no file. */
int kc_conf_read_of(struct kc_conf *conf, const char *root, const char *path,
		    const struct kc_plan *plan);

/* Frees what was read. A zeroed @conf is empty. */
void kc_conf_free(struct kc_conf *conf);

/*
 * Returns the place of the line that loads the module, for messages, until the next call. If the
 * line is in the file beside the module, that is the place of the line that includes this file.
 */
const char *kc_conf_loader_place(const struct kc_conf *conf);

/* The name of our provider's section, if the configuration has none. */
#define KC_CONF_SECTION "kcrypto_sect"

/*
 * Writes the missing lines for the provider to serve programs; they are to follow those of the
 * configuration. Lines go to the sections that the configuration names, or else to sections with
 * kcrypto's names.
 */
void kc_conf_put_provider(FILE *out, const struct kc_conf *conf, bool wants_ktls);
/* Writes the missing lines for the engine to serve programs. */
void kc_conf_put_engine(FILE *out, const struct kc_conf *conf);
/* Writes lines that keep programs from using the provider. */
void kc_conf_put_nothing(FILE *out, const struct kc_conf *conf);

#endif
