/* SPDX-License-Identifier: Apache-2.0 */
/* Opens OpenSSL's providers privately and has each row take its functions, by kind. */
#include "base/base.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include "base/kinds.h"

static unsigned users;
static bool is_opening;
static OSSL_LIB_CTX *private_ctx;
static OSSL_PROVIDER *provider, *legacy;
/* Theirs, looked for when somebody asks for one; they stay while in use; NULL: not there. */
static struct row {
	const OSSL_ALGORITHM *theirs;
	bool was_sought;
} rows[KC_ALG_COUNT];

static const struct kc_base *get_cipher(const struct kc_alg *alg)
{
	return &kc_base_cipher(alg)->core.common;
}

static const struct kc_base *get_aead(const struct kc_alg *alg)
{
	return &kc_base_aead(alg)->core.common;
}

static const struct kc_base *get_digest(const struct kc_alg *alg)
{
	return &kc_base_digest(alg)->core.common;
}

static const struct kc_base *get_mac(const struct kc_alg *alg)
{
	return &kc_base_mac(alg)->core.common;
}

static const struct {
	int operation;
	bool (*take)(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx);
	const struct kc_base *(*get)(const struct kc_alg *alg);
} kinds[KC_KIND_COUNT] = {
	[KC_CIPHER] = { OSSL_OP_CIPHER, kc_base_take_cipher, get_cipher },
	[KC_AEAD] = { OSSL_OP_CIPHER, kc_base_take_aead, get_aead },
	[KC_DIGEST] = { OSSL_OP_DIGEST, kc_base_take_digest, get_digest },
	[KC_MAC] = { OSSL_OP_MAC, kc_base_take_mac, get_mac },
};

static const OSSL_ALGORITHM *query(OSSL_PROVIDER *from, int operation)
{
	int no_cache = 0;

	return OSSL_PROVIDER_query_operation(from, operation, &no_cache);
}

/* Most have the same first name; to compare all names with all takes 20 times as long. */
static const OSSL_ALGORITHM *find(const OSSL_ALGORITHM *theirs, const char *names)
{
	size_t n = strcspn(names, ":");

	for (const OSSL_ALGORITHM *a = theirs; a && a->algorithm_names; a++)
		if (a->algorithm_names[0] == names[0] &&
		    strncmp(a->algorithm_names, names, n) == 0 &&
		    (a->algorithm_names[n] == ':' || !a->algorithm_names[n]))
			return a;
	for (const OSSL_ALGORITHM *a = theirs; a && a->algorithm_names; a++)
		if (kc_names_share(names, a->algorithm_names))
			return a;
	return NULL;
}

static OSSL_PROVIDER *provider_of(const struct kc_alg *alg)
{
	return alg->legacy ? legacy : provider;
}

static const OSSL_ALGORITHM *seek(const struct kc_alg *alg)
{
	OSSL_PROVIDER *from = provider_of(alg);
	const OSSL_ALGORITHM *theirs = NULL;

	if (from)
		theirs = find(query(from, kinds[alg->kind].operation),
			      alg->mac[0] ? alg->mac : alg->names);
	return theirs && kinds[alg->kind].take(alg, theirs, kc_base_provctx(alg)) ? theirs : NULL;
}

static void shut(void)
{
	if (legacy)
		OSSL_PROVIDER_unload(legacy);
	OSSL_PROVIDER_unload(provider);
	OSSL_LIB_CTX_free(private_ctx);
	memset(rows, 0, sizeof(rows));
	provider = legacy = NULL;
	private_ctx = NULL;
}

static int open_private(void)
{
	private_ctx = OSSL_LIB_CTX_new();
	if (private_ctx)
		provider = OSSL_PROVIDER_load(private_ctx, "default");
	if (!provider)
		shut();
	return provider != NULL;
}

/* A module: it may be absent, and then its rows are. */
static void open_legacy(void)
{
	legacy = OSSL_PROVIDER_load(private_ctx, "legacy");
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		rows[i].was_sought &= !kc_algs[i].legacy;
}

/* Half done by a thread of the process that forked this one: its locks may be held for ever. */
static void abandon(void)
{
	private_ctx = NULL;
	provider = legacy = NULL;
	memset(rows, 0, sizeof(rows));
}

int kc_base_open(bool with_legacy)
{
	int ok;

	ERR_set_mark();
	if (is_opening)
		abandon();
	is_opening = true;
	ok = provider || open_private();
	if (ok && with_legacy && !legacy)
		open_legacy();
	is_opening = false;
	users += (unsigned)ok;
	ERR_pop_to_mark();
	return ok;
}

void kc_base_close(void)
{
	if (users && --users == 0)
		shut();
}

const char *kc_base_names(const struct kc_alg *alg)
{
	struct row *row = &rows[alg - kc_algs];

	if (!row->was_sought) {
		row->theirs = seek(alg);
		row->was_sought = true;
	}
	return row->theirs ? row->theirs->algorithm_names : NULL;
}

kc_function *kc_base_function(const struct kc_alg *alg, int function_id)
{
	const OSSL_DISPATCH *d = rows[alg - kc_algs].theirs->implementation;

	while (d->function_id && d->function_id != function_id)
		d++;
	return d->function;
}

void *kc_base_provctx(const struct kc_alg *alg)
{
	return OSSL_PROVIDER_get0_provider_ctx(provider_of(alg));
}

const struct kc_base *kc_base_get(const struct kc_alg *alg)
{
	return kc_base_names(alg) ? kinds[alg->kind].get(alg) : NULL;
}
