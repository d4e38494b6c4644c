/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's way in: what an ENGINE is made of. Loading never fails because of us: at worst nothing is
 * offered. libcrypto loads no second engine from the same file, so each id is a copy of it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/policy.h"
#include "engine/engine.h"

static int init(ENGINE *e)
{
	const int *nids;

	/*
	 * Where this is answered with a no while openssl.cnf is read, OpenSSL drops the rest of that
	 * file, whatever it says of TLS. So only who wants to see the answer gets it.
	 */
	return !kc_engine_is_asked() ||
	       kc_engine_offered_ciphers(kc_engine_find(ENGINE_get_id(e)), &nids) > 0;
}

static int destroy(ENGINE *e)
{
	kc_engine_close(kc_engine_find(ENGINE_get_id(e)));
	return 1;
}

/* The engine that our file's name says, as /usr/lib/engines/afalg.so; else kcrypto. */
static struct kc_engine *find_by_file(void)
{
	struct kc_engine *engine;
	char name[32];
	Dl_info info;
	const char *base;

	if (!dladdr((void *)find_by_file, &info) || !info.dli_fname)
		return kc_engine_find("kcrypto");
	base = strrchr(info.dli_fname, '/');
	base = base ? base + 1 : info.dli_fname;
	base += strncmp(base, "lib", 3) == 0 ? 3 : 0;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
	engine = kc_engine_find(name);
	return engine ? engine : kc_engine_find("kcrypto");
}

/* @id is NULL where openssl.cnf names the file and nothing else. */
static int bind(ENGINE *e, const char *id)
{
	struct kc_engine *engine = id ? kc_engine_find(id) : find_by_file();

	if (!engine || !ENGINE_set_id(e, engine->id) || !ENGINE_set_name(e, engine->name) ||
	    !ENGINE_set_init_function(e, init) || !ENGINE_set_destroy_function(e, destroy) ||
	    !ENGINE_set_ctrl_function(e, kc_engine_ctrl) ||
	    !ENGINE_set_flags(e, ENGINE_FLAGS_MANUAL_CMD_CTRL) ||
	    !ENGINE_set_ciphers(e, kc_engine_ciphers))
		return 0;
	kc_engine_open(engine);
	return 1;
}

/* The two symbols that the file exports. */
__attribute__((visibility("default"))) unsigned long v_check(unsigned long v);
__attribute__((visibility("default"))) int bind_engine(ENGINE *e, const char *id,
						       const dynamic_fns *fns);

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
