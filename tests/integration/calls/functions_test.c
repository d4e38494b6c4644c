/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the offer with the default provider's: its names, and the functions of its dispatch
 * tables that kcrypto's tables lack. kcrypto leaves out an id that a later OpenSSL adds unless it
 * knows the id; this test must know it too, because an application may miss it. Covers all
 * operations and everything that is offered. usage: functions_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "core/alg.h"
#include "integration/lives/loaded.h"

/*
 * More operations than any OpenSSL has. A provider returns nothing for one that it does not know.
 */
#define OPERATIONS 64

/* Functions by number, as older headers lack the names. */
static struct known {
	int operation, id;
	const char *name;
	unsigned long since; /* the OpenSSL version from which on the default provider has it */
	const char *reason;
	bool met;
} left_out[] = {
	{ 2, 19, "encryption with a key object", 0x30500000, "ours take none", false },
	{ 2, 20, "decryption with a key object", 0x30500000, "ours take none", false },
	{ .name = NULL },
};

static OSSL_PROVIDER *ours, *theirs, *legacy;

static bool has(const OSSL_DISPATCH *functions, int id)
{
	while (functions->function_id && functions->function_id != id)
		functions++;
	return functions->function_id != 0;
}

static struct known *known(int operation, int id)
{
	for (struct known *k = left_out; k->name; k++)
		if (k->operation == operation && k->id == id)
			return k;
	return NULL;
}

static const OSSL_ALGORITHM *query(OSSL_PROVIDER *provider, int operation)
{
	int no_cache;

	return provider ? OSSL_PROVIDER_query_operation(provider, operation, &no_cache) : NULL;
}

/* The entry whose first name is the first of these names. */
static const OSSL_ALGORITHM *same_of(OSSL_PROVIDER *provider, int operation, const char *names)
{
	const OSSL_ALGORITHM *a = query(provider, operation);
	char first[64];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(names, ":"), names);
	while (a && a->algorithm_names && !kc_names_have(a->algorithm_names, first))
		a++;
	return a && a->algorithm_names ? a : NULL;
}

static unsigned compare(int operation, const OSSL_ALGORITHM *a, const OSSL_ALGORITHM *b)
{
	unsigned unknown = 0;

	for (const OSSL_DISPATCH *f = b->implementation; f->function_id; f++) {
		struct known *k = known(operation, f->function_id);

		if (has(a->implementation, f->function_id))
			continue;
		if (k) {
			k->met = true;
			continue;
		}
		fprintf(stderr, "operation %d, %s: id %d of the default provider is not offered\n",
			operation, a->algorithm_names, f->function_id);
		unknown++;
	}
	for (const OSSL_DISPATCH *f = a->implementation; f->function_id; f++) {
		if (has(b->implementation, f->function_id))
			continue;
		fprintf(stderr, "operation %d, %s: id %d is ours alone\n", operation,
			a->algorithm_names, f->function_id);
		unknown++;
	}
	return unknown;
}

TEST(every_function_that_is_left_out_is_known)
{
	unsigned unknown = 0;

	for (int operation = 1; operation < OPERATIONS; operation++) {
		const OSSL_ALGORITHM *a = query(ours, operation);

		for (; a && a->algorithm_names; a++) {
			const OSSL_ALGORITHM *b = same_of(theirs, operation, a->algorithm_names);

			b = b ? b : same_of(legacy, operation, a->algorithm_names);
			assert_non_null(b);
			unknown += compare(operation, a, b);
		}
	}
	assert_int_equal(unknown, 0);
}

/* Otherwise nothing would be compared. */
TEST(every_row_is_offered)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const char *name = kc_algs[i].mac[0] ? kc_algs[i].mac : kc_algs[i].names;
		bool found = false;

		for (; *name; name = kc_name_after(name))
			for (int operation = 1; operation < OPERATIONS; operation++)
				found |= same_of(ours, operation, name) != NULL;
		if (!found)
			fail_msg("%s is not offered under %s", kc_algs[i].names, arguments[0]);
	}
}

TEST(what_is_known_as_left_out_still_is)
{
	unsigned stale = 0;

	for (const struct known *k = left_out; k->name; k++) {
		if (k->since > OpenSSL_version_num() || k->met)
			continue;
		fprintf(stderr, "%s, said to be left out: %s\n", k->name, k->reason);
		stale++;
	}
	assert_int_equal(stale, 0);
}

static bool is_fetched(OSSL_LIB_CTX *ctx, int operation, const char *name)
{
	EVP_CIPHER *cipher = NULL;
	EVP_MD *md = NULL;
	EVP_MAC *mac = NULL;

	if (operation == OSSL_OP_CIPHER)
		EVP_CIPHER_free(cipher = EVP_CIPHER_fetch(ctx, name, "provider=kcrypto"));
	if (operation == OSSL_OP_DIGEST)
		EVP_MD_free(md = EVP_MD_fetch(ctx, name, "provider=kcrypto"));
	if (operation == OSSL_OP_MAC)
		EVP_MAC_free(mac = EVP_MAC_fetch(ctx, name, "provider=kcrypto"));
	return cipher || md || mac;
}

/* Fetches by each of the names; the last one is the first fetch of its library context. */
static unsigned fetch_by(const char *names, int operation)
{
	char *rest = strdupa(names), *name;
	unsigned missing = 0, n = 0;
	OSSL_LIB_CTX *fresh = library_with(arguments[0]);

	assert_non_null(fresh);
	for (; (name = strsep(&rest, ":")); n++)
		missing += !is_fetched(rest ? lib : fresh, operation, name);
	OSSL_LIB_CTX_free(fresh);
	if (missing)
		fprintf(stderr, "%u of %u names fetch nothing from kcrypto: %s\n", missing, n,
			names);
	return missing;
}

TEST(all_names_of_the_default_provider_fetch_ours)
{
	unsigned missing = 0, n = 0;

	for (int operation = 1; operation < OPERATIONS; operation++) {
		const OSSL_ALGORITHM *b = query(theirs, operation);

		for (; b && b->algorithm_names; b++) {
			if (!same_of(ours, operation, b->algorithm_names))
				continue;
			missing += fetch_by(b->algorithm_names, operation);
			n++;
		}
	}
	assert_int_equal(missing, 0);
	assert_int_not_equal(n, 0);
}

/* Both lists have the same parameters with the same names. */
static void assert_same_list(const OSSL_PARAM *mine, const OSSL_PARAM *its)
{
	for (; its && its->key; its++)
		assert_non_null(OSSL_PARAM_locate_const(mine, its->key));
}

static void compare_ciphers(const char *name, const char *query)
{
	EVP_CIPHER *a = EVP_CIPHER_fetch(lib, name, "provider=kcrypto"),
		   *b = EVP_CIPHER_fetch(lib, name, query);

	if (a && b) {
		assert_same_list(EVP_CIPHER_gettable_params(a), EVP_CIPHER_gettable_params(b));
		assert_same_list(EVP_CIPHER_gettable_ctx_params(a),
				 EVP_CIPHER_gettable_ctx_params(b));
		assert_same_list(EVP_CIPHER_settable_ctx_params(a),
				 EVP_CIPHER_settable_ctx_params(b));
	}
	EVP_CIPHER_free(a);
	EVP_CIPHER_free(b);
}

static void compare_digests(const char *name, const char *query)
{
	EVP_MD *a = EVP_MD_fetch(lib, name, "provider=kcrypto"),
	       *b = EVP_MD_fetch(lib, name, query);

	if (a && b) {
		assert_same_list(EVP_MD_gettable_params(a), EVP_MD_gettable_params(b));
		assert_same_list(EVP_MD_gettable_ctx_params(a), EVP_MD_gettable_ctx_params(b));
		assert_same_list(EVP_MD_settable_ctx_params(a), EVP_MD_settable_ctx_params(b));
	}
	EVP_MD_free(a);
	EVP_MD_free(b);
}

static void compare_macs(const char *name)
{
	EVP_MAC *a = EVP_MAC_fetch(lib, name, "provider=kcrypto"),
		*b = EVP_MAC_fetch(lib, name, "provider=default");

	assert_true(a && b);
	assert_same_list(EVP_MAC_gettable_params(a), EVP_MAC_gettable_params(b));
	assert_same_list(EVP_MAC_gettable_ctx_params(a), EVP_MAC_gettable_ctx_params(b));
	assert_same_list(EVP_MAC_settable_ctx_params(a), EVP_MAC_settable_ctx_params(b));
	EVP_MAC_free(a);
	EVP_MAC_free(b);
}

TEST(every_row_lists_the_parameters_that_the_default_provider_does)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const char *query = kc_algs[i].legacy ? "provider=legacy" : "provider=default";

		if (kc_algs[i].kind == KC_MAC)
			compare_macs(kc_algs[i].mac);
		else if (kc_algs[i].kind == KC_DIGEST)
			compare_digests(kc_alg_name(&kc_algs[i]), query);
		else
			compare_ciphers(kc_alg_name(&kc_algs[i]), query);
	}
	ERR_clear_error();
}

TEST(the_provider_tells_of_itself)
{
	char *name = NULL, *version = NULL;
	int status = 0;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &name, 0),
		OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
		OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &status),
		OSSL_PARAM_construct_end(),
	};

	assert_non_null(OSSL_PROVIDER_gettable_params(ours));
	assert_true(OSSL_PROVIDER_get_params(ours, params));
	assert_non_null(strstr(name, "kcrypto"));
	assert_string_equal(version, KC_VERSION);
	assert_int_equal(status, 1);
}

/*
 * Where legacy is not active its rows have no functions yet. They get them when another library
 * context needs them.
 */
static void use_without_legacy(void)
{
	OSSL_LIB_CTX *first = OSSL_LIB_CTX_new();
	OSSL_PROVIDER *loaded[2];

	diff_setup(first);
	loaded[0] = OSSL_PROVIDER_load(first, "default");
	loaded[1] = OSSL_PROVIDER_load(first, "kcrypto");
	assert_true(loaded[0] && loaded[1]);
	EVP_CIPHER_free(EVP_CIPHER_fetch(first, "AES-128-CBC", "provider=kcrypto"));
	OSSL_PROVIDER_unload(loaded[1]);
	OSSL_PROVIDER_unload(loaded[0]);
	OSSL_LIB_CTX_free(first);
	ERR_clear_error();
}

static void prepare(void)
{
	use_without_legacy();
	lib = library_with(arguments[0]);
	ours = OSSL_PROVIDER_load(lib, "kcrypto");
	theirs = OSSL_PROVIDER_load(lib, "default");
	legacy = OSSL_PROVIDER_load(lib, "legacy"); /* not everywhere */
	ERR_clear_error();
	assert_true(ours && theirs);
}

static void finish(void)
{
	OSSL_PROVIDER_unload(legacy);
	OSSL_PROVIDER_unload(ours);
	OSSL_PROVIDER_unload(theirs);
	OSSL_LIB_CTX_free(lib);
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = finish };
