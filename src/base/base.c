/* SPDX-License-Identifier: Apache-2.0 */
/* Opens OpenSSL's providers privately, and fills the rows with their functions. */
#include "base/base.h"

#include <stddef.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include "core/process.h"

/*
 * The library context is never freed. When a thread that drew random numbers in it ends, OpenSSL
 * calls a function for that context, and a thread may outlive every instance of the module. So the
 * module is never unloaded either, and its next instance finds all this here.
 */
static KC_AT_LOAD bool is_opening;
static KC_AT_LOAD OSSL_LIB_CTX *private_ctx;
static KC_AT_LOAD OSSL_PROVIDER *provider, *legacy;

static void *newctx(const struct kc_base *base)
{
	const struct kc_base_row *row = kc_base_outer(base);

	return row->newctx(row->provctx);
}

/* Where one of the provider's functions goes. */
struct place {
	unsigned char id;
	bool is_optional;
	unsigned short offset; /* bytes from the start of the row */
};

#define PLACE(id, member)                                                                          \
	{                                                                                          \
		OSSL_FUNC_##id, false, offsetof(struct kc_base_row, member)                        \
	}
#define OPTIONAL(id, member)                                                                       \
	{                                                                                          \
		OSSL_FUNC_##id, true, offsetof(struct kc_base_row, member)                         \
	}

static const struct place cipher_places[] = {
	PLACE(CIPHER_NEWCTX, newctx),
	PLACE(CIPHER_FREECTX, base.freectx),
	OPTIONAL(CIPHER_DUPCTX, base.dupctx), /* an AEAD may lack it */
	PLACE(CIPHER_ENCRYPT_INIT, init[KC_ENCRYPT]),
	PLACE(CIPHER_DECRYPT_INIT, init[KC_DECRYPT]),
	PLACE(CIPHER_UPDATE, base.update),
	PLACE(CIPHER_FINAL, base.final),
	PLACE(CIPHER_CIPHER, base.oneshot),
	PLACE(CIPHER_GET_CTX_PARAMS, get_ctx_params),
	PLACE(CIPHER_SET_CTX_PARAMS, set_ctx_params),
	{ 0 },
};

static const struct place digest_places[] = {
	PLACE(DIGEST_NEWCTX, newctx),
	PLACE(DIGEST_FREECTX, base.freectx),
	PLACE(DIGEST_DUPCTX, base.dupctx),
	PLACE(DIGEST_INIT, digest_init),
	PLACE(DIGEST_UPDATE, base.hash_update),
	PLACE(DIGEST_FINAL, base.final),
	OPTIONAL(DIGEST_GET_CTX_PARAMS, get_ctx_params),
	OPTIONAL(DIGEST_SET_CTX_PARAMS, set_ctx_params),
	OPTIONAL(DIGEST_COPYCTX, copyctx),
	OPTIONAL(DIGEST_SERIALIZE, serialize),
	OPTIONAL(DIGEST_DESERIALIZE, deserialize),
	{ 0 },
};

static const struct place mac_places[] = {
	PLACE(MAC_NEWCTX, newctx),
	PLACE(MAC_FREECTX, base.freectx),
	PLACE(MAC_DUPCTX, base.dupctx),
	PLACE(MAC_INIT, mac_init),
	PLACE(MAC_UPDATE, base.hash_update),
	PLACE(MAC_FINAL, base.final),
	PLACE(MAC_GET_CTX_PARAMS, get_ctx_params),
	PLACE(MAC_SET_CTX_PARAMS, set_ctx_params),
	{ 0 },
};

static const struct {
	int operation;
	const struct place *places; /* ended by an id of 0 */
	void (*fill)(struct kc_base_row *row);
	bool needs_inner; /* needs the base of the digest or cipher inside */
} kinds[KC_KIND_COUNT] = {
	[KC_CIPHER] = { OSSL_OP_CIPHER, cipher_places, kc_base_fill_cipher, false },
	[KC_AEAD] = { OSSL_OP_CIPHER, cipher_places, kc_base_fill_aead, false },
	[KC_DIGEST] = { OSSL_OP_DIGEST, digest_places, kc_base_fill_hash, false },
	[KC_MAC] = { OSSL_OP_MAC, mac_places, kc_base_fill_mac, true },
};

/* Compares first names first, because comparing with all names takes much longer. */
static const OSSL_ALGORITHM *find(const OSSL_ALGORITHM *theirs, const char *name)
{
	size_t len = strlen(name);

	for (const OSSL_ALGORITHM *a = theirs; a && a->algorithm_names; a++)
		if (strncmp(a->algorithm_names, name, len) == 0 &&
		    strcspn(a->algorithm_names + len, ":") == 0)
			return a;
	for (const OSSL_ALGORITHM *a = theirs; a && a->algorithm_names; a++)
		if (kc_names_have(a->algorithm_names, name))
			return a;
	return NULL;
}

static OSSL_PROVIDER *provider_of(const struct kc_alg *alg)
{
	if (alg->legacy)
		return legacy;
	return provider;
}

/*
 * Every OpenSSL from 3.0 to 4.0 passes its own library context as this handle. NULL means this
 * thread's default context now; later or in another thread it may mean another one, which may be
 * freed.
 */
OSSL_LIB_CTX *kc_base_core_context(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *functions)
{
	kc_function *get = kc_function_of(functions, OSSL_FUNC_CORE_GET_LIBCTX);
	OPENSSL_CORE_CTX *ctx = NULL;

	if (get)
		ctx = ((OSSL_FUNC_core_get_libctx_fn *)get)(handle);
	if (!ctx)
		return OSSL_LIB_CTX_set0_default(NULL);
	return (OSSL_LIB_CTX *)ctx;
}

struct sought {
	const char *name;
	OSSL_PROVIDER *found;
};

static int look_at(OSSL_PROVIDER *one, void *arg)
{
	struct sought *sought = arg;

	if (strcmp(OSSL_PROVIDER_get0_name(one), sought->name) == 0)
		sought->found = one;
	return 1;
}

/* Not OSSL_PROVIDER_available(), which changes the order of the providers in 3.0. */
OSSL_PROVIDER *kc_base_find_active(OSSL_LIB_CTX *ctx, const char *name)
{
	struct sought sought = { .name = name };

	OSSL_PROVIDER_do_all(ctx, look_at, &sought);
	return sought.found;
}

/* Fills a row. False: a function that we need is missing. */
static bool take(struct kc_base_row *row, const struct kc_alg *alg, const OSSL_ALGORITHM *theirs)
{
	*row = (struct kc_base_row){ .provctx = OSSL_PROVIDER_get0_provider_ctx(provider_of(alg)) };
	for (const struct place *p = kinds[alg->kind].places; p->id; p++) {
		kc_function *f = kc_function_of(theirs->implementation, p->id);

		if (!f && !p->is_optional)
			return false;
		*(kc_function **)((char *)row + p->offset) = f;
	}
	row->base.alg = alg;
	row->base.newctx = newctx;
	kinds[alg->kind].fill(row);
	if (kinds[alg->kind].needs_inner && !kc_base_get(&kc_algs[alg->inner]))
		return false;
	return row->base.whole && (row->base.dupctx || alg->kind == KC_AEAD);
}

static void seek(struct kc_base_row *row, const struct kc_alg *alg)
{
	static const OSSL_ALGORITHM none;
	OSSL_PROVIDER *from = provider_of(alg);
	const OSSL_ALGORITHM *theirs = NULL;
	int no_cache = 0;

	if (from)
		theirs = OSSL_PROVIDER_query_operation(from, kinds[alg->kind].operation, &no_cache);
	theirs = find(theirs, alg->mac[0] ? alg->mac : kc_alg_name(alg));
	if (!theirs || !take(row, alg, theirs))
		theirs = &none;
	row->theirs = theirs;
}

/* The child may have contexts of the parent's other threads, so the functions stay. */
static void forget(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_base_rows[i].theirs = NULL;
	private_ctx = NULL;
	provider = legacy = NULL;
}

static void open_private(void)
{
	private_ctx = OSSL_LIB_CTX_new();
	if (private_ctx)
		provider = OSSL_PROVIDER_load(private_ctx, "default");
	if (provider)
		return;
	OSSL_LIB_CTX_free(private_ctx);
	private_ctx = NULL;
}

/* The legacy provider is a module that may be absent; then its rows are absent, too. */
static void open_legacy(void)
{
	legacy = OSSL_PROVIDER_load(private_ctx, "legacy");
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_algs[i].legacy)
			kc_base_rows[i].theirs = NULL;
}

int kc_base_open(bool with_legacy)
{
	ERR_set_mark();
	/*
	 * A thread of the parent was in the middle of this when it forked, and may have held
	 * libcrypto's locks, which now stay held for ever.
	 */
	if (is_opening)
		forget();
	is_opening = true;
	if (!provider)
		open_private();
	if (provider && with_legacy && !legacy)
		open_legacy();
	is_opening = false;
	ERR_pop_to_mark();
	return provider != NULL;
}

const char *kc_base_names(const struct kc_alg *alg)
{
	struct kc_base_row *row = &kc_base_rows[alg - kc_algs];

	if (!row->theirs)
		seek(row, alg);
	return row->theirs->algorithm_names;
}

kc_function *kc_base_function(const struct kc_alg *alg, int function_id)
{
	return kc_function_of(kc_base_row(alg)->theirs->implementation, function_id);
}

const struct kc_base *kc_base_get(const struct kc_alg *alg)
{
	if (!kc_base_names(alg))
		return NULL;
	return &kc_base_row(alg)->base;
}
