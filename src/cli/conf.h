/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The openssl.cnf that applications read, on top of cnf/: the parts that turn kcrypto on, by the
 * rules of libcrypto's own modules; the section that is kcrypto's, and what its lines mean. All
 * commands judge these; no other code looks for our lines.
 */
#ifndef KC_CLI_CONF_H
#define KC_CLI_CONF_H

#include <limits.h>
#include <string.h>

#include "cli/cnf/cnf.h"
#include "cli/cnf/query.h"
#include "engine/engine_ids.h"
#include "policy/config.h"

/* The CONF owns the strings. NULL: not in the configuration. */
struct kc_parts {
	/* sections, under the configuration's names for them */
	const char *init, *providers, *algorithms, *random, *ssl, *tls, *engines;
	const char *kcrypto, *base, *keys, *fips; /* of providers; base: OpenSSL's own, 'default' */
	const char *kcrypto_line;		  /* the name of the line for our provider */
	/* the line of [init] that loads our module as a configuration module, and its section */
	const char *loader_line, *loader;
	bool is_loader_last; /* no line of [init] follows it */
	bool is_activated;   /* the provider's section does it, which is the old way */
	bool is_active;	     /* in either way */
	bool is_base_active, has_legacy;
	bool is_base_there;	  /* or OpenSSL loads it, as no section activates a provider */
	bool is_base_first;	  /* active before kcrypto-keys */
	const char *other;	  /* the name of an active provider that is none of these */
	const char *query;	  /* default_properties */
	struct kc_query answer;	  /* what OpenSSL makes of it, if there is one */
	bool is_preferred;	  /* the query leads to kcrypto, and to all others */
	const char *random_query; /* the properties of the random numbers' cipher */
	const char *options;	  /* for TLS */
	bool has_ktls;
	const struct kc_id *id;	    /* of the first engine that is ours, */
	const char *engine;	    /* its line's name */
	const char *engine_section; /* and its section */
	const struct kc_line *late; /* openssl_conf in a section, where OpenSSL does not look */
};

/* Is @word, in any case, one of @list, which may be NULL, between commas and blanks? */
bool kc_has_word(const char *list, const char *word);

/* Does this section of a provider activate it? Before OpenSSL 3.2 any value does, even 'no'. */
bool kc_parts_activates(const struct kc_cnf *cnf, const char *section);

/* The parts that @cnf has. */
void kc_parts_find(struct kc_parts *parts, const struct kc_cnf *cnf);

/* The part of a line's name that OpenSSL looks at: behind the first dot. */
static inline const char *kc_skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	if (dot)
		return dot + 1;
	return name;
}

/* Does the section say no? */
bool kc_parts_denies(const struct kc_cnf *cnf, const char *section);

struct kc_conf {
	bool has_providers; /* OpenSSL there is 3.0 or later */
	bool wants_random;  /* it is 3.0 to 3.4, or unknown */
	char file[PATH_MAX];
	struct kc_cnf cnf;
	struct kc_parts parts;
	const char *section;	    /* the provider's, else the engine's; "" if there is none */
	const char *engine;	    /* the engine's id, if the section is an engine's, else "" */
	struct kc_config config;    /* what the section says */
	char module[PATH_MAX];	    /* the provider's file, named by the section or by its name */
	char loader[PATH_MAX];	    /* the file of the line that loads it, or "" */
	char error[PATH_MAX + 320]; /* why the file cannot be read; "" if it was */
};

/*
 * Reads @file or, if that is NULL, the file that OpenSSL would read. @conf is zeroed or freed. The
 * files are read once.
 */
void kc_conf_read(struct kc_conf *conf, const char *file);

/* The same for the option --config: a file that it names must be readable. An exit code. */
int kc_conf_open(struct kc_conf *conf, const char *file);

/* The same for kc_cnf_read(). 0 or -errno, also if there is no file. */
int kc_conf_read_of(struct kc_conf *conf, const char *root, const char *path,
		    const struct kc_plan *plan);

/* Frees what was read. A zeroed one is empty. */
void kc_conf_free(struct kc_conf *conf);

/*
 * The place of the line that loads the module, for messages, until the next call: if it is in the
 * file beside the module, of the line that includes that.
 */
const char *kc_conf_loader_place(const struct kc_conf *conf);

/* The name of our provider's section, where the configuration has none. */
#define KC_CONF_SECTION "kcrypto_sect"

/*
 * These write lines that follow those of the configuration: the ones that are missing for the
 * provider to serve programs, or the engine; and those that make programs do without the provider.
 * Lines go to the sections that the configuration names, else to sections with kcrypto's names.
 */
void kc_conf_put_provider(FILE *out, const struct kc_conf *conf, bool wants_ktls);
/* Lines for the engine to serve programs. */
void kc_conf_put_engine(FILE *out, const struct kc_conf *conf);
/* Lines that make programs do without the provider. */
void kc_conf_put_nothing(FILE *out, const struct kc_conf *conf);

#endif
