/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: everything that four earlier plugins accepted, and our own keys. Does not know
 * where the text comes from (openssl.cnf, an engine command). Nothing here fails: errors are listed
 * as problems, and the rest applies.
 */
#ifndef KC_POLICY_CONFIG_H
#define KC_POLICY_CONFIG_H

#include "core/backend.h"
#include "core/driver.h"
#include "core/reason.h"

/* The drivers that may be used. */
enum kc_admit {
	KC_ADMIT_HARDWARE, /* soft_drivers = 0, the default */
	KC_ADMIT_ALL,	   /* soft_drivers = 1 */
	KC_ADMIT_UNKNOWN,  /* soft_drivers = 2: hardware, and drivers that may be either */
};

/* What must be less for the kernel to get requests of a length. */
enum kc_prefer {
	KC_PREFER_THROUGHPUT, /* wall time */
	KC_PREFER_CPU,	      /* CPU time */
	KC_PREFER_COUNT
};

/* The rule by which requests go to the kernel. A row's own threshold takes precedence. */
enum kc_rule {
	KC_RULE_AUTO,	   /* by measurement, of kcrypto tune or of the process itself */
	KC_RULE_THRESHOLD, /* from the tune file's threshold on, or the row's default */
	KC_RULE_ALWAYS,	   /* all */
	KC_RULE_NEVER,	   /* none */
};

#define KC_TUNE_FILE	  "/var/lib/kcrypto/tune"
#define KC_TUNE_FILE_SIZE 256 /* bytes, including the NUL */

#define KC_THRESHOLD_MEASURED SIZE_MAX /* bytes: no :N was given */

struct kc_config_row {
	bool on;
	bool is_named;			  /* by its own name, not by ALL or by default */
	size_t threshold;		  /* bytes, or KC_THRESHOLD_MEASURED */
	char driver[KC_DRIVER_NAME_SIZE]; /* the driver to use, or "" */
};

#define KC_WORD_SIZE 48

/* Words as written, but cut, and with '?' for unprintable bytes. */
struct kc_problem {
	enum kc_reason reason;
	char key[KC_WORD_SIZE];
	char word[KC_WORD_SIZE];
	char nearest[KC_WORD_SIZE]; /* the closest known word, or "" */
};

#define KC_MAX_PROBLEMS 32

struct kc_config {
	bool offered_only;	 /* leave out candidates that are not offered */
	bool lists_add;		 /* a list adds to those before it; otherwise the last one counts */
	bool legacy;		 /* OpenSSL's legacy provider is active; set by the file's reader */
	unsigned admit;		 /* enum kc_admit */
	unsigned max_request;	 /* bytes, a multiple of KC_MAX_BLOCK, at most KC_MAX_REQUEST */
	unsigned max_sessions;	 /* descriptors that this process may hold open at a time */
	unsigned trusts_seccomp; /* 1: filters in force at load do no harm */
	unsigned verify;	 /* the base repeats one request in this many; 0: none */
	unsigned rule;		 /* enum kc_rule */
	unsigned prefer;	 /* enum kc_prefer */
	unsigned stats;		 /* 1: count for kcrypto stats */
	char tune_file[KC_TUNE_FILE_SIZE];		       /* "": no file is read */
	const struct kc_backend *backend[KC_MAX_BACKENDS + 1]; /* in this order, ended by NULL */
	struct kc_config_row row[KC_ALG_COUNT];
	unsigned n_problems;
	/* The last one takes those that do not fit, and is not counted. */
	struct kc_problem problems[KC_MAX_PROBLEMS + 1];
};

/* Sets the defaults. */
void kc_config_init(struct kc_config *config);

/*
 * Applies one line of the section. A key, old names included, may be all in lower case or all in
 * upper case. The part after "driver." may be as in the table or all in lower case.
 */
void kc_config_set(struct kc_config *config, const char *key, const char *value);

/* True if there is such a key in this spelling. */
bool kc_config_knows(const char *key);

/* Returns the backend with this name or alias; NULL if there is none. */
const struct kc_backend *kc_backend_named(const char *name);

#define KC_KEY_SIZE 48 /* bytes, including the NUL */

/*
 * Gets one spelling of a key, KC_KEY_SIZE bytes that stay valid during the call, and the key's
 * number.
 */
typedef void kc_key_fn(void *arg, const char *key, size_t number);

/*
 * Calls @f with every spelling of every key that kc_config_set() knows, except driver.NAME. For
 * callers that can't list the section, but can ask for each key.
 */
void kc_config_each_key(kc_key_fn *f, void *arg);

/* The same for driver.NAME, with the rows that are on in @config; NULL: all rows. */
void kc_config_each_driver_key(const struct kc_config *config, kc_key_fn *f, void *arg);

/* Applies the section's value for a key that kc_key_fn got, with its number. */
void kc_config_take(struct kc_config *config, const char *key, size_t number, const char *value);

#endif
