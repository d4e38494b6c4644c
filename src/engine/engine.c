/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's users: the first one opens everything, and the last one closes it. And its decision,
 * which is the result of the configuration and the kernel.
 */
#include "engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "core/quiet.h"
#include "policy/config.h"
#include "session/buffers.h"
#include "session/session.h"
#include "stats/stats.h"

/* A decision. A new one does not end the older ones, because contexts depend on them. */
struct decision {
	struct kc_policy policy;
	struct decision *before;
};

struct offer {
	int nids[KC_ALG_COUNT];
	int n;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects everything below */
static const struct kc_id *id_now;
static unsigned users;
static struct kc_config config;
static bool is_decided;		  /* with the present configuration */
static struct decision *decision; /* the newest; NULL: none yet */
static struct offer offers[KC_KIND_COUNT];

/* Ours, of each row; NULL: there is none. */
static union {
	EVP_CIPHER *cipher;
	EVP_MD *digest;
} made[KC_ALG_COUNT];

/*
 * sshd asks its contexts for their IVs when it hands a session from one process to the next, and
 * OpenSSL 3 answers that for no engine's cipher, so nobody could log in.
 */
static bool stands_back(void)
{
	return OpenSSL_version_num() >= 0x30000000 &&
	       strncmp(program_invocation_short_name, "sshd", 4) == 0;
}

/* A row has no candidate if none of the id's backends exists. */
static void list_offered(const struct kc_policy *policy)
{
	memset(offers, 0, sizeof(offers));
	if (stands_back())
		return;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct offer *offer = &offers[kc_algs[i].kind];

		if (kc_method_nid(&kc_algs[i]) && policy->row[i] && policy->row[i]->is_offered)
			offer->nids[offer->n++] = kc_method_nid(&kc_algs[i]);
	}
}

/* Called under the lock. If memory is short, the last decision stays. */
static void decide(void)
{
	struct decision *new = calloc(1, sizeof(*new));

	if (!new)
		return;
	is_decided = true;
	kc_policy_load(&new->policy, &config);
	kc_stats_turn(config.stats);
	new->before = decision;
	decision = new;
	list_offered(&new->policy);
}

/* Files are opened: a thread cancelled there would hold the lock for ever. */
static void lock_decided(void)
{
	KC_QUIETLY;

	pthread_mutex_lock(&lock);
	if (!is_decided)
		decide();
}

unsigned kc_engine_set(const char *key, const char *value)
{
	unsigned before;

	pthread_mutex_lock(&lock);
	before = config.n_problems;
	kc_config_set(&config, key, value);
	kc_id_keep(id_now, &config);
	is_decided = false;
	pthread_mutex_unlock(&lock);
	return before;
}

const struct kc_config *kc_engine_config(void)
{
	return &config;
}

struct kc_candidate *kc_engine_candidates(const struct kc_alg *alg)
{
	struct kc_candidate *first;

	lock_decided();
	first = decision ? decision->policy.row[alg - kc_algs] : NULL;
	pthread_mutex_unlock(&lock);
	return first;
}

int kc_engine_offered(enum kc_kind kind, const int **nids)
{
	int n;

	lock_decided();
	*nids = offers[kind].nids;
	n = offers[kind].n;
	pthread_mutex_unlock(&lock);
	return n;
}

/* A NUL ends each argument of a process. */
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

/* Called under the lock, like the next ones up to end(). */
static void make_all(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_method *m = kc_method(&kc_algs[i]);

		if (m && kc_algs[i].kind == KC_CIPHER)
			made[i].cipher = kc_engine_make_cipher(m);
		else if (m)
			made[i].digest = kc_engine_make_digest(m);
	}
}

static void free_all(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_algs[i].kind == KC_CIPHER)
			EVP_CIPHER_meth_free(made[i].cipher);
		else
			EVP_MD_meth_free(made[i].digest);
	}
	memset(made, 0, sizeof(made));
}

static void begin(const struct kc_id *id)
{
	id_now = id;
	kc_process_begin();
	kc_sandbox_loaded(true); /* a later command may say so */
	kc_stats_open();
	kc_method_open();
	kc_id_init(id, &config);
	is_decided = false;
	make_all();
}

static void end_decisions(void)
{
	while (decision) {
		struct decision *before = decision->before;

		kc_policy_free(&decision->policy);
		free(decision);
		decision = before;
	}
}

static void end(void)
{
	free_all();
	kc_session_end_idle();
	end_decisions();
	kc_stats_close();
	kc_buffer_free();
	kc_process_end();
}

int kc_engine_open(const struct kc_id *id)
{
	KC_QUIETLY;
	int err = 0;

	pthread_mutex_lock(&lock);
	if (users && id != id_now)
		err = -EBUSY;
	else if (users++ == 0)
		begin(id);
	pthread_mutex_unlock(&lock);
	return err;
}

void kc_engine_close(void)
{
	pthread_mutex_lock(&lock);
	if (--users == 0)
		end();
	pthread_mutex_unlock(&lock);
}

/*
 * Returns a list of all that are offered, or one cipher. The latter is returned even if the kernel
 * has no driver for it: a program that asks for it by name carries on, in software.
 */
int kc_engine_ciphers(ENGINE *e, const EVP_CIPHER **cipher, const int **nids, int nid)
{
	const struct kc_method *m = kc_method_find(KC_CIPHER, nid);

	(void)e;
	if (!cipher)
		return kc_engine_offered(KC_CIPHER, nids);
	*cipher = m ? made[m->base.alg - kc_algs].cipher : NULL;
	return *cipher != NULL;
}

int kc_engine_digests(ENGINE *e, const EVP_MD **digest, const int **nids, int nid)
{
	const struct kc_method *m = kc_method_find(KC_DIGEST, nid);

	(void)e;
	if (!digest)
		return kc_engine_offered(KC_DIGEST, nids);
	*digest = m ? made[m->base.alg - kc_algs].digest : NULL;
	return *digest != NULL;
}
