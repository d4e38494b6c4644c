/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user decides the order of the providers in openssl.cnf, and the program the order of its
 * fetches. In any order, each name of each algorithm that OpenSSL's own providers have without
 * kcrypto is found with kcrypto, and is implemented by them or by kcrypto. Uses the stand-in, which
 * offers all rows.
 */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <openssl/store.h>

#include "integration/lives/loaded.h"
#include "local.h"

#define MAX_NAMES 2000

/* A fetch: a name of an algorithm. */
static struct wanted {
	const struct operation *operation;
	char *name;
} wanted[MAX_NAMES];
static size_t n_wanted;

/* EVP's functions of an operation, with uniform types. */
struct operation {
	const char *word;
	void *(*fetch)(OSSL_LIB_CTX *ctx, const char *name, const char *properties);
	void (*release)(void *algorithm);
	int (*each_name)(const void *algorithm, void (*f)(const char *name, void *arg), void *arg);
	void (*each)(OSSL_LIB_CTX *ctx, void (*f)(void *algorithm, void *arg), void *arg);
};

#define OPERATION(TYPE)                                                                            \
	{                                                                                          \
#TYPE, (void *(*)(OSSL_LIB_CTX *, const char *, const char *))TYPE##_fetch,        \
			(void (*)(void *))TYPE##_free,                                             \
			(int (*)(const void *, void (*)(const char *, void *),                     \
				 void *))TYPE##_names_do_all,                                      \
			(void (*)(OSSL_LIB_CTX *, void (*)(void *, void *),                        \
				  void *))TYPE##_do_all_provided                                   \
	}

static const struct operation operations[] = {
	OPERATION(EVP_CIPHER),	OPERATION(EVP_MD),	  OPERATION(EVP_MAC),
	OPERATION(EVP_KDF),	OPERATION(EVP_RAND),	  OPERATION(EVP_KEYMGMT),
	OPERATION(EVP_KEYEXCH), OPERATION(EVP_SIGNATURE), OPERATION(EVP_ASYM_CIPHER),
	OPERATION(EVP_KEM),
};

static void want(const char *name, void *operation)
{
	assert_in_range(n_wanted, 0, MAX_NAMES - 1);
	wanted[n_wanted].operation = operation;
	wanted[n_wanted++].name = strdup(name);
}

static void want_all_names(void *algorithm, void *operation)
{
	((const struct operation *)operation)->each_name(algorithm, want, operation);
}

/* Lists OpenSSL's own algorithms, by a library context without kcrypto. */
static void list(void)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	LOCAL(OSSL_PROVIDER) *own = OSSL_PROVIDER_load(ctx, "default");

	assert_non_null(own);
	for (size_t i = 0; i < COUNT(operations); i++)
		operations[i].each(ctx, want_all_names, (void *)(uintptr_t)&operations[i]);
	assert_true(n_wanted > 300);
}

static void forget(void)
{
	for (size_t i = 0; i < n_wanted; i++)
		free(wanted[i].name);
	n_wanted = 0;
}

const struct suite suite = { .arguments = 1, .set_up = list, .tear_down = forget };

static const char *const sections[] = { "default", "legacy", "kcrypto" };

/* Copies kcrypto's section of the configuration that offers all rows, the test's argument. */
static void copy_section(FILE *to)
{
	FILE *f = fopen(arguments[0], "re");
	bool is_in = false;
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		is_in |= strncmp(line, "[kcrypto_section]", 17) == 0;
		if (is_in)
			fputs(line, to);
	}
	assert_true(is_in);
	fclose(f);
}

/* Writes the sections in the order of @order, with or without legacy. */
static char *write_config(const unsigned order[3], bool has_legacy)
{
	static char name[] = "/tmp/order_test.XXXXXX";
	FILE *f;

	strcpy(name + sizeof(name) - 7, "XXXXXX");
	f = fdopen(mkstemp(name), "w");
	assert_non_null(f);
	fputs("openssl_conf = init\n[init]\nproviders = providers\n", f);
	fputs("[providers]\n", f);
	for (size_t i = 0; i < 3; i++)
		if (has_legacy || strcmp(sections[order[i]], "legacy") != 0)
			fprintf(f, "%s = %s_section\n", sections[order[i]], sections[order[i]]);
	fputs("[default_section]\nactivate = 1\n[legacy_section]\nactivate = 1\n", f);
	copy_section(f);
	fclose(f);
	return name;
}

static OSSL_LIB_CTX *configured(const unsigned order[3], bool has_legacy, bool prefers_us)
{
	char *config = write_config(order, has_legacy);
	OSSL_LIB_CTX *ctx = library_with(config);

	unlink(config);
	assert_non_null(ctx);
	if (prefers_us)
		assert_int_equal(EVP_set_default_properties(ctx, "?provider=kcrypto"), 1);
	return ctx;
}

static bool is_found(OSSL_LIB_CTX *ctx, const struct wanted *w, const char *query)
{
	void *algorithm = w->operation->fetch(ctx, w->name, query);

	if (algorithm)
		w->operation->release(algorithm);
	return algorithm != NULL;
}

/*
 * Fetches all names, beginning with @first, as each may be the first that a program asks for.
 * Returns how many are missing.
 */
static unsigned missing(OSSL_LIB_CTX *ctx, const unsigned order[3], size_t first)
{
	unsigned n = 0;

	for (size_t i = 0; i < n_wanted; i++) {
		const struct wanted *w = &wanted[(first + i) % n_wanted];
		bool any = is_found(ctx, w, NULL), own = is_found(ctx, w, "provider=default");

		if (any && own)
			continue;
		fprintf(stderr, "%s, %s, %s, from %zu on: no %s %s%s\n", sections[order[0]],
			sections[order[1]], sections[order[2]], first, w->operation->word, w->name,
			any ? " of the default provider" : "");
		n++;
	}
	ERR_clear_error();
	return n;
}

static const unsigned orders[][3] = {
	{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
};

/* The index of the first cipher, digest, MAC or other algorithm. */
static size_t first_of(size_t operation)
{
	size_t i = 0;

	while (wanted[i].operation != &operations[operation])
		i++;
	return i;
}

TEST(no_algorithm_of_the_default_provider_vanishes)
{
	unsigned n = 0;

	for (size_t i = 0; i < COUNT(orders) * 4; i++) {
		const unsigned *order = orders[i / 4];

		for (size_t first = 0; first < 4; first++) {
			LOCAL(OSSL_LIB_CTX) *ctx = configured(order, i & 1, i & 2);

			n += missing(ctx, order, first_of(first));
		}
	}
	assert_int_equal(n, 0);
}

/* Otherwise the test would prove nothing. */
TEST(we_offer_in_each_order)
{
	for (size_t i = 0; i < COUNT(orders); i++) {
		LOCAL(OSSL_LIB_CTX) *ctx = configured(orders[i], true, true);
		LOCAL(EVP_MD) *md = EVP_MD_fetch(ctx, "SHA256", NULL);
		LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(ctx, "AES-128-ECB", NULL);

		assert_non_null(md);
		assert_non_null(cipher);
		assert_string_equal(OSSL_PROVIDER_get0_name(EVP_MD_get0_provider(md)), "kcrypto");
		assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)),
				    "kcrypto");
	}
}
