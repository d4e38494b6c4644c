/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do applications get kcrypto at all? Asks libcrypto itself: a child process loads the
 * configuration and fetches each algorithm, as a program does.
 */
#ifndef KC_CLI_REACH_H
#define KC_CLI_REACH_H

#include "cli/child.h"
#include "cli/conf.h"
#include "core/alg.h"

/* No pointers: they would not be valid in the parent. */
struct kc_reach {
	bool is_told;		     /* the child answered; if not, everything else is unknown */
	char why[KC_CHILD_WHY_SIZE]; /* it did not */
	bool starts;		     /* a program with this configuration starts */
	bool is_loaded;		     /* kcrypto's provider is active */
	bool has_rest;		     /* programs get the algorithms that kcrypto never has */
	bool row[KC_ALG_COUNT];	     /* programs that ask for it get kcrypto's */
	char module_error[512];	     /* why the provider's module cannot be loaded, or "" */
	bool is_module;		     /* it can be, and may be another's, */
	char conf_error[256];	     /* or the file is given up before it comes to it: why; or "" */
	char engine[128];	     /* the name of the engine that has the configured id, or "" */
	bool is_engine_ours;
};

/* Asks for @conf, which is in @file. @nid_of: OpenSSL's number of a row. */
void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf, const char *file,
		  int (*nid_of)(const struct kc_alg *alg));

/* The child's two questions; each fills in its part, if this OpenSSL has providers or engines. */
#ifdef KC_HAS_PROVIDER
void kc_reach_by_provider(struct kc_reach *reach, const struct kc_conf *conf, const char *file);

/* Where OpenSSL looks for a provider's module of this name. */
void kc_module_path(const char *module, char *path, size_t size);
#else
static inline void kc_reach_by_provider(struct kc_reach *reach, const struct kc_conf *conf,
					const char *file)
{
	(void)conf;
	(void)file;
	reach->has_rest = true;
}

static inline void kc_module_path(const char *module, char *path, size_t size)
{
	snprintf(path, size, "%s", module);
}
#endif

#ifdef KC_HAS_ENGINE
/*
 * Done by OpenSSL before it loads the file automatically: otherwise 1.1.1 finds no engine's file.
 */
void kc_reach_load_engines(void);
void kc_reach_by_engine(struct kc_reach *reach, const struct kc_conf *conf,
			int (*nid_of)(const struct kc_alg *alg));
#else
static inline void kc_reach_load_engines(void)
{
}

static inline void kc_reach_by_engine(struct kc_reach *reach, const struct kc_conf *conf,
				      int (*nid_of)(const struct kc_alg *alg))
{
	(void)reach;
	(void)conf;
	(void)nid_of;
}
#endif

#endif
