/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: the union of what four earlier plugins accepted and our own keys. Where the
 * text comes from (openssl.cnf, an engine command) is not known here. Nothing here can fail: what
 * is wrong becomes a problem to be listed, the rest counts.
 */
#ifndef KC_CORE_CONFIG_H
#define KC_CORE_CONFIG_H

#include "core/alg.h"
#include "core/driver.h"
#include "core/reason.h"

/* Which drivers may be used. */
enum kc_admit {
	KC_ADMIT_HARDWARE,	/* soft_drivers = 0, the default */
	KC_ADMIT_ALL,		/* 1 */
	KC_ADMIT_UNKNOWN,	/* 2: hardware, or where that can't be found out */
};

#define KC_THRESHOLD_MEASURED SIZE_MAX	/* no :N was given */

struct kc_config_row {
	bool on;
	size_t threshold;	/* bytes, or KC_THRESHOLD_MEASURED */
	char driver[KC_DRIVER_NAME_SIZE]; /* the driver to use, or "" */
};

#define KC_WORD_SIZE 48

struct kc_problem {
	enum kc_reason reason;
	char key[KC_WORD_SIZE];		/* of openssl.cnf */
	char word[KC_WORD_SIZE];	/* as written there; unprintable bytes as '?', cut */
	char nearest[KC_WORD_SIZE];	/* the known word that is nearest, or "" */
};

#define KC_MAX_PROBLEMS 16

struct kc_config {
	enum kc_admit admit;
	size_t max_request;	/* bytes, a multiple of KC_MAX_BLOCK, at most KC_MAX_REQUEST */
	unsigned max_sessions;	/* descriptors that this process may hold open at a time */
	struct kc_config_row row[KC_ALG_COUNT];
	struct kc_problem problems[KC_MAX_PROBLEMS];
	unsigned n_problems;	/* may exceed KC_MAX_PROBLEMS: then the rest was dropped */
};

/* The defaults. */
void kc_config_init(struct kc_config *config);

/* One line of the section. Keys in any case; old names too. */
void kc_config_set(struct kc_config *config, const char *key, const char *value);

/*
 * The keys that can be asked for one by one, where the caller can't list the section: the i-th
 * spelling, composed in @buf if need be; NULL after the last.
 */
const char *kc_config_key(size_t i, char *buf, size_t size);

#endif
