/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's entry points, which make the ENGINE. Loading never fails because of the kernel: at
 * worst nothing is offered. libcrypto loads no second engine from the same file, so each id is a
 * copy of it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

static int init_engine(ENGINE *e)
{
	const int *nids;

	(void)e;
	/*
	 * A failure while openssl.cnf is being read would make OpenSSL ignore the rest of that
	 * file, even its TLS settings. So only a user who asks gets a true answer.
	 */
	if (!kc_engine_is_asked())
		return 1;
	if (kc_engine_offered(KC_CIPHER, &nids))
		return 1;
	return kc_engine_offered(KC_DIGEST, &nids) != 0;
}

static int destroy(ENGINE *e)
{
	(void)e;
	kc_engine_close();
	return 1;
}

/* Returns the id in our file's name, as in /usr/lib/engines/afalg.so; otherwise kcrypto. */
static const struct kc_id *find_by_file(void)
{
	const struct kc_id *id = NULL;
	const char *slash, *base;
	char name[32];
	Dl_info info;

	if (dladdr((void *)find_by_file, &info) && info.dli_fname) {
		slash = strrchr(info.dli_fname, '/');
		base = slash ? slash + 1 : info.dli_fname;
		if (strncmp(base, "lib", 3) == 0)
			base += 3;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
		id = kc_id_find(name);
	}
	if (!id)
		id = kc_id_find("kcrypto");
	return id;
}

static int set_functions(ENGINE *e)
{
	if (!ENGINE_set_init_function(e, init_engine))
		return 0;
	if (!ENGINE_set_destroy_function(e, destroy))
		return 0;
	if (!ENGINE_set_ctrl_function(e, kc_engine_ctrl))
		return 0;
	if (!ENGINE_set_flags(e, ENGINE_FLAGS_MANUAL_CMD_CTRL))
		return 0;
	if (!ENGINE_set_ciphers(e, kc_engine_ciphers))
		return 0;
	return ENGINE_set_digests(e, kc_engine_digests);
}

/* @name is NULL if openssl.cnf gives only the file. */
static int bind(ENGINE *e, const char *name)
{
	const struct kc_id *id = name ? kc_id_find(name) : find_by_file();

	if (!id || !ENGINE_set_id(e, id->id) || !ENGINE_set_name(e, id->name))
		return 0;
	if (!set_functions(e))
		return 0;
	return kc_engine_open(id) == 0;
}

/* The two symbols that the file exports. */
__attribute__((visibility("default"))) unsigned long v_check(unsigned long v);
__attribute__((visibility("default"))) int bind_engine(ENGINE *e, const char *id,
						       const dynamic_fns *fns);

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
