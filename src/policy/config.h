/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: the union of what four earlier plugins accepted and our own keys. Where the
 * text comes from (openssl.cnf, an engine command) is not known here. Nothing here can fail: what
 * is wrong becomes a problem to be listed, the rest counts.
 */
#ifndef KC_POLICY_CONFIG_H
#define KC_POLICY_CONFIG_H

#include "core/backend.h"
#include "core/driver.h"
#include "core/reason.h"

/* Which drivers may be used. */
enum kc_admit {
	KC_ADMIT_HARDWARE, /* soft_drivers = 0, the default */
	KC_ADMIT_ALL,	   /* 1 */
	KC_ADMIT_UNKNOWN,  /* 2: hardware, or where that can't be found out */
};

/* What a length has to gain so that the kernel gets it. */
enum kc_prefer {
	KC_PREFER_THROUGHPUT, /* wall time */
	KC_PREFER_CPU,	      /* CPU time */
	KC_PREFER_COUNT
};

/* Who gets a request; where a row has a threshold of its own, that counts. */
enum kc_rule {
	KC_RULE_AUTO,	   /* the faster one, as kcrypto tune or the process itself finds out */
	KC_RULE_THRESHOLD, /* the kernel, from the tune file's threshold on, or the row's default */
	KC_RULE_ALWAYS,	   /* the kernel */
	KC_RULE_NEVER,	   /* software */
	KC_RULE_COUNT
};

#define KC_TUNE_FILE	  "/var/lib/kcrypto/tune"
#define KC_TUNE_FILE_SIZE 256 /* bytes, with the NUL */

#define KC_THRESHOLD_MEASURED SIZE_MAX /* no :N was given */

struct kc_config_row {
	bool on;
	bool is_named;			  /* by a name of its own, not by ALL or by default */
	size_t threshold;		  /* bytes, or KC_THRESHOLD_MEASURED */
	char driver[KC_DRIVER_NAME_SIZE]; /* the driver to use, or "" */
	bool was_asked;			  /* ask_drivers() knows it */
};

#define KC_WORD_SIZE 48

/* Words as written; unprintable bytes as '?', cut. */
struct kc_problem {
	enum kc_reason reason;
	char key[KC_WORD_SIZE];
	char word[KC_WORD_SIZE];
	char nearest[KC_WORD_SIZE]; /* the known word that is nearest, or "" */
};

#define KC_MAX_PROBLEMS 32

struct kc_config {
	/*
	 * Has @reader read the driver.NAME lines of the rows in @wanted into this, unless it did
	 * before: one that has to ask for each key asks for few. NULL: all lines were read.
	 */
	void (*ask_drivers)(void *reader, const bool wanted[KC_ALG_COUNT]);
	void *reader;
	bool offered_only; /* the policy needs no candidates that are not offered */
	enum kc_admit admit;
	bool lists_add;	       /* a list adds to those before it; else the last one counts */
	bool legacy;	       /* OpenSSL's legacy provider is active; told by who reads the file */
	size_t max_request;    /* bytes, a multiple of KC_MAX_BLOCK, at most KC_MAX_REQUEST */
	unsigned max_sessions; /* descriptors that this process may hold open at a time */
	bool trusts_seccomp;   /* the filters that the process was loaded with do no harm */
	unsigned verify;       /* one request in this many is done by the base too; 0: none */
	enum kc_rule rule;
	enum kc_prefer prefer;
	bool stats;					       /* count for kcrypto stats */
	char tune_file[KC_TUNE_FILE_SIZE];		       /* "": none is read */
	const struct kc_backend *backend[KC_MAX_BACKENDS + 1]; /* in this order, ended by NULL */
	struct kc_config_row row[KC_ALG_COUNT];
	unsigned n_problems;
	/* One more than are counted: there goes what does not fit. */
	struct kc_problem problems[KC_MAX_PROBLEMS + 1];
};

#endif
