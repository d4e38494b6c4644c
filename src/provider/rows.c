/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of what is offered, and the dispatch tables of all rows. OpenSSL tells which algorithm
 * it means only by the function that it calls, so four functions exist once per row, made from the
 * table. All others are shared.
 */
#include "provider/rows.h"

#include "request/aead/aead.h"
#include "request/cipher.h"
#include "request/hash.h"

/* The functions that exist once per row have the same types in each kind. */
struct kind {
	int operation;
	int newctx, get_params, gettable_params, gettable_ctx_params, settable_ctx_params; /* ids */
	void (*add_shared)(struct kc_table *table);
};

static __attribute__((noinline)) void *new_cipher(struct kc_provider *provider, enum kc_alg_id id)
{
	return kc_cipher_new(&kc_base_rows[id].base, provider->offers->policy.row[id]);
}

static __attribute__((noinline)) void *new_aead(struct kc_provider *provider, enum kc_alg_id id)
{
	return kc_aead_new(&kc_base_rows[id].base, provider->offers->policy.row[id]);
}

static __attribute__((noinline)) void *new_digest(struct kc_provider *provider, enum kc_alg_id id)
{
	const struct kc_base_row *row = &kc_base_rows[id];

	return kc_hash_new(&row->base, provider->offers->policy.row[id], row->newctx(row->provctx));
}

#define KIND(operation, name)                                                                      \
	{                                                                                          \
		OSSL_OP_##operation, OSSL_FUNC_##operation##_NEWCTX,                               \
			OSSL_FUNC_##operation##_GET_PARAMS,                                        \
			OSSL_FUNC_##operation##_GETTABLE_PARAMS,                                   \
			OSSL_FUNC_##operation##_GETTABLE_CTX_PARAMS,                               \
			OSSL_FUNC_##operation##_SETTABLE_CTX_PARAMS, kc_##name##_functions         \
	}

static const struct kind kinds[KC_KIND_COUNT] = {
	[KC_CIPHER] = KIND(CIPHER, cipher),
	[KC_AEAD] = KIND(CIPHER, aead),
	[KC_DIGEST] = KIND(DIGEST, digest),
	[KC_MAC] = KIND(MAC, mac),
};

static const struct kind *kind_of(enum kc_alg_id id)
{
	return &kinds[kc_algs[id].kind];
}

static __attribute__((noinline)) const OSSL_PARAM *gettable(enum kc_alg_id id)
{
	kc_function *theirs = kc_base_function(&kc_algs[id], kind_of(id)->gettable_params);

	return ((OSSL_FUNC_cipher_gettable_params_fn *)theirs)(kc_base_row(&kc_algs[id])->provctx);
}

/*
 * @ctx: a context of kcrypto, or NULL. Shared by all rows, because no program is in a hurry for a
 * list.
 */
static const OSSL_PARAM *known_to(const struct kc_alg *alg, int function_id, void *ctx)
{
	kc_function *theirs = kc_base_function(alg, function_id);

	if (ctx)
		ctx = ((struct kc_context *)ctx)->base_ctx;
	return ((OSSL_FUNC_cipher_gettable_ctx_params_fn *)theirs)(ctx, kc_base_row(alg)->provctx);
}

static __attribute__((noinline)) const OSSL_PARAM *gettable_ctx(void *ctx, enum kc_alg_id id)
{
	return known_to(&kc_algs[id], kind_of(id)->gettable_ctx_params, ctx);
}

static __attribute__((noinline)) const OSSL_PARAM *settable_ctx(void *ctx, enum kc_alg_id id)
{
	return known_to(&kc_algs[id], kind_of(id)->settable_ctx_params, ctx);
}

#define ROW(id, new)                                                                               \
	static void *newctx_##id(void *provctx)                                                    \
	{                                                                                          \
		return new (provctx, KC_ALG_##id);                                                 \
	}                                                                                          \
	static const OSSL_PARAM *gettable_##id(void *provctx)                                      \
	{                                                                                          \
		(void)provctx;                                                                     \
		return gettable(KC_ALG_##id);                                                      \
	}                                                                                          \
	static const OSSL_PARAM *gettable_ctx_##id(void *ctx, void *provctx)                       \
	{                                                                                          \
		(void)provctx;                                                                     \
		return gettable_ctx(ctx, KC_ALG_##id);                                             \
	}                                                                                          \
	static const OSSL_PARAM *settable_ctx_##id(void *ctx, void *provctx)                       \
	{                                                                                          \
		(void)provctx;                                                                     \
		return settable_ctx(ctx, KC_ALG_##id);                                             \
	}

#define KC_ROW(id, ...) ROW(id, new_cipher)
#include "core/ciphers.def"
#undef KC_ROW
#define KC_ROW(id, ...) ROW(id, new_aead)
#include "core/aeads.def"
#undef KC_ROW
#define KC_ROW(id, ...)	    ROW(id, new_digest)
#define KC_MAC_ROW(id, ...) ROW(id, kc_mac_new)
#include "core/hashes.def"
#undef KC_ROW

/* Gets its addresses from code: a constant table of them would need relocations. */
static __attribute__((noinline)) void
add_row(struct kc_table *table, OSSL_FUNC_cipher_newctx_fn *new,
	OSSL_FUNC_cipher_gettable_params_fn *gettable_params,
	OSSL_FUNC_cipher_gettable_ctx_params_fn *gettable_ctx_params,
	OSSL_FUNC_cipher_settable_ctx_params_fn *settable_ctx_params)
{
	const struct kind *kind = &kinds[table->alg->kind];

	kc_table_add(table, kind->newctx, (kc_function *)new);
	kc_table_add(table, kind->gettable_params, (kc_function *)gettable_params);
	kc_table_add(table, kind->gettable_ctx_params, (kc_function *)gettable_ctx_params);
	kc_table_add(table, kind->settable_ctx_params, (kc_function *)settable_ctx_params);
	/* Takes no context, so it may be the base's own. */
	kc_table_add(table, kind->get_params, kc_base_function(table->alg, kind->get_params));
}

static void make_table(OSSL_DISPATCH *at, const struct kc_alg *alg)
{
	struct kc_table table = { .alg = alg, .end = at };

	switch ((enum kc_alg_id)(alg - kc_algs)) {
#define KC_ROW(id, ...)                                                                            \
	case KC_ALG_##id:                                                                          \
		add_row(&table, newctx_##id, gettable_##id, gettable_ctx_##id, settable_ctx_##id); \
		break;
#include "core/alg.def"
#undef KC_ROW
	case KC_ALG_COUNT:
		break;
	}
	kinds[alg->kind].add_shared(&table);
	table.end->function_id = 0;
	table.end->function = NULL;
}

/*
 * Uses all of the base's names. If OpenSSL meets us before the default provider, an entry with only
 * one of the names would make an algorithm of its own; then OpenSSL would refuse the default
 * provider's entry, because its names belong to two algorithms.
 */
static OSSL_ALGORITHM make_entry(OSSL_DISPATCH *table, const struct kc_alg *alg, const char *names)
{
	make_table(table, alg);
	return (OSSL_ALGORITHM){ .algorithm_names = names,
				 .property_definition = "provider=kcrypto",
				 .implementation = table };
}

/*
 * Lists rows of one implementation, such as HMAC with several digests, as one entry. Returns the
 * end of the list that begins at @a.
 */
static OSSL_ALGORITHM *list_operation(struct kc_offers *offers, int operation, OSSL_ALGORITHM *a)
{
	const char *last = NULL;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_alg *alg = &kc_algs[i];
		const struct kc_candidate *best = offers->policy.row[i];
		bool ours = kinds[alg->kind].operation == operation && best && best->is_offered;
		const char *names = ours ? kc_base_names(alg) : NULL;

		if (!names || names == last)
			continue;
		*a++ = make_entry(offers->table[offers->n++], alg, names);
		last = names;
	}
	a->algorithm_names = NULL;
	return a + 1;
}

void kc_offers_list(struct kc_offers *offers)
{
	OSSL_ALGORITHM *a = offers->entry;

	offers->n = 0;
	for (int operation = 1; operation < KC_OPERATIONS; operation++) {
		offers->list[operation] = a;
		a = list_operation(offers, operation, a);
	}
}
