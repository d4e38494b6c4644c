/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of openssl.cnf loads the module, and OpenSSL's rule stays in force: its default provider
 * is active as long as a program loads no other. usage: conf_module_test MODULE, which uses the
 * stand-in.
 */
#include "unit/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/conferr.h>
#include <openssl/conftypes.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "local.h"

#define BEGIN "openssl_conf = i\nconfig_diagnostics = 1\n[i]\nproviders = p\nalg_section = a\n"
#define REST                                                                                       \
	"[p]\nkcrypto = k\n[a]\ndefault_properties = ?provider=kcrypto\n"                          \
	"[k]\nsoft_drivers = 1\nciphers = AES-128-CBC\ndigests = SHA256\n"

/*
 * Writes a file whose last line of [i] names the module. @section: further lines of the module's
 * section.
 */
static const char *write_conf(const char *module, const char *section)
{
	static char path[64];
	FILE *out;

	snprintf(path, sizeof(path), "/tmp/conf_module.%d", (int)getpid());
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, BEGIN "kcrypto = m\n" REST "module = %s\n[m]\npath = %s\n%s\n", arguments[0],
		module, section);
	assert_int_equal(fclose(out), 0);
	return path;
}

static OSSL_LIB_CTX *load(const char *section)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
	const char *path = write_conf(arguments[0], section);

	assert_non_null(ctx);
	assert_int_equal(OSSL_LIB_CTX_load_config(ctx, path), 1);
	unlink(path);
	assert_int_equal(ERR_peek_error(), 0);
	return ctx;
}

/* The name of the provider whose digest or cipher a program gets, or "" if it gets none. */
static const char *cipher_of(OSSL_LIB_CTX *ctx, const char *name)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(ctx, name, NULL);

	ERR_clear_error();
	return cipher ? OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)) : "";
}

static const char *digest_of(OSSL_LIB_CTX *ctx, const char *name)
{
	LOCAL(EVP_MD) *md = EVP_MD_fetch(ctx, name, NULL);

	ERR_clear_error();
	return md ? OSSL_PROVIDER_get0_name(EVP_MD_get0_provider(md)) : "";
}

static int count(OSSL_PROVIDER *provider, void *n)
{
	(void)provider;
	++*(int *)n;
	return 1;
}

static int providers_of(OSSL_LIB_CTX *ctx)
{
	int n = 0;

	OSSL_PROVIDER_do_all(ctx, count, &n);
	return n;
}

TEST(a_program_gets_ours_and_the_rest_from_default)
{
	LOCAL(OSSL_LIB_CTX) *ctx = load("");

	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "kcrypto");
	assert_string_equal(cipher_of(ctx, "AES-256-CBC"), "default");
	assert_string_equal(digest_of(ctx, "MD5"), "default");
	assert_int_equal(providers_of(ctx), 2);
}

/* kcrypto precedes default here: with one name alone it would hide default's other names. */
TEST(each_name_of_a_digest_is_found)
{
	static const char *const names[] = { "SHA2-256", "SHA256", "SHA-256",
					     "2.16.840.1.101.3.4.2.1" };
	LOCAL(OSSL_LIB_CTX) *ctx = load("");

	for (size_t i = 0; i < COUNT(names); i++) {
		LOCAL(EVP_MD) *theirs = EVP_MD_fetch(ctx, names[i], "provider=default");

		assert_non_null(theirs);
		assert_string_equal(digest_of(ctx, names[i]), "kcrypto");
	}
}

TEST(a_program_that_loads_another_alone_gets_nothing_else)
{
	static const char *const others[] = { "null", "base", "legacy" };

	for (size_t i = 0; i < COUNT(others); i++) {
		LOCAL(OSSL_LIB_CTX) *ctx = load("");
		LOCAL(OSSL_PROVIDER) *other = OSSL_PROVIDER_load(ctx, others[i]);

		ERR_clear_error();
		if (!other)
			print_message("this OpenSSL has no %s\n", others[i]);
		if (!other)
			continue;
		assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "");
		assert_string_equal(digest_of(ctx, "SHA256"), "");
	}
}

TEST(a_program_that_adds_default_gets_ours_again)
{
	LOCAL(OSSL_LIB_CTX) *ctx = load("");
	LOCAL(OSSL_PROVIDER) *null = OSSL_PROVIDER_load(ctx, "null");
	LOCAL(OSSL_PROVIDER) *own = NULL;

	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "");
	own = OSSL_PROVIDER_load(ctx, "default");
	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "kcrypto");
	OSSL_PROVIDER_unload(null);
	null = NULL;
	assert_string_equal(cipher_of(ctx, "AES-256-CBC"), "default");
}

TEST(a_second_reading_changes_nothing)
{
	LOCAL(OSSL_LIB_CTX) *ctx = load("");
	const char *path = write_conf(arguments[0], "");

	assert_int_equal(OSSL_LIB_CTX_load_config(ctx, path), 1);
	unlink(path);
	assert_int_equal(providers_of(ctx), 2);
	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "kcrypto");
}

TEST(a_section_may_say_no)
{
	LOCAL(OSSL_LIB_CTX) *ctx = load("activate = No");

	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "default");
	assert_int_equal(providers_of(ctx), 1);
}

/* The name may be taken by another module: then the program has what its file says. */
TEST(another_module_under_the_name_is_left_alone)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	const char *path;

	assert_int_equal(OSSL_PROVIDER_add_builtin(ctx, "kcrypto", NULL), 0);
	ERR_clear_error();
	path = write_conf(arguments[0], "[k]\nmodule = legacy.so");
	assert_int_equal(OSSL_LIB_CTX_load_config(ctx, path), 1);
	unlink(path);
	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "default");
}

/* Reading ends at kcrypto's line, which is the last one, so all other lines are in force. */
TEST(a_program_that_forbids_modules_goes_without)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	LOCAL(OSSL_PROVIDER) *base = NULL, *ours = NULL;
	CONF *conf = NCONF_new_ex(ctx, NULL);
	const char *path = write_conf(arguments[0], "");

	CONF_modules_unload(0); /* the configuration of earlier tests */
	assert_int_equal(NCONF_load(conf, path, NULL), 1);
	unlink(path);
	assert_true(CONF_modules_load(conf, NULL, CONF_MFLAGS_NO_DSO) <= 0);
	assert_int_equal(ERR_GET_REASON(ERR_get_error()), CONF_R_UNKNOWN_MODULE_NAME);
	NCONF_free(conf);
	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "default");
	assert_int_equal(providers_of(ctx), 1);
	/* "?provider=kcrypto": what the file says before kcrypto's line. */
	base = OSSL_PROVIDER_load(ctx, "default");
	ours = OSSL_PROVIDER_load(ctx, "kcrypto");
	assert_string_equal(cipher_of(ctx, "AES-128-CBC"), "kcrypto");
}

typedef int init_function(CONF_IMODULE *module, const CONF *conf);

/* A process may have a second libcrypto, whose CONF this one must not touch. */
TEST(the_configuration_of_another_libcrypto_is_not_touched)
{
	void *module = dlopen(arguments[0], RTLD_NOW | RTLD_LOCAL);
	init_function *init = module ? (init_function *)dlsym(module, "OPENSSL_init") : NULL;
	char method[8], page[512];
	CONF *conf = (CONF *)page;

	assert_non_null(init);
	memset(page, 0xa5, sizeof(page));
	conf->meth = (CONF_METHOD *)method;
	errno = ERANGE;
	assert_int_equal(init(NULL, conf), 1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(ERR_peek_error(), 0);
	dlclose(module);
}

/* Bytes that libcrypto has allocated and not freed. */
static long live;

static void *count_malloc(size_t n, const char *file, int line)
{
	void *p = malloc(n);

	(void)file;
	(void)line;
	live += p != NULL;
	return p;
}

static void *count_realloc(void *old, size_t n, const char *file, int line)
{
	void *p = realloc(old, n);

	(void)file;
	(void)line;
	live += !old && p;
	return p;
}

static void count_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	live -= p != NULL;
	free(p);
}

static void count_allocations(void)
{
	assert_int_equal(CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free), 1);
}

#define ROUNDS 30

/*
 * The bytes that freed contexts have left, after as many contexts before them. libcrypto itself
 * keeps some.
 */
static long left_by(const char *section, const char *provider)
{
	long before = 0;

	for (int i = 0; i < 2 * ROUNDS; i++) {
		OSSL_LIB_CTX *ctx = load(section);

		assert_string_equal(cipher_of(ctx, "AES-128-CBC"), provider);
		OSSL_LIB_CTX_free(ctx);
		if (i == ROUNDS - 1)
			before = live;
	}
	return live - before;
}

/* A context that kept a reference of its own would never free the provider. */
TEST(contexts_that_come_and_go_leave_no_provider)
{
	long denied = left_by("activate = no", "default"), loaded = left_by("", "kcrypto");

	print_message("left by a context: %ld, without the provider %ld\n", loaded, denied);
	assert_in_range(loaded, 0, denied + ROUNDS);
}

const struct suite suite = { .arguments = 1, .set_up = count_allocations };
