/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing is fetched once the offer has been made: a trial, a comparison or a replay may run in an
 * exit handler after OpenSSL's own, in a child of a process with threads, or while the application
 * holds a lock of libcrypto. This program has libcrypto linked in, and the linker replaces the
 * functions that look for algorithms and providers by this program's, also where libcrypto itself
 * calls them for kcrypto. The default provider and kcrypto run the lives of all rows; kcrypto's
 * calls may fetch no more than the same calls of the default provider. usage: unfetched_test
 * CONFIG...
 */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>

#include <openssl/provider.h>

#include "integration/lives/loaded.h"
#include "integration/lives/script.h"

static unsigned asked; /* number of fetches, by the step that is running */
static const char *what_of_ours;

static void note(const char *what)
{
	asked++;
	what_of_ours = what;
}

/*
 * For each function, the linker calls this program's version __wrap_, and libcrypto's __real_. All
 * fetches of EVP go through evp_generic_fetch().
 */
#define WRAP(type, name, params, args)                                                             \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		note(#name);                                                                       \
		return __real_##name args;                                                         \
	}

WRAP(void *, evp_generic_fetch,
     (OSSL_LIB_CTX * ctx, int operation, const char *name, const char *properties,
      void (*new)(void), void (*up_ref)(void), void (*free)(void)),
     (ctx, operation, name, properties, new, up_ref, free))
WRAP(OSSL_PROVIDER *, OSSL_PROVIDER_load, (OSSL_LIB_CTX * ctx, const char *name), (ctx, name))
WRAP(OSSL_PROVIDER *, OSSL_PROVIDER_try_load, (OSSL_LIB_CTX * ctx, const char *name, int retain),
     (ctx, name, retain))
WRAP(int, OSSL_PROVIDER_available, (OSSL_LIB_CTX * ctx, const char *name), (ctx, name))
WRAP(int, OSSL_PROVIDER_unload, (OSSL_PROVIDER * provider), (provider))
WRAP(int, OSSL_PROVIDER_do_all, (OSSL_LIB_CTX * ctx, int (*f)(OSSL_PROVIDER *, void *), void *arg),
     (ctx, f, arg))
WRAP(const OSSL_ALGORITHM *, OSSL_PROVIDER_query_operation,
     (const OSSL_PROVIDER *provider, int operation, int *no_store), (provider, operation, no_store))
WRAP(void *, OSSL_PROVIDER_get0_provider_ctx, (const OSSL_PROVIDER *provider), (provider))

const struct suite suite = { .arguments = 1 };

static struct both {
	struct row_of of[2]; /* kcrypto's, the default provider's */
	bool is_there;
} rows[KC_ALG_COUNT];

static unsigned step(struct player *p, char letter)
{
	asked = 0;
	player_step(p, letter);
	return asked;
}

static void play(const struct kc_alg *alg, const char *life, int enc)
{
	static struct player ours, theirs;
	const struct both *row = &rows[alg - kc_algs];

	player_begin(&ours, alg, &row->of[0], enc);
	player_begin(&theirs, alg, &row->of[1], enc);
	for (const char *letter = life; *letter; letter++) {
		unsigned allowed = step(&theirs, *letter), did = step(&ours, *letter);

		if (did > allowed)
			fail_msg("%s: '%c' of %s asks %u times, not %u; the last time by %s",
				 kc_alg_name(alg), *letter, life, did, allowed, what_of_ours);
	}
	assert_true(player_same(&ours, &theirs));
	player_end(&ours);
	player_end(&theirs);
}

static void play_all(const struct kc_alg *alg)
{
	if (kc_alg_is_hash(alg))
		return play(alg, "NiabfiacfiabCdfDeR", 1);
	for (int enc = 0; enc < 2; enc++)
		play(alg,
		     alg->kind == KC_CIPHER ? "NBsLILbULPFR" :
		     alg->family == KC_CCM  ? "NkufipfxufKufxpfKufR" :
					      "NkufipfxufihhfKufxpfiufR",
		     enc);
}

/* All is fetched before the first context. */
TEST(a_context_of_ours_looks_for_nothing)
{
	size_t n = 0;

	load();
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct both *row = &rows[i];

		row->is_there = row_fetch_both(lib, &kc_algs[i], &row->of[0], &row->of[1]);
		n += row->is_there;
	}
	assert_true(n > 10);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (rows[i].is_there)
			play_all(&kc_algs[i]);
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (!rows[i].is_there)
			continue;
		assert_true(requests(i) > 0);
		row_release(&rows[i].of[0]);
		row_release(&rows[i].of[1]);
	}
	unload();
}
