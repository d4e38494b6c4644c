/* SPDX-License-Identifier: Apache-2.0 */
/* The base for an OpenSSL without providers. */
#include "base/method.h"

int kc_base_open(bool with_legacy)
{
	(void)with_legacy; /* legacy ciphers are built in as well */
	kc_method_open();
	return 1;
}

const struct kc_base *kc_base_get(const struct kc_alg *alg)
{
	const struct kc_method *m = kc_method(alg);

	if (m)
		return &m->base;
	return NULL;
}
