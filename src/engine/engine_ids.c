/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of each id. */
#include "engine/engine_ids.h"
#include "policy/config.h"

#include <stddef.h>
#include <string.h>

const struct kc_id kc_ids[] = {
	{ "kcrypto", "Linux kernel crypto API (kcrypto)", NULL, false },
	{ "afalg", "AF_ALG engine (kcrypto)", "afalg", false },
	{ "af_alg", "AF_ALG engine (kcrypto)", "afalg", true },
	{ "devcrypto", "/dev/crypto engine (kcrypto)", "devcrypto", false },
	{ "cryptodev", "/dev/crypto engine (kcrypto)", "devcrypto", false },
	{ NULL, NULL, NULL, false },
};

const struct kc_id *kc_id_find(const char *id)
{
	const struct kc_id *i = kc_ids;

	while (i->id && strcmp(i->id, id) != 0)
		i++;
	if (!i->id)
		return NULL;
	return i;
}

void kc_id_init(const struct kc_id *id, struct kc_config *config)
{
	kc_config_init(config);
	config->legacy = true; /* an engine has legacy ciphers built in like the others */
	config->lists_add = id->lists_add;
	for (size_t i = 0; id->lists_add && i < KC_ALG_COUNT; i++)
		config->row[i].on = false;
	kc_id_keep(id, config);
}

/* A build without the id's backend keeps its own. */
void kc_id_keep(const struct kc_id *id, struct kc_config *config)
{
	const struct kc_backend *device = kc_backend_named("kcrypto");
	const struct kc_backend **to = config->backend, *own = NULL;

	if (id->backend)
		own = kc_backend_named(id->backend);
	if (!own)
		return;
	memset(config->backend, 0, sizeof(config->backend));
	if (device)
		*to++ = device;
	*to = own;
}
