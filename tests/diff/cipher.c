/* SPDX-License-Identifier: Apache-2.0 */
/* Differential rounds of the provider's ciphers: everything that EVP can do to a context. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "diff/kinds.h"

/* The reason for which a query of the wrong type gives no length. */
static int refusal(EVP_CIPHER_CTX *c, const char *length)
{
	char text[] = "?";
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(length, text, 1),
				OSSL_PARAM_construct_end() };
	int reason = -1;

	ERR_set_mark();
	if (EVP_CIPHER_CTX_get_params(c, params) <= 0)
		reason = ERR_GET_REASON(ERR_peek_last_error());
	ERR_pop_to_mark();
	return reason;
}

/* How much room a length needs: the question without any. */
static int room_for(EVP_CIPHER_CTX *c, const char *length)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_size_t(length, NULL),
				OSSL_PARAM_construct_end() };

	return EVP_CIPHER_CTX_get_params(c, params) > 0 ? (int)params[0].return_size : -1;
}

static int do_ask(struct twins *t, int side, struct call *call)
{
	EVP_CIPHER_CTX *c = t->cipher[side];
	const int numbers[] = { EVP_CIPHER_CTX_get_num(c), EVP_CIPHER_CTX_get_key_length(c),
				EVP_CIPHER_CTX_get_iv_length(c), EVP_CIPHER_CTX_get_tag_length(c) };
	unsigned char *out = call->got[side].out;
	int more[4];

	memcpy(out, numbers, sizeof(numbers));
	if (!call->number)
		return 1;
	more[0] = refusal(c, OSSL_CIPHER_PARAM_IVLEN);
	more[1] = refusal(c, OSSL_CIPHER_PARAM_KEYLEN);
	more[2] = room_for(c, OSSL_CIPHER_PARAM_IVLEN);
	more[3] = room_for(c, OSSL_CIPHER_PARAM_KEYLEN);
	memcpy(out + 16, more, sizeof(more));
	return EVP_CIPHER_CTX_get_updated_iv(c, out + 32, call->len) +
	       2 * EVP_CIPHER_CTX_get_original_iv(c, out + 48, call->len);
}

bool call_ask(struct play *p, struct twins *t, bool for_iv)
{
	return both(p, t, "ask", do_ask, &(struct call){ .number = for_iv, .len = p->shown });
}

int cipher_do_set(struct twins *t, int side, struct call *call)
{
	return EVP_CIPHER_CTX_set_params(t->cipher[side], call->params);
}

static bool step_cts_mode(struct play *p, struct twins *t)
{
	static const char *const modes[] = { "CS1", "CS2", "CS3" };
	const char *mode = modes[below(p, 3)];
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE,
						 (char *)(uintptr_t)mode, 0),
		OSSL_PARAM_construct_end(),
	};

	return both(p, t, mode, cipher_do_set, &(struct call){ .params = params });
}

static int do_set_in_init(struct twins *t, int side, struct call *call)
{
	return EVP_CipherInit_ex2(t->cipher[side], NULL, call->key, call->iv[side], t->enc,
				  call->params);
}

/* Sets the padding as a parameter of any width, alone or in an init that sets it again. */
static bool step_padding(struct play *p, struct twins *t)
{
	unsigned padding = (unsigned)below(p, 2);
	uint8_t narrow = (uint8_t)padding;
	const OSSL_PARAM params[] = {
		one_in(p, 2) ? OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding) :
			       (OSSL_PARAM)OSSL_PARAM_DEFN(OSSL_CIPHER_PARAM_PADDING,
							   OSSL_PARAM_UNSIGNED_INTEGER, &narrow, 1),
		OSSL_PARAM_construct_end(),
	};
	struct call call = { .params = params };

	if (one_in(p, 2))
		return both(p, t, "padding by a parameter", cipher_do_set, &call);
	random_bytes(&p->random, t->iv, sizeof(t->iv));
	random_bytes(&p->random, t->key, sizeof(t->key));
	call.iv[0] = call.iv[1] = t->iv;
	call.key = one_in(p, 2) ? t->key : NULL;
	return both(p, t, "init with padding", do_set_in_init, &call);
}

static int do_num(struct twins *t, int side, struct call *call)
{
	return EVP_CIPHER_CTX_set_num(t->cipher[side], call->number);
}

/*
 * Whether num points into a block of keystream. Between two blocks it does not: then the default
 * provider's result depends on the code that it chooses for this CPU.
 */
static bool num_means_something(const struct play *p, const struct twins *t)
{
	int mode = EVP_CIPHER_get_mode(p->cipher[1]);

	return (mode == EVP_CIPH_CTR_MODE || mode == EVP_CIPH_CFB_MODE ||
		mode == EVP_CIPH_OFB_MODE) &&
	       EVP_CIPHER_CTX_get_num(t->cipher[1]) != 0;
}

static bool steals(const struct play *p)
{
	return EVP_CIPHER_get_flags(p->cipher[1]) & EVP_CIPH_FLAG_CTS;
}

static bool takes_key_len(const struct play *p)
{
	return OSSL_PARAM_locate_const(EVP_CIPHER_settable_ctx_params(p->cipher[1]),
				       OSSL_CIPHER_PARAM_KEYLEN);
}

/*
 * Sets the key length twice: as numbers of usual and unusual widths, or not as numbers. Which of
 * them counts, only the base knows; what it does not read must leave no reason in the error queue.
 */
static bool step_odd_lengths(struct play *p, struct twins *t)
{
	static const unsigned types[] = { OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER,
					  OSSL_PARAM_INTEGER, OSSL_PARAM_OCTET_STRING };
	static const size_t widths[] = { 4, 8, 1, 12 };
	unsigned char bytes[2][12] = { { 0 } };
	OSSL_PARAM params[3] = { OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END };

	for (size_t i = 0; i < 2; i++) {
		size_t width = widths[below(p, 4)], n = one_in(p, 4) ? below(p, 256) : 16;
		const uint64_t wide = n;
		const uint32_t narrow = (uint32_t)n;

		memcpy(bytes[i], &narrow, sizeof(narrow));
		if (width == sizeof(wide))
			memcpy(bytes[i], &wide, sizeof(wide));
		params[i] = (OSSL_PARAM)OSSL_PARAM_DEFN(OSSL_CIPHER_PARAM_KEYLEN,
							types[below(p, 4)], bytes[i], width);
	}
	return both(p, t, "odd key lengths", cipher_do_set, &(struct call){ .params = params });
}

static bool step_param(struct play *p, struct twins *t)
{
	/*
	 * With a num beyond the block, CFB of an OpenSSL that does not check it writes out of
	 * bounds.
	 */
	size_t nums = EVP_CIPHER_get_mode(p->cipher[1]) == EVP_CIPH_CTR_MODE ? 18 : 16;

	if (steals(p) && below(p, 4))
		return step_cts_mode(p, t);
	/*
	 * Sets another length for the next key. Without that key both providers refuse the next
	 * call.
	 */
	if (takes_key_len(p) && one_in(p, 2))
		return call_key_len(p, t);
	if (one_in(p, 8))
		return step_odd_lengths(p, t);
	if (num_means_something(p, t) && one_in(p, 2))
		return both(p, t, "num", do_num, &(struct call){ .number = (int)below(p, nums) });
	/*
	 * The last value counts. kcrypto may leave out a value that is equal to the previous one.
	 */
	for (size_t n = 1 + below(p, 5); n--;)
		if (!(one_in(p, 2) ? call_padding(p, t, (int)below(p, 2)) : step_padding(p, t)))
			return false;
	return true;
}

static bool one_step(struct play *p, struct twins *t)
{
	size_t what = below(p, 100);

	if (one_in(p, 40))
		return call_renew(p, t);
	if (records_are_known(p) && one_in(p, 10))
		return records_play(p, t);
	if (!t->keyed && what >= 4) /* sometimes runs without a key: both refuse */
		what = 0;
	if (what < 20)
		return cipher_init(p, t);
	/* A cipher that takes one update per init mostly gets only one. */
	if (what < 76 && steals(p) && below(p, 4) && !cipher_init(p, t))
		return false;
	if (what < 82)
		return cipher_update(p, t, what >= 76);
	if (what < 86)
		return call_final(p, t);
	if (what < 90)
		return call_copy(p, &p->twins[below(p, CONTEXTS)], t);
	return what < 94 ? step_param(p, t) : call_pointer(p, t);
}

/* The IV is not always asked for, because the query itself may change a context. */
static bool step(struct play *p, struct twins *t)
{
	return one_step(p, t) && (!one_in(p, 3) || call_ask(p, t, p->shown));
}

static bool end(struct play *p, struct twins *t)
{
	return call_ask(p, t, p->shown);
}

const struct kind cipher_kind = { 3, 15, call_new, step, end, call_free };
