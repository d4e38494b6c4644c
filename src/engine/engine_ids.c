/* SPDX-License-Identifier: Apache-2.0 */
/* The names, backends and configurations of the engine's ids. */
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
	config->legacy = true; /* legacy ciphers are built in, like all others */
	config->lists_add = id->lists_add;
	for (size_t i = 0; id->lists_add && i < KC_ALG_COUNT; i++)
		config->row[i].on = false;
	kc_id_keep(id, config);
}

/* If this build lacks the id's backend, the configured ones stay. */
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
