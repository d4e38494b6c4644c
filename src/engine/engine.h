/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of the names that the file answers to, with its configuration, and what it offers. There is
 * one for each id in the process, however often that id is loaded.
 */
#ifndef KC_ENGINE_ENGINE_H
#define KC_ENGINE_ENGINE_H

#include <pthread.h>

#include <openssl/engine.h>

#include "core/policy.h"

/* A decision. A new one does not end the older ones: contexts stand on them. */
struct kc_decision {
	struct kc_policy policy;
	struct kc_decision *before;
};

struct kc_engine {
	const char *id, *name;
	const char
		*backends; /* the only ones for this id, as the configuration has them; or NULL */

	pthread_mutex_t lock; /* of all below */
	unsigned users;	      /* ENGINEs that were made of it */
	struct kc_config config;
	bool is_decided;		   /* by the configuration of now */
	struct kc_decision *decision;	   /* the newest; NULL: none yet */
	EVP_CIPHER *ciphers[KC_ALG_COUNT]; /* made when the first ENGINE is; NULL: no such one */
	int cipher_nids[KC_ALG_COUNT];	   /* of those that are offered, as decided */
	int n_ciphers;
};

/* The one of this id; NULL if it is none of ours. */
struct kc_engine *kc_engine_find(const char *id);

/* The one that this cipher of ours is of, and its row. */
struct kc_engine *kc_engine_owner(const EVP_CIPHER *cipher, const struct kc_alg **alg);

/* The configuration has changed. */
void kc_engine_set(struct kc_engine *engine, const char *key, const char *value);

/* The ways of a row, as they are decided now; NULL where memory is short. */
struct kc_choice *kc_engine_ways(struct kc_engine *engine, const struct kc_alg *alg);

/* Decides if that is to be done. The number of the ids in @nids that are offered. */
int kc_engine_offered_ciphers(struct kc_engine *engine, const int **nids);

/* A user more, or less: the first one makes what the last one frees. */
void kc_engine_open(struct kc_engine *engine);
void kc_engine_close(struct kc_engine *engine);

/* Is this process the command "openssl engine", whose user asks for answers by us? */
bool kc_engine_is_asked(void);

/* Makes those of all rows that can be had; NULL for the others. */
void kc_engine_make_ciphers(EVP_CIPHER *ciphers[KC_ALG_COUNT]);

/* The ENGINE's callbacks. */
int kc_engine_ciphers(ENGINE *e, const EVP_CIPHER **cipher, const int **nids, int nid);
int kc_engine_ctrl(ENGINE *e, int command, long i, void *p, void (*f)(void));

#endif
