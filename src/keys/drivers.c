/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver for each algorithm. These keys are about secrecy, not speed, so the kernel's software
 * may do the work, too.
 */
#include "keys/keys.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "offload/trial.h"
#include "policy/config.h"

static bool takes_kernel_keys(const struct kc_alg *alg)
{
	if (alg->kind == KC_AEAD)
		return alg->family == KC_GCM;
	if (alg->kind == KC_MAC)
		return strcmp(alg->mac, "HMAC") == 0;
	return alg->kind == KC_CIPHER;
}

/* Admits only the rows and backends that take keys of the keyring. */
static void admit_kernel_keys(struct kc_config *config, bool hardware_only)
{
	const struct kc_backend **to = config->backend;

	kc_config_init(config);
	config->offered_only = true;
	config->admit = hardware_only ? KC_ADMIT_HARDWARE : KC_ADMIT_ALL;
	config->rule = KC_RULE_ALWAYS;
	config->tune_file[0] = '\0';
	config->max_sessions = UINT_MAX; /* nothing else could do a context's work */
	for (const struct kc_backend *const *b = kc_backends; *b; b++)
		if ((*b)->copy)
			*to++ = *b;
	*to = NULL;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		config->row[i].on = takes_kernel_keys(&kc_algs[i]);
}

static struct kc_policy *make_policy(bool hardware_only)
{
	struct kc_policy *policy = malloc(sizeof(*policy));
	struct kc_config *config = malloc(sizeof(*config));

	if (policy && config) {
		admit_kernel_keys(config, hardware_only);
		kc_policy_load(policy, config);
	} else {
		free(policy);
		policy = NULL;
	}
	free(config);
	return policy;
}

/* Skips backends whose MACs are limited to one request. */
static struct kc_candidate *first_for(struct kc_candidate *c)
{
	while (c && c->alg->kind == KC_MAC && c->backend->copies)
		c = c->next;
	return kc_candidate_now(c);
}

/*
 * A driver has to answer a known question with our own key before it gets one from the keyring.
 * Backends are taken in order, because before Linux 6.2, AF_ALG, which may be faster, takes no such
 * keys. The lock makes other threads wait for the answer, because no software could do their work.
 */
struct kc_candidate *kc_keys_candidate(struct kc_keys *keys, const struct kc_alg *alg)
{
	struct kc_candidate *c = NULL;
	enum kc_trust trust = KC_UNTRIED;
	const char *why = "its driver did not open a session";

	pthread_mutex_lock(kc_process_lock());
	if (!keys->policy)
		keys->policy = make_policy(keys->hardware_only);
	if (keys->policy)
		c = first_for(keys->policy->row[alg - kc_algs]);
	if (c)
		trust = kc_trial_one(c, kc_base_get(alg));
	pthread_mutex_unlock(kc_process_lock());
	if (trust == KC_TRUSTED)
		return c;
	if (!c)
		why = "there is no driver that may be used";
	else if (trust == KC_REFUSED)
		why = "its driver gave a wrong answer";
	return kc_raise(PROV_R_CIPHER_OPERATION_FAILED, "the kernel's %s: %s", alg->kernel_name,
			why);
}
