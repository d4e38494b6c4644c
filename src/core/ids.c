/* SPDX-License-Identifier: Apache-2.0 */
/* What each id means. */
#include "core/ids.h"

#include <stddef.h>
#include <string.h>

const struct kc_id kc_ids[] = {
	{ "kcrypto", "Linux kernel crypto API (kcrypto)", NULL },
	{ "afalg", "AF_ALG engine (kcrypto)", "afalg" },
	{ "af_alg", "AF_ALG engine (kcrypto)", "afalg" },
	{ "devcrypto", "/dev/crypto engine (kcrypto)", "devcrypto" },
	{ "cryptodev", "/dev/crypto engine (kcrypto)", "devcrypto" },
	{ NULL, NULL, NULL },
};

const struct kc_id *kc_id_find(const char *id)
{
	const struct kc_id *i = kc_ids;

	while (i->id && strcmp(i->id, id) != 0)
		i++;
	return i->id ? i : NULL;
}
