/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of HMAC: several messages in one context, in pieces of any length, and copies of it. */
#include "keys/keys_diff.h"

static int do_init(struct twins *t, int side, struct call *call)
{
	const struct round_key *key = call->data;

	if (key && !side)
		return EVP_MAC_init_SKEY(t->mac[side], key->skey, call->params);
	return EVP_MAC_init(t->mac[side], key ? key->bytes : NULL, key ? key->len : 0,
			    call->params);
}

static int do_set(struct twins *t, int side, struct call *call)
{
	return EVP_MAC_CTX_set_params(t->mac[side], call->params);
}

/* Inits with a key, or without one to begin again; the digest is set with it or before. */
static bool init(struct play *p, struct twins *t)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)p->name, 0),
		OSSL_PARAM_construct_end(),
	};
	const struct round_key *key = !t->keyed || one_in(p, 2) ? some_key(p) : NULL;
	bool before = !t->keyed && one_in(p, 2);
	struct call call = { .data = key, .params = key && !before ? params : NULL };

	t->keyed = true;
	return (!before || both(p, t, "digest", do_set, &(struct call){ .params = params })) &&
	       both(p, t, key ? "init" : "restart", do_init, &call);
}

/* Some messages are abandoned. */
static bool message(struct play *p, struct twins *t)
{
	size_t pieces = below(p, 6);
	bool ok = init(p, t);

	while (ok && pieces--)
		ok = hash_step_update(p, t) && (!one_in(p, 6) || keyed_copy(p, t, hash_do_copy));
	return ok && (one_in(p, 8) || (hash_step_final(p, t) && hash_step_ask(p, t)));
}

static bool start(struct play *p, struct twins *t)
{
	if (t == p->twins)
		fill_shared_input(p);
	for (int side = 0; side < 2; side++)
		t->mac[side] = EVP_MAC_CTX_new(p->row->of[side].mac);
	return t->mac[0] && t->mac[1];
}

static void end(struct twins *t)
{
	EVP_MAC_CTX_free(t->mac[0]);
	EVP_MAC_CTX_free(t->mac[1]);
}

const struct kind keyed_mac_kind = { 0, 4, start, message, message, end };
