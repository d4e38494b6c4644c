/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's functions of digests and MACs: the base answers, after it has been given a message that
 * the core keeps. Update and final are the core's own. ctx is a struct kc_hash.
 *
 * A MAC is one implementation for all its rows: a context's row is known once it has its digest or
 * cipher and its key. Any other setting (the length of a TLS record, a property query for the
 * digest) leaves everything to the base.
 */
#include "provider/rows.h"

#include <stdatomic.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/param.h"
#include "request/hash.h"

static int digest_init(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;
	bool is_plain = !params || !params->key;

	/* The base may begin a message before it refuses a parameter, so it needs the last one. */
	if (!is_plain)
		kc_hash_catch_up(h);
	if (!kc_base_outer(h->base)->digest_init(h->base_ctx, params)) {
		kc_hash_catch_up(h);
		return 0;
	}
	/* A parameter may change it into another digest. */
	kc_hash_started(h, is_plain);
	return 1;
}

/* None of the answers depends on the message. */
static int get_hash_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	return kc_base_outer(h->base)->get_ctx_params(h->base_ctx, params);
}

static int set_digest_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	if (!kc_hash_catch_up(h))
		return 0;
	return kc_base_outer(h->base)->set_ctx_params(h->base_ctx, params);
}

static void copyctx(void *to, void *from)
{
	const struct kc_hash *source = from;
	struct kc_hash *copy = to;

	if (to == from)
		return;
	kc_base_outer(source->base)->copyctx(copy->base_ctx, source->base_ctx);
	kc_hash_copy(copy, source);
}

static int serialize_digest(void *ctx, unsigned char *out, size_t *outl)
{
	struct kc_hash *h = ctx;

	if (!kc_hash_catch_up(h))
		return 0;
	return kc_base_outer(h->base)->serialize(h->base_ctx, out, outl);
}

static int deserialize(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_hash *h = ctx;

	/* The base continues with another message, or with its own if it refuses that one. */
	if (!kc_hash_catch_up(h))
		return 0;
	return kc_base_outer(h->base)->deserialize(h->base_ctx, in, len);
}

void kc_digest_functions(struct kc_table *t)
{
	KC_TABLE_ADD(t, DIGEST_FREECTX, digest_freectx, kc_hash_free);
	KC_TABLE_ADD(t, DIGEST_DUPCTX, digest_dupctx, kc_hash_dup);
	KC_TABLE_ADD(t, DIGEST_INIT, digest_init, digest_init);
	KC_TABLE_ADD_COUNTED(t, DIGEST_UPDATE, digest_update, kc_hash_update,
			     kc_counted_hash_update);
	KC_TABLE_ADD_COUNTED(t, DIGEST_FINAL, digest_final, kc_hash_final, kc_counted_hash_final);
	KC_TABLE_ADD(t, DIGEST_GET_CTX_PARAMS, digest_get_ctx_params, get_hash_params);
	KC_TABLE_ADD(t, DIGEST_SET_CTX_PARAMS, digest_set_ctx_params, set_digest_params);
	KC_TABLE_ADD(t, DIGEST_COPYCTX, digest_copyctx, copyctx);
	KC_TABLE_ADD(t, DIGEST_SERIALIZE, digest_serialize, serialize_digest);
	KC_TABLE_ADD(t, DIGEST_DESERIALIZE, digest_deserialize, deserialize);
}

/*
 * The base would look for digests in its own library context, which lacks those that the
 * application has from other providers. So its context is made like those of the application's
 * default provider.
 */
void *kc_mac_new(struct kc_provider *provider, enum kc_alg_id id)
{
	const struct kc_base_row *row = &kc_base_rows[id];
	void *theirs = provider->mac_provctx;
	struct kc_hash *h;

	if (!theirs)
		theirs = row->provctx;
	h = kc_hash_new(&row->base, NULL, row->newctx(theirs));
	if (h)
		h->rows = provider->offers->policy.row;
	return h;
}

/* True if @row is the MAC @of with this digest or cipher, spelled exactly as in the table. */
static bool is_written_so(const struct kc_alg *row, const struct kc_alg *of, const char *name)
{
	if (memcmp(row->mac, of->mac, sizeof(of->mac)) != 0)
		return false;
	return strcmp(kc_alg_name(&kc_algs[row->inner]), name) == 0;
}

/*
 * Returns the base of the MAC @of with the digest or cipher of this name; NULL if there is no row.
 * Every row of a MAC has its functions: kc_mac_functions() got them.
 */
static const struct kc_base *find_base(const struct kc_alg *of, const char *name)
{
	/* A program uses the same one again and again, and most spell it as the table does. */
	static _Atomic(const struct kc_base *) last;
	const struct kc_base *base = atomic_load_explicit(&last, memory_order_relaxed);
	const struct kc_alg *row;

	if (base && is_written_so(base->alg, of, name))
		return base;
	if (base && kc_alg_is_mac(base->alg, of->mac, name))
		return base;
	row = kc_alg_find_mac(of->mac, name);
	if (!row)
		return NULL;
	base = &kc_base_row(row)->base;
	atomic_store_explicit(&last, base, memory_order_relaxed);
	return base;
}

/* Records all settings; returns the key if it is among them. */
static const OSSL_PARAM *read_mac_params(struct kc_hash *h, const OSSL_PARAM params[])
{
	const OSSL_PARAM *key = NULL;

	for (const OSSL_PARAM *p = params; p->key; p++) {
		bool is_inner = strcmp(p->key, OSSL_MAC_PARAM_DIGEST) == 0 ||
				strcmp(p->key, OSSL_MAC_PARAM_CIPHER) == 0;

		if (p != params && kc_param_find(params, p->key) != p)
			h->alone = true;
		else if (is_inner && p->data_type == OSSL_PARAM_UTF8_STRING && p->data)
			h->next = find_base(h->base->alg, p->data);
		else if (strcmp(p->key, OSSL_MAC_PARAM_KEY) == 0)
			key = p;
		else
			h->alone = true;
	}
	return key;
}

#define MOST_PARAMS 6 /* programs set two or three */

/*
 * True if the base will fetch the digest or cipher inside, for a row that is offered and has no
 * blocks.
 */
static bool names_ours(const struct kc_hash *h, const OSSL_PARAM params[])
{
	const struct kc_candidate *c;

	if (!params || !h->next || h->alone)
		return false;
	c = h->rows[h->next->alg - kc_algs];
	if (!c || !c->is_offered)
		return false;
	if (kc_candidate_in_blocks(h->rows[h->next->alg->inner]))
		return false;
	if (kc_param_find(params, OSSL_MAC_PARAM_DIGEST))
		return true;
	return kc_param_find(params, OSSL_MAC_PARAM_CIPHER);
}

/*
 * Returns the parameters for the base. The properties by which a program gets kcrypto's MAC would
 * also get the base kcrypto's digest: two contexts of kcrypto for one message, and the inner one
 * gains nothing unless it does blocks. So the base gets a query for the default provider, unless
 * the program set one. @room: for MOST_PARAMS and two more.
 */
static const OSSL_PARAM *for_base(const struct kc_hash *h, const OSSL_PARAM params[],
				  OSSL_PARAM *room)
{
	static char query[] = "?provider=default";
	size_t n = 0;

	if (!names_ours(h, params))
		return params;
	for (; params[n].key && n < MOST_PARAMS; n++)
		room[n] = params[n];
	if (params[n].key)
		return params;
	room[n] = (OSSL_PARAM)OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_PROPERTIES, query,
						     sizeof(query) - 1);
	room[n + 1] = (OSSL_PARAM)OSSL_PARAM_END;
	return room;
}

/* True if the key fits the row that the settings lead to. */
static bool fits_row(const struct kc_hash *h, const uint8_t *key, size_t len)
{
	unsigned wanted;

	if (!h->next || h->alone)
		return false;
	if (!key || !len || len > KC_MAX_MAC_KEY)
		return false;
	wanted = h->next->alg->key_len;
	return !wanted || wanted == len;
}

static void take_mac_key(struct kc_hash *h, const uint8_t *key, size_t len)
{
	if (fits_row(h, key, len))
		kc_hash_set_key(h, h->next, h->rows[h->next->alg - kc_algs], key, len);
	else
		kc_hash_set_key(h, NULL, NULL, NULL, 0);
}

/* The base may have taken any part of the parameters. */
static int failed(struct kc_hash *h, const OSSL_PARAM params[])
{
	kc_hash_catch_up(h);
	take_mac_key(h, NULL, 0);
	if (params && params->key)
		h->alone = true;
	return 0;
}

static int mac_init(void *ctx, const unsigned char *key, size_t len, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;
	const OSSL_PARAM *param = NULL;
	OSSL_PARAM room[MOST_PARAMS + 2];

	if (params)
		param = read_mac_params(h, params);
	/* The base may take a key and refuse another parameter: as in digest_init(). */
	if (h->alone)
		kc_hash_catch_up(h);
	if (!kc_base_outer(h->base)->mac_init(h->base_ctx, key, len, for_base(h, params, room)))
		return failed(h, params);
	if (param)
		take_mac_key(h, param->data, param->data_size);
	if (key)
		take_mac_key(h, key, len);
	kc_hash_started(h, !h->alone);
	return 1;
}

static int set_mac_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;
	const OSSL_PARAM *param = NULL;
	OSSL_PARAM room[MOST_PARAMS + 2];
	bool is_behind;

	if (params)
		param = read_mac_params(h, params);
	/* After the end of a message, a digest or key for the next one is all that is usual. */
	is_behind = h->state == KC_HASH_KEPT || (h->alone && h->state != KC_HASH_LOST);
	if (is_behind && !kc_hash_catch_up(h))
		return 0;
	if (!kc_base_outer(h->base)->set_ctx_params(h->base_ctx, for_base(h, params, room)))
		return failed(h, params);
	if (param) {
		take_mac_key(h, param->data, param->data_size);
		kc_hash_started(h, !h->alone);
	}
	return 1;
}

void kc_mac_functions(struct kc_table *t)
{
	/* A key may be for any row of a MAC, whether that row is offered or not. */
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_algs[i].kind == KC_MAC)
			kc_base_get(&kc_algs[i]);
	KC_TABLE_ADD(t, MAC_FREECTX, mac_freectx, kc_hash_free);
	KC_TABLE_ADD(t, MAC_DUPCTX, mac_dupctx, kc_hash_dup);
	KC_TABLE_ADD(t, MAC_INIT, mac_init, mac_init);
	KC_TABLE_ADD_COUNTED(t, MAC_UPDATE, mac_update, kc_hash_update, kc_counted_hash_update);
	KC_TABLE_ADD_COUNTED(t, MAC_FINAL, mac_final, kc_hash_final, kc_counted_hash_final);
	KC_TABLE_ADD(t, MAC_GET_CTX_PARAMS, mac_get_ctx_params, get_hash_params);
	KC_TABLE_ADD(t, MAC_SET_CTX_PARAMS, mac_set_ctx_params, set_mac_params);
}
