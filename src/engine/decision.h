/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's configuration, and what it comes to on this kernel: the ciphers and digests that are
 * offered. Everything here is thread-safe.
 */
#ifndef KC_ENGINE_DECISION_H
#define KC_ENGINE_DECISION_H

#include "engine/engine_ids.h"
#include "policy/policy.h"

/* Starts with the configuration of @id; ends all decisions and their idle sessions. */
void kc_decision_begin(const struct kc_id *id);
void kc_decision_end(void);

/* Applies a line of the configuration. Returns the number of problems before it. */
unsigned kc_engine_set(const char *key, const char *value);

/* The configuration, for its writer. */
const struct kc_config *kc_engine_config(void);

/* Returns the first candidate of a row in the present decision; NULL: none. */
struct kc_candidate *kc_engine_candidates(const struct kc_alg *alg);

/* Decides if necessary. Returns the number of OpenSSL's ids in @nids, of all that are offered. */
int kc_engine_offered(enum kc_kind kind, const int **nids);

#endif
