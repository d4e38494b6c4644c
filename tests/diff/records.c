/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS records of a cipher in CBC mode, with the calls that libssl makes: sealed, and opened with
 * valid and with invalid padding.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>

#include "diff/kinds.h"

#define RECORDS 8
#define AT	MARGIN

struct tls {
	int version; /* libssl passes an int */
	size_t mac_len, block;
};

bool records_are_known(const struct play *p)
{
	return EVP_CIPHER_get_mode(p->cipher[1]) == EVP_CIPH_CBC_MODE &&
	       !(EVP_CIPHER_get_flags(p->cipher[1]) & EVP_CIPH_FLAG_CTS);
}

static bool set_tls(struct play *p, struct twins *t, struct tls *tls)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_TLS_VERSION, &tls->version),
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &tls->mac_len),
		OSSL_PARAM_construct_end(),
	};

	return both(p, t, "TLS", cipher_do_set, &(struct call){ .params = params });
}

/* A short record is all padding. */
static size_t some_record(struct play *p, const struct tls *tls)
{
	static const size_t most[] = { 40, 400, 700, 2000, 17000 };
	size_t len = tls->block + below(p, most[below(p, 5)]);

	fill_input(p, len + 512);
	return len;
}

/* Records are sealed in place only; otherwise both providers refuse. */
static bool seal(struct play *p, struct twins *t, const struct tls *tls)
{
	bool apart = one_in(p, 30);

	return call_text(p, t, apart, AT, AT, some_record(p, tls), false);
}

/* Encrypts the buffer as a peer does. The next record continues from it. */
static void encrypt_as_peer(struct play *p, struct twins *t, size_t len)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	unsigned char *at = p->in[1] + AT;
	int n;

	EVP_EncryptInit_ex(c, p->cipher[1], NULL, t->key, t->iv);
	EVP_CIPHER_CTX_set_padding(c, 0);
	EVP_EncryptUpdate(c, at, &n, at, (int)len);
	memcpy(t->iv, at + len - (size_t)t->iv_len, (size_t)t->iv_len);
	memcpy(p->in[0] + AT, at, len);
	EVP_CIPHER_CTX_free(c);
}

static int do_mac(struct twins *t, int side, struct call *call)
{
	void *mac = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac, call->len),
		OSSL_PARAM_construct_end(),
	};
	int ok = EVP_CIPHER_CTX_get_params(t->cipher[side], params);

	if (ok > 0)
		memcpy(call->got[side].out, mac, call->len);
	return ok;
}

/*
 * An invalid padding must reveal nothing but that the MAC is wrong: random bytes take its place.
 * Sometimes the record is cut, so that it is not whole blocks or has another last block.
 */
static bool open(struct play *p, struct twins *t, const struct tls *tls)
{
	size_t len = some_record(p, tls) + tls->mac_len, pad = tls->block - len % tls->block;
	bool is_broken = one_in(p, 4);

	if (tls->version != SSL3_VERSION)
		pad += tls->block * below(p, (256 - pad) / tls->block + 1);
	memset(p->in[1] + AT + len, (int)pad - 1, pad);
	len += pad;
	if (is_broken)
		p->in[1][AT + len - 1 - below(p, pad)] ^= 1 + below(p, 255);
	encrypt_as_peer(p, t, len);
	if (one_in(p, 50)) {
		len -= 1 + below(p, tls->block);
		is_broken = true;
	}
	return call_text(p, t, false, AT, AT, len, false) &&
	       (!p->ok || !tls->mac_len || is_broken ||
		both(p, t, "MAC", do_mac, &(struct call){ .len = tls->mac_len }));
}

/* Replaces the contexts: after records a context is good for nothing else. */
static bool renew(struct play *p, struct twins *t)
{
	call_free(t);
	*t = (struct twins){ .play = p };
	return call_new(p, t);
}

/*
 * Sets the TLS version as a signed integer, as no number at all, or twice. Only the base knows what
 * that means, and it may refuse.
 */
static bool set_odd_version(struct play *p, struct twins *t)
{
	static const unsigned types[] = { OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_INTEGER,
					  OSSL_PARAM_UTF8_STRING };
	unsigned versions[] = { one_in(p, 2) ? 0 : TLS1_VERSION,
				one_in(p, 2) ? 0 : TLS1_2_VERSION };
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &versions[0]),
		OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &versions[1]),
		OSSL_PARAM_construct_end(),
	};

	params[0].data_type = types[below(p, 3)];
	if (one_in(p, 2))
		params[1] = params[2];
	return both(p, t, "odd TLS version", cipher_do_set, &(struct call){ .params = params });
}

/* Records or ordinary text, as both providers understood the version. A record is in place. */
static bool play_odd_version(struct play *p, struct twins *t)
{
	const unsigned char *const iv[2] = { t->iv, t->iv };

	if (!set_odd_version(p, t) || !call_init(p, t, t->key, iv, t->enc))
		return false;
	for (int i = 0; i < 4; i++) {
		/* Of an empty record, libcrypto reads and writes what is before it. */
		size_t len = 1 + some_length(p, 5000);

		fill_input(p, len);
		if (!call_text(p, t, false, AT, AT, len, false))
			return false;
	}
	return call_final(p, t) && renew(p, t);
}

bool records_play(struct play *p, struct twins *t)
{
	static const int versions[] = { SSL3_VERSION, TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION,
					DTLS1_2_VERSION };
	static const size_t mac_lens[] = { 0, 16, 20, 32, 48 };
	const unsigned char *const iv[2] = { t->iv, t->iv };
	struct tls tls = { versions[below(p, 5)], mac_lens[below(p, 5)],
			   (size_t)EVP_CIPHER_get_block_size(p->cipher[1]) };

	if (!renew(p, t))
		return false;
	random_bytes(&p->random, t->key, sizeof(t->key));
	random_bytes(&p->random, t->iv, sizeof(t->iv));
	if (!call_init(p, t, t->key, iv, t->enc))
		return false;
	if (one_in(p, 4))
		return play_odd_version(p, t);
	if (!set_tls(p, t, &tls))
		return false;
	t->keyed = false;			     /* nobody copies such a context */
	if (one_in(p, 30) && !call_padding(p, t, 0)) /* both refuse the call */
		return false;
	/* A record that fails ends a connection. */
	for (int i = 0; i < RECORDS && p->ok; i++)
		if (!(t->enc ? seal : open)(p, t, &tls))
			return false;
	return renew(p, t);
}
