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
	bool is_asked;		     /* by kc_reach_ask() */
	bool is_told;		     /* the child answered; if not, everything else is unknown */
	char why[KC_CHILD_WHY_SIZE]; /* it did not */
	bool starts;		     /* a program with this configuration starts */
	bool is_loaded;		     /* kcrypto's provider is active */
	bool has_rest;		     /* programs get the algorithms that kcrypto never has */
	bool leads;		     /* the default properties in force lead to kcrypto */
	bool row[KC_ALG_COUNT];	     /* programs that ask for it get kcrypto's */
	char module_error[512];	     /* why the provider's module cannot be loaded, or "" */
	bool is_module;		     /* it can be, and may be another's, */
	char conf_error[256];	     /* or the file is given up before it comes to it: why; or "" */
	char engine[128];	     /* the name of the engine that has the configured id, or "" */
	bool is_engine_ours;
};

/* Asks for the configuration that was read into @conf. */
void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf);

/* OpenSSL's number of an algorithm that the engine has too; NID_undef for all others. */
int kc_nid_of(const struct kc_alg *alg);

/*
 * Puts the path where OpenSSL looks for a provider's module of this name. 0, or the errno of
 * reading it.
 */
int kc_module_find(const char *module, char path[2 * PATH_MAX]);

#endif
