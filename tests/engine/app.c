/* SPDX-License-Identifier: Apache-2.0 */
/* See app.h. */
#include "engine/app.h"
#include "stats/table.h"
#include "integration/lives/must.h"

#include <stdlib.h>
#include <string.h>

ENGINE *app_load(void)
{
	const char *file = getenv("KC_ENGINE_FILE"), *id = getenv("KC_ENGINE_ID");
	ENGINE *e;

	/*
	 * Otherwise the first call searches for the system's openssl.cnf and leaves ENOENT in
	 * errno.
	 */
	OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
	must(file && id, "KC_ENGINE_FILE and KC_ENGINE_ID are wanted");
	ENGINE_load_dynamic();
	e = ENGINE_by_id("dynamic");
	must(e && ENGINE_ctrl_cmd_string(e, "SO_PATH", file, 0) &&
		     ENGINE_ctrl_cmd_string(e, "ID", id, 0) &&
		     ENGINE_ctrl_cmd_string(e, "LOAD", NULL, 0) && ENGINE_init(e),
	     "it does not load");
	return e;
}

void app_unload(ENGINE *e)
{
	ENGINE_unregister_ciphers(e);
	ENGINE_unregister_digests(e);
	ENGINE_finish(e);
	ENGINE_free(e);
}

void app_tell(ENGINE *e, const char *command, const char *argument)
{
	must(ENGINE_ctrl_cmd_string(e, command, argument, 0), command);
}

void app_configure(ENGINE *e, const char *ciphers, const char *digests)
{
	app_tell(e, "USE_SOFTDRIVERS", "1");
	app_tell(e, "CIPHERS", ciphers);
	app_tell(e, "DIGESTS", digests);
	ENGINE_unregister_ciphers(e);
	ENGINE_unregister_digests(e);
}

const EVP_CIPHER *app_reference(int nid)
{
	static EVP_CIPHER *made[2000];
	const EVP_CIPHER *c = EVP_get_cipherbynid(nid);
	EVP_CIPHER *r;

	must(c && nid < 2000, "there is no such cipher");
	if (made[nid])
		return made[nid];
	r = EVP_CIPHER_meth_new(NID_undef, EVP_CIPHER_block_size(c), EVP_CIPHER_key_length(c));
	must(r && EVP_CIPHER_meth_set_iv_length(r, EVP_CIPHER_iv_length(c)) &&
		     EVP_CIPHER_meth_set_flags(r, EVP_CIPHER_flags(c)) &&
		     EVP_CIPHER_meth_set_impl_ctx_size(r, EVP_CIPHER_impl_ctx_size(c)) &&
		     EVP_CIPHER_meth_set_init(r, EVP_CIPHER_meth_get_init(c)) &&
		     EVP_CIPHER_meth_set_do_cipher(r, EVP_CIPHER_meth_get_do_cipher(c)) &&
		     EVP_CIPHER_meth_set_cleanup(r, EVP_CIPHER_meth_get_cleanup(c)) &&
		     EVP_CIPHER_meth_set_ctrl(r, EVP_CIPHER_meth_get_ctrl(c)),
	     "there is no memory");
	made[nid] = r;
	return r;
}

unsigned long long app_requests(const char *name)
{
	const struct kc_stats *stats = stats_file_read();
	unsigned long long n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (!name || strcmp(name, stats->head.name[i]) == 0)
			n += kc_stats_sum(&stats->row[i]).requests;
	return n;
}
