/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether applications get kcrypto. Asks libcrypto itself: a child process loads the configuration
 * and fetches each algorithm, as a program does.
 */
#ifndef KC_CLI_REACH_H
#define KC_CLI_REACH_H

#include "cli/child.h"
#include "cli/conf.h"
#include "core/alg.h"

/* Contains no pointers: they would not be valid in the parent. */
struct kc_reach {
	bool is_asked;		     /* kc_reach_ask() was called */
	bool is_told;		     /* the child answered; if not, all else is unknown */
	char why[KC_CHILD_WHY_SIZE]; /* why it did not */
	bool starts;		     /* a program with this configuration starts */
	bool is_loaded;		     /* kcrypto's provider is active */
	bool has_rest;		     /* programs get the algorithms that kcrypto never has */
	bool leads;		     /* the default properties in force lead to kcrypto */
	bool row[KC_ALG_COUNT];	     /* programs that ask for it get kcrypto's */
	char module_error[512];	     /* why the provider's module cannot be loaded, or "" */
	bool is_module;		     /* it can be loaded, but may be another's */
	char conf_error[256];	     /* why the file is given up before that; or "" */
	char engine[128];	     /* the name of the engine with the configured id, or "" */
	bool is_engine_ours;
};

/* Asks about the configuration that was read into @conf. */
void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf);

/* Returns OpenSSL's number of an algorithm that the engine has, too; NID_undef for all others. */
int kc_nid_of(const struct kc_alg *alg);

/*
 * Gets the path where OpenSSL looks for a provider's module of this name. 0, or the errno of
 * reading the file.
 */
int kc_module_find(const char *module, char path[2 * PATH_MAX]);

#endif
