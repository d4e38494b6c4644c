/* SPDX-License-Identifier: Apache-2.0 */
/* One instance of the provider: a library context of the application that loaded us. */
#ifndef KC_PROVIDER_PROVIDER_H
#define KC_PROVIDER_PROVIDER_H

#include <pthread.h>

#include <openssl/core.h>

#include "core/policy.h"

struct kc_provider {
	const OSSL_CORE_HANDLE *handle;
	OSSL_LIB_CTX *app_ctx; /* the application's; asked only whether default is active in it */
	struct kc_policy policy;

	pthread_mutex_t lock; /* of the three below */
	bool decided;	      /* what is offered does not change afterwards */
	bool base_open;
	OSSL_ALGORITHM ciphers[KC_ALG_COUNT + 1];
};

#endif
