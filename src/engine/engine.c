/* SPDX-License-Identifier: Apache-2.0 */
/* The ids, and what each of them has decided. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/method.h"
#include "core/scratch.h"
#include "core/stats.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define ENGINE_OF(its_id, its_name, its_backends)                                                  \
	{                                                                                          \
		.id = (its_id), .name = (its_name), .backends = (its_backends),                    \
		.lock = PTHREAD_MUTEX_INITIALIZER                                                  \
	}

static struct kc_engine engines[] = {
	ENGINE_OF("kcrypto", "Linux kernel crypto API (kcrypto)", NULL),
	ENGINE_OF("afalg", "AF_ALG engine (kcrypto)", "afalg"),
	ENGINE_OF("af_alg", "AF_ALG engine (kcrypto)", "afalg"),
	ENGINE_OF("devcrypto", "/dev/crypto engine (kcrypto)", "devcrypto"),
	ENGINE_OF("cryptodev", "/dev/crypto engine (kcrypto)", "devcrypto"),
};

struct kc_engine *kc_engine_find(const char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++)
		if (strcmp(engines[i].id, id) == 0)
			return &engines[i];
	return NULL;
}

struct kc_engine *kc_engine_owner(const EVP_CIPHER *cipher, const struct kc_alg **alg)
{
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		for (size_t k = 0; k < KC_ALG_COUNT; k++) {
			if (engines[i].ciphers[k] != cipher)
				continue;
			*alg = &kc_algs[k];
			return &engines[i];
		}
	}
	return NULL;
}

/* The arguments of a process are ended by a NUL each. */
bool kc_engine_is_asked(void)
{
	char args[256] = "";
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t n = file ? fread(args, 1, sizeof(args) - 1, file) : 0, first = strlen(args);

	if (file)
		fclose(file);
	return first >= 7 && strcmp(args + first - 7, "openssl") == 0 && first + 1 < n &&
	       strcmp(args + first + 1, "engine") == 0;
}

/* What the id stands for does not change by configuration. */
static void keep_to_id(struct kc_engine *engine)
{
	if (engine->backends)
		kc_config_set(&engine->config, "backends", engine->backends);
}

static void list_offered(struct kc_engine *engine)
{
	struct kc_choice *const *rows = engine->decision->policy.row;

	engine->n_ciphers = 0;
	/* A row has no way at all where none of the id's is there. */
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (engine->ciphers[i] && rows[i] && rows[i]->backend)
			engine->cipher_nids[engine->n_ciphers++] =
				EVP_CIPHER_nid(engine->ciphers[i]);
}

/* Under the lock. Where memory is short, what was decided before holds. */
static void decide(struct kc_engine *engine)
{
	struct kc_decision *decision = calloc(1, sizeof(*decision));

	if (!decision)
		return;
	engine->is_decided = true;
	kc_policy_load(&decision->policy, &engine->config);
	decision->before = engine->decision;
	engine->decision = decision;
	list_offered(engine);
}

/* Files are opened: a thread that is cancelled there would keep the lock for ever. */
static void lock_decided(struct kc_engine *engine)
{
	int saved_errno = errno, cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	pthread_mutex_lock(&engine->lock);
	if (!engine->is_decided)
		decide(engine);
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}

void kc_engine_set(struct kc_engine *engine, const char *key, const char *value)
{
	pthread_mutex_lock(&engine->lock);
	kc_config_set(&engine->config, key, value);
	keep_to_id(engine);
	engine->is_decided = false;
	pthread_mutex_unlock(&engine->lock);
}

struct kc_choice *kc_engine_ways(struct kc_engine *engine, const struct kc_alg *alg)
{
	struct kc_choice *first;

	lock_decided(engine);
	first = engine->decision ? engine->decision->policy.row[alg - kc_algs] : NULL;
	pthread_mutex_unlock(&engine->lock);
	return first;
}

int kc_engine_offered_ciphers(struct kc_engine *engine, const int **nids)
{
	int n;

	lock_decided(engine);
	*nids = engine->cipher_nids;
	n = engine->n_ciphers;
	pthread_mutex_unlock(&engine->lock);
	return n;
}

void kc_engine_open(struct kc_engine *engine)
{
	int saved_errno = errno, cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	pthread_mutex_lock(&engine->lock);
	if (engine->users++ == 0) {
		kc_policy_loaded();
		kc_stats_open();
		kc_method_open();
		kc_config_init(&engine->config);
		keep_to_id(engine);
		engine->is_decided = false;
		kc_engine_make_ciphers(engine->ciphers);
	}
	pthread_mutex_unlock(&engine->lock);
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}

static void free_all(struct kc_engine *engine)
{
	while (engine->decision) {
		struct kc_decision *before = engine->decision->before;

		free(engine->decision);
		engine->decision = before;
	}
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		EVP_CIPHER_meth_free(engine->ciphers[i]);
		engine->ciphers[i] = NULL;
	}
	kc_method_close();
	kc_stats_close();
	kc_scratch_free();
}

void kc_engine_close(struct kc_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	if (--engine->users == 0)
		free_all(engine);
	pthread_mutex_unlock(&engine->lock);
}
