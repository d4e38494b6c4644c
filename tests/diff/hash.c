/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential test of digests and MACs: random sequences of everything that EVP can do to a
 * context, valid or not, run on the default provider and on kcrypto and compared after each step.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "diff/kinds.h"

#define LONGEST 140000
#define MAX_KEY 200

static int do_init(struct twins *t, int side, struct call *call)
{
	if (t->mac[side])
		return EVP_MAC_init(t->mac[side], call->key, call->key_len, call->params);
	return EVP_DigestInit_ex2(t->md[side], t->play->row->of[side].md, call->params);
}

/* The digest or cipher for a MAC: mostly its row's, sometimes another one. */
static const char *some_inner(struct play *p)
{
	static const char *const others[] = {
		"SHA2-512", "sha1",	   "AES-192-CBC",	    "SHA512-256",
		"KECCAK-9", "AES-128-CTR", "2.16.840.1.101.3.4.2.1"
	};

	if (below(p, 4))
		return kc_alg_name(&kc_algs[p->row->alg->inner]);
	return others[below(p, sizeof(others) / sizeof(others[0]))];
}

#define MAX_PARAMS 6

static size_t tls_size = 4000;

/*
 * Fills in the digest or cipher, and seldom a key, a property query or the length of a TLS record;
 * or that length as no number, which the base refuses after it has taken the rest.
 */
static void fill_params(struct play *p, OSSL_PARAM *params, const unsigned char *key)
{
	static const char *const queries[] = { "", "provider=default", "?provider=kcrypto",
					       "provider=none" };
	char *inner = (char *)(uintptr_t)some_inner(p), *query;
	OSSL_PARAM *at = params;

	if (below(p, 8))
		*at++ = OSSL_PARAM_construct_utf8_string(
			p->row->alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST, inner,
			0);
	if (one_in(p, 8))
		*at++ = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY,
							  (void *)(uintptr_t)key, below(p, 70));
	if (one_in(p, 20)) {
		query = (char *)(uintptr_t)queries[below(p, 4)];
		*at++ = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, query, 0);
	}
	if (one_in(p, 40))
		*at++ = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, &tls_size);
	if (one_in(p, 16))
		*at++ = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_TLS_DATA_SIZE, &tls_size,
							  sizeof(tls_size));
	*at = OSSL_PARAM_construct_end();
}

static bool names_tls(const OSSL_PARAM *params)
{
	const OSSL_PARAM *size = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_TLS_DATA_SIZE);

	return size && size->data_type == OSSL_PARAM_UNSIGNED_INTEGER;
}

static size_t some_key_len(struct play *p)
{
	if (p->row->alg->key_len && below(p, 8))
		return p->row->alg->key_len;
	return below(p, below(p, 3) ? 65 : MAX_KEY);
}

/*
 * SHA-1's own parameter finishes an SSL 3 message, and fails if it has another length. Other
 * digests do not know it.
 */
static void fill_secret(struct play *p, OSSL_PARAM *params, unsigned char *bytes)
{
	params[0] = OSSL_PARAM_construct_octet_string("ssl3-ms", bytes, one_in(p, 2) ? 48 : 47);
}

static bool step_init(struct play *p, struct twins *t)
{
	unsigned char key[MAX_KEY];
	OSSL_PARAM params[MAX_PARAMS] = { OSSL_PARAM_END };
	struct call call = { .key_len = 0 };

	random_bytes(&p->random, key, sizeof(key)); /* also where the key is only a parameter */
	if (t->mac[0] && below(p, 4)) {
		call.key = key;
		call.key_len = some_key_len(p);
	}
	if (t->mac[0] && below(p, 3)) {
		fill_params(p, params, key);
		call.params = params;
		t->tls |= names_tls(params);
	}
	if (t->md[0] && one_in(p, 8)) {
		fill_secret(p, params, key);
		call.params = params;
	}
	return both(p, t, call.key ? "init with key" : "init", do_init, &call);
}

static int do_set(struct twins *t, int side, struct call *call)
{
	if (t->mac[side])
		return EVP_MAC_CTX_set_params(t->mac[side], call->params);
	return EVP_MD_CTX_set_params(t->md[side], call->params);
}

static bool step_set(struct play *p, struct twins *t)
{
	unsigned char key[MAX_KEY];
	OSSL_PARAM params[MAX_PARAMS] = { OSSL_PARAM_END };
	struct call call = { .params = params };

	random_bytes(&p->random, key, sizeof(key));
	if (t->mac[0])
		fill_params(p, params, key);
	else
		fill_secret(p, params, key);
	t->tls |= names_tls(params);
	return both(p, t, "set params", do_set, &call);
}

static int do_update(struct twins *t, int side, struct call *call)
{
	if (t->mac[side])
		return EVP_MAC_update(t->mac[side], call->in[0], call->len);
	return EVP_DigestUpdate(t->md[side], call->in[0], call->len);
}

/* Repeats the update call->number times. */
static int do_updates(struct twins *t, int side, struct call *call)
{
	int ok = 1;

	for (int i = 0; ok > 0 && i < call->number; i++)
		ok = do_update(t, side, call);
	return ok;
}

/*
 * The number of pieces, which have one length. Sometimes there are so many that the message becomes
 * a stream.
 */
static int some_number(struct play *p, size_t len)
{
	size_t most = play_stream / (len + 1);

	return one_in(p, 300) ? (int)below(p, most < 2000 ? most : 2000) : 1;
}

/* Sometimes as long as the part of a message that kcrypto holds back. */
static size_t message_length(struct play *p)
{
	size_t held = play_longest < 65536 ? play_longest : 65536;

	return one_in(p, 12) ? held : some_length(p, LONGEST);
}

bool hash_step_update(struct play *p, struct twins *t)
{
	struct call call = { .in = { p->in[0] + some_place(p, 64) },
			     .len = message_length(p),
			     .number = 1 };

	/* A TLS record has a header of 13 bytes, and is no longer than was declared. */
	if (t->tls)
		call.len = below(p, 3) ? 13 : 3000;
	else
		call.number = some_number(p, call.len);
	return both(p, t, "update", do_updates, &call);
}

/* The length is set after a success only. */
static int do_final(struct twins *t, int side, struct call *call)
{
	unsigned char *out = call->got[side].out;
	size_t len = 0;
	unsigned n = 0;
	int ok = t->mac[side] ? EVP_MAC_final(t->mac[side], out, &len, (size_t)call->number) :
				EVP_DigestFinal_ex(t->md[side], out, &n);

	call->got[side].len = ok > 0 ? len + n : 0;
	return ok;
}

static int do_final_xof(struct twins *t, int side, struct call *call)
{
	if (t->mac[side])
		return EVP_MAC_finalXOF(t->mac[side], call->got[side].out, (size_t)call->number);
	return EVP_DigestFinalXOF(t->md[side], call->got[side].out, (size_t)call->number);
}

bool hash_step_final(struct play *p, struct twins *t)
{
	size_t wrong = below(p, 12);
	struct call call = { .number = (int)(wrong ? EVP_MAX_MD_SIZE : below(p, EVP_MAX_MD_SIZE)) };

	if (wrong == 1)
		return both(p, t, "final XOF", do_final_xof, &call);
	return both(p, t, "final", do_final, &call);
}

static int do_ask(struct twins *t, int side, struct call *call)
{
	const size_t sizes[] = {
		t->mac[side] ? EVP_MAC_CTX_get_mac_size(t->mac[side]) :
			       (size_t)EVP_MD_CTX_get_size(t->md[side]),
		t->mac[side] ? EVP_MAC_CTX_get_block_size(t->mac[side]) : 0,
	};

	memcpy(call->got[side].out, sizes, sizeof(sizes));
	return 1;
}

bool hash_step_ask(struct play *p, struct twins *t)
{
	return both(p, t, "ask for sizes", do_ask, &(struct call){ .len = 0 });
}

int hash_do_copy(struct twins *t, int side, struct call *call)
{
	EVP_MAC_CTX *copy;

	if (!t->mac[side])
		return EVP_MD_CTX_copy_ex(t->md[side], call->from->md[side]);
	copy = EVP_MAC_CTX_dup(call->from->mac[side]);
	if (!copy)
		return 0;
	EVP_MAC_CTX_free(t->mac[side]);
	t->mac[side] = copy;
	return 1;
}

static bool step_copy(struct play *p, struct twins *from)
{
	struct twins *to = &p->twins[below(p, CONTEXTS)];

	if (to == from)
		return true;
	/* Sometimes copies to a context that has no algorithm yet. */
	if (to->md[0] && below(p, 2)) {
		EVP_MD_CTX_reset(to->md[0]);
		EVP_MD_CTX_reset(to->md[1]);
	}
	to->tls = from->tls;
	return both(p, to, "copy", hash_do_copy, &(struct call){ .from = from });
}

#if OPENSSL_VERSION_NUMBER >= 0x40000000L
/* Serializes a state. The bytes behind the unfinished block may come from any earlier message. */
static int do_write(struct twins *t, int side, struct call *call)
{
	size_t *n = &call->got[side].len;

	return EVP_MD_CTX_serialize(t->md[side], NULL, n) && *n <= MARGIN + play_longest &&
	       EVP_MD_CTX_serialize(t->md[side], t->play->out[side], n);
}

static int do_read(struct twins *t, int side, struct call *call)
{
	return EVP_MD_CTX_deserialize(t->md[side], t->play->out[!side], call->len);
}

/*
 * Each context serializes its state, and the other one reads the bytes in the middle of a message.
 * Sometimes some bytes are missing.
 */
static bool step_serialize(struct play *p, struct twins *t)
{
	struct twins *to = &p->twins[below(p, CONTEXTS)];
	struct call written = { .len = 0 }, read = written;

	if (t->mac[0])
		return true;
	if (!both(p, t, "write", do_write, &written))
		return false;
	read.len = written.got[0].len - one_in(p, 8);
	return !p->ok || (step_init(p, to) && hash_step_update(p, to) &&
			  both(p, to, "read", do_read, &read) && hash_step_update(p, to) &&
			  hash_step_final(p, to));
}
#else
static bool step_serialize(struct play *p, struct twins *t)
{
	return p && t; /* serialization begins with OpenSSL 4.0 */
}
#endif

static int do_whole(struct twins *t, int side, struct call *call)
{
	unsigned n = 0;
	int ok;

	if (t->mac[side])
		return do_init(t, side, call) && do_update(t, side, call) &&
		       do_final(t, side, call);
	ok = EVP_Digest(call->in[0], call->len, call->got[side].out, &n, t->play->row->of[side].md,
			NULL);
	call->got[side].len = n;
	return ok;
}

static bool step_whole(struct play *p, struct twins *t)
{
	unsigned char key[MAX_KEY];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(
			p->row->alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST,
			(char *)(uintptr_t)kc_alg_name(&kc_algs[p->row->alg->inner]), 0),
		OSSL_PARAM_END,
	};
	struct call call = { .in = { p->in[0] + some_place(p, 64) },
			     .len = message_length(p),
			     .key = key,
			     .key_len = some_key_len(p),
			     .number = EVP_MAX_MD_SIZE,
			     .params = params };

	random_bytes(&p->random, key, sizeof(key));
	return t->tls || both(p, t, "all at once", do_whole, &call);
}

static bool one_step(struct play *p, struct twins *t)
{
	size_t what = below(p, 100);

	if (what < 22)
		return step_init(p, t);
	if (what < 56)
		return hash_step_update(p, t);
	if (what < 74)
		return hash_step_final(p, t);
	if (what < 82)
		return step_copy(p, t);
	if (what < 89)
		return step_whole(p, t);
	if (what < 92)
		return step_serialize(p, t);
	return what < 96 ? step_set(p, t) : hash_step_ask(p, t);
}

static bool start(struct play *p, struct twins *t)
{
	if (t == p->twins)
		fill_shared_input(p);
	for (int side = 0; side < 2; side++) {
		if (p->row->of[0].mac)
			t->mac[side] = EVP_MAC_CTX_new(p->row->of[side].mac);
		else
			t->md[side] = EVP_MD_CTX_new();
	}
	return t->mac[0] ? step_whole(p, t) :
			   both(p, t, "init", do_init, &(struct call){ .len = 0 });
}

static void end(struct twins *t)
{
	for (int side = 0; side < 2; side++) {
		EVP_MD_CTX_free(t->md[side]);
		EVP_MAC_CTX_free(t->mac[side]);
	}
}

const struct kind hash_kind = { 4, 20, start, one_step, hash_step_ask, end };
