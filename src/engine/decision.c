/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's decision: what it offers, from its configuration and the kernel. */
#include "engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/quiet.h"
#include "policy/config.h"
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
static struct kc_config config;
static bool is_decided;		  /* for the present configuration */
static struct decision *decision; /* the newest; NULL: none yet */
static struct offer offers[KC_KIND_COUNT];

/*
 * True for sshd. It asks its contexts for their IVs when it hands a session from one process to the
 * next. OpenSSL 3 answers that for no engine's cipher, so every login would fail.
 */
static bool stands_back(void)
{
	return OpenSSL_version_num() >= 0x30000000 &&
	       strncmp(program_invocation_short_name, "sshd", 4) == 0;
}

/* A row has no candidate if none of the id's backends exists. */
static void list_nids(const struct kc_policy *policy)
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

/* Call it under the lock. If memory is short, the last decision stays. */
static void decide_engine(void)
{
	struct decision *new = calloc(1, sizeof(*new));

	if (!new)
		return;
	is_decided = true;
	kc_policy_load(&new->policy, &config);
	kc_stats_turn(config.stats);
	new->before = decision;
	decision = new;
	list_nids(&new->policy);
}

/*
 * Takes the lock, and decides if necessary. Files are opened: a thread that is cancelled there
 * would hold the lock for ever.
 */
static void lock_decided(void)
{
	KC_QUIETLY;

	pthread_mutex_lock(&lock);
	if (!is_decided)
		decide_engine();
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
	struct kc_candidate *first = NULL;

	lock_decided();
	if (decision)
		first = decision->policy.row[alg - kc_algs];
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

void kc_decisions_begin(const struct kc_id *id)
{
	pthread_mutex_lock(&lock);
	id_now = id;
	kc_id_init(id, &config);
	is_decided = false;
	pthread_mutex_unlock(&lock);
}

void kc_decisions_end(void)
{
	pthread_mutex_lock(&lock);
	while (decision) {
		struct decision *before = decision->before;

		kc_policy_free(&decision->policy);
		free(decision);
		decision = before;
	}
	pthread_mutex_unlock(&lock);
}
