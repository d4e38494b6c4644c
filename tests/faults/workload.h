/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs do with an algorithm: messages in both directions, apart and in place, restart,
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
	bool (*recovered)(void); /* after each message more of the oldest context */
};

/* Whose outputs are compared. */
#define WORKLOAD_PLAYERS 3
extern struct player workload_ours[WORKLOAD_PLAYERS];

/* By the default provider. False if it can't. */
bool workload_play_software(OSSL_LIB_CTX *lib, const struct kc_alg *alg);

/*
 * By ours, after software. NULL, or the first problem: another result or output than software's, a
 * successful call that changed errno or left something in the error queue, or a context that did
 * not recover.
 */
const char *workload_play(OSSL_LIB_CTX *lib, const struct workload *w);

#endif
