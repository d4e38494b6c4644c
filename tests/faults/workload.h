/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs do with an algorithm: messages in both directions, apart and in place; restart,
 * copy, a second context, a new key, free.
 */
#ifndef KC_TESTS_WORKLOAD_H
#define KC_TESTS_WORKLOAD_H

#include <stdbool.h>

#include "core/alg.h"
#include "integration/lives/script.h"

struct workload {
	const struct kc_alg *alg;
	void (*begun)(void);	 /* after the first message */
	bool (*recovered)(void); /* after each further message of the oldest context */
};

/* Contexts whose outputs are compared. */
#define WORKLOAD_PLAYERS 3
extern struct player workload_ours[WORKLOAD_PLAYERS];

/* Runs the workload with the default provider. Returns false if it fails. */
bool workload_play_software(OSSL_LIB_CTX *lib, const struct kc_alg *alg);

/*
 * Runs the workload with kcrypto, after workload_play_software(). Returns NULL, or the first
 * problem: a result or output that differs from software's, a successful call that changed errno or
 * left something in the error queue, or a context that did not recover.
 */
const char *workload_play(OSSL_LIB_CTX *lib, const struct workload *w);

#endif
