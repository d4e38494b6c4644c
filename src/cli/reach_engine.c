/* SPDX-License-Identifier: Apache-2.0 */
/* The child's question to an OpenSSL that has engines: whose is the default for an algorithm? */
#include "cli/reach.h"

#include <stdio.h>
#include <string.h>

#include <openssl/engine.h>

#include "engine/engine_ids.h"

/* Other engines have these ids too, but not these names. */
static bool is_ours(const ENGINE *engine)
{
	const struct kc_id *id = engine ? kc_id_find(ENGINE_get_id(engine)) : NULL;

	return id && strcmp(id->name, ENGINE_get_name(engine)) == 0;
}

static bool is_default(const struct kc_alg *alg, int nid)
{
	ENGINE *engine = alg->kind == KC_DIGEST ? ENGINE_get_digest_engine(nid) :
						  ENGINE_get_cipher_engine(nid);
	bool ours = is_ours(engine);

	if (engine)
		ENGINE_finish(engine);
	return ours;
}

void kc_reach_load_engines(void)
{
	ENGINE_load_builtin_engines();
}

void kc_reach_by_engine(struct kc_reach *reach, const struct kc_conf *conf)
{
	ENGINE *engine = conf->engine[0] ? ENGINE_by_id(conf->engine) : NULL;

	if (engine) {
		snprintf(reach->engine, sizeof(reach->engine), "%s", ENGINE_get_name(engine));
		reach->is_engine_ours = is_ours(engine);
		ENGINE_free(engine);
	}
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_nid_of(&kc_algs[i]))
			reach->row[i] |= is_default(&kc_algs[i], kc_nid_of(&kc_algs[i]));
}
