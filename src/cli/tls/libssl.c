/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libssl by its soname, which has the number of libcrypto's. */
#include "cli/tls/libssl.h"

#include <dlfcn.h>
#include <stdbool.h>

#define STRING(text)   #text
#define SONAME(number) "libssl.so." STRING(number)

static bool load(struct kc_libssl *ssl)
{
	void *library = dlopen(SONAME(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
#define FIND(name)                                                                                 \
	ssl->name = (__typeof__(ssl->name))dlsym(library, #name);                                  \
	if (!ssl->name)                                                                            \
		return false;
	KC_LIBSSL_FUNCTIONS(FIND)
#undef FIND
	/* The options of the system's openssl.cnf are not under test. */
	return ssl->OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) == 1;
}

const struct kc_libssl *kc_libssl(const char **why)
{
	static struct kc_libssl ssl;
	static bool is_tried, is_loaded;

	if (!is_tried)
		is_loaded = load(&ssl);
	is_tried = true;
	*why = is_loaded ? NULL : SONAME(OPENSSL_SHLIB_VERSION) " cannot be loaded";
	return is_loaded ? &ssl : NULL;
}
