/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of calls below the threshold, with the default provider and with kcrypto: the calls that
 * programs make most, as rows of a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "cli/bench/work.h"
#include "pairs.h"

#define SLICE_US 200 /* short, so that a longer disturbance affects both of a pair */
#define COUNTED	 100
#define LARGEST	 16384
#define WARM	 20 /* requests until a session is open and nothing more is learned */

struct row {
	enum kc_alg_id alg;
	const char *call_name;
	pairs_fn *call;
	size_t len;
	enum kc_dir dir;
	double goal_ns; /* the time that a call may add; 0: no goal */
	bool is_around; /* the default provider's HMAC with kcrypto's digest inside */
};

/* One of the two sides of a comparison. */
struct side {
	struct kc_message message;
	struct kc_work work;
	EVP_CIPHER *cipher;
	EVP_MD *md;
	EVP_MAC *mac;
	unsigned char text[LARGEST], out[KC_WORK_OUT(LARGEST)];
};

static int update(void *arg)
{
	return kc_work_update(&((struct side *)arg)->work);
}

static int restart(void *arg)
{
	struct side *s = arg;

	return EVP_CipherInit_ex2(s->work.cipher, NULL, NULL, s->message.iv, -1, NULL) && update(s);
}

static int rekey(void *arg)
{
	struct side *s = arg;

	return EVP_CipherInit_ex2(s->work.cipher, NULL, s->message.key, s->message.iv, -1, NULL);
}

static int cipher_fresh(void *arg)
{
	struct side *s = arg;

	EVP_CIPHER_CTX_free(s->work.cipher);
	s->work.cipher = EVP_CIPHER_CTX_new();
	return EVP_CipherInit_ex2(s->work.cipher, s->cipher, s->message.key, s->message.iv, 1,
				  NULL) &&
	       update(s);
}

/* An AEAD's message: IV, AAD, text and tag. */
static int message(void *arg)
{
	return kc_work_message(&((struct side *)arg)->work);
}

static int bare_message(void *arg)
{
	((struct side *)arg)->message.aad_len = 0;
	return message(arg);
}

#define RECORD_AAD 13
#define RECORD_TAG 16

static size_t carried(const struct side *s)
{
	return EVP_CIPHER_CTX_get_mode(s->work.cipher) ? 8 : 0;
}

/* Sets the part of the nonce that all records share. */
static int begin_records(const struct side *s)
{
	int mode = EVP_CIPHER_CTX_get_mode(s->work.cipher);

	return !mode || EVP_CIPHER_CTX_ctrl(s->work.cipher, EVP_CTRL_AEAD_SET_IV_FIXED,
					    mode == EVP_CIPH_GCM_MODE ? -1 : 4,
					    (void *)(uintptr_t)s->message.iv) > 0;
}

/* Encrypts a record of TLS 1.2. */
static int record(void *arg)
{
	struct side *s = arg;
	size_t said = carried(s) + s->message.len;
	unsigned char aad[RECORD_AAD] = {
		[8] = 23, 3, 3, (unsigned char)(said >> 8), (unsigned char)said
	};
	int n;

	return EVP_CIPHER_CTX_ctrl(s->work.cipher, EVP_CTRL_AEAD_TLS1_AAD, sizeof(aad), aad) > 0 &&
	       EVP_CipherUpdate(s->work.cipher, s->out, &n, s->out, (int)said + RECORD_TAG);
}

static int digest_fresh(void *arg)
{
	struct side *s = arg;
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	int ok = EVP_DigestInit_ex2(c, s->md, NULL) &&
		 EVP_DigestUpdate(c, s->text, s->message.len) &&
		 EVP_DigestFinal_ex(c, s->out, NULL);

	EVP_MD_CTX_free(c);
	return ok;
}

static int digest_whole(void *arg)
{
	struct side *s = arg;

	return EVP_Digest(s->text, s->message.len, s->out, NULL, s->md, NULL);
}

/* The rest is the copy's work. */
static int digest_copied(void *arg)
{
	struct side *s = arg;
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	int ok = EVP_MD_CTX_copy_ex(c, s->work.digest) && EVP_DigestFinal_ex(c, s->out, NULL);

	EVP_MD_CTX_free(c);
	return ok;
}

static int cipher_copied(void *arg)
{
	struct side *s = arg;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int ok = EVP_CIPHER_CTX_copy(c, s->work.cipher);

	EVP_CIPHER_CTX_free(c);
	return ok;
}

static int mac_message(struct side *s, const OSSL_PARAM *params)
{
	EVP_MAC_CTX *c = s->work.mac;
	size_t n;

	return EVP_MAC_init(c, s->message.key, s->message.key_len, params) &&
	       EVP_MAC_update(c, s->text, s->message.len) &&
	       EVP_MAC_final(c, s->out, &n, sizeof(s->out));
}

static int mac_keyed(void *arg)
{
	return mac_message(arg, NULL);
}

static int mac_fresh(void *arg)
{
	struct side *s = arg;
	char name[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
		OSSL_PARAM_construct_end(),
	};

	EVP_MAC_CTX_free(s->work.mac);
	s->work.mac = EVP_MAC_CTX_new(s->mac);
	return mac_message(s, params);
}

static const struct row rows[] = {
	{ KC_ALG_AES_128_CBC, "update", update, 16, KC_ENCRYPT, 1.3 },
	{ KC_ALG_AES_128_CBC, "update", update, 64, KC_ENCRYPT, 1.3 },
	{ KC_ALG_AES_128_CBC, "update", update, 1024, KC_ENCRYPT, 1.3 },
	{ KC_ALG_AES_128_CBC, "update", update, 16, KC_DECRYPT, 1.3 },
	{ KC_ALG_AES_128_CBC, "update", update, 64, KC_DECRYPT, 1.3 },
	{ KC_ALG_AES_128_CBC, "update", update, 1024, KC_DECRYPT, 1.3 },
	{ KC_ALG_AES_128_CBC, "IV, update", restart, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CBC, "key, IV", rekey, 0, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CBC, "new context", cipher_fresh, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CBC, "copy", cipher_copied, 0, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CTR, "update", update, 16, KC_ENCRYPT, 1.5 },
	{ KC_ALG_AES_128_CTR, "IV, update", restart, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_XTS, "update", update, 16, KC_ENCRYPT, 1.5 },
	{ KC_ALG_AES_128_XTS, "IV, update", restart, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_GCM, "update", update, 16, KC_ENCRYPT, 1.5 },
	{ KC_ALG_AES_128_GCM, "message", message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_GCM, "message", message, 16, KC_DECRYPT, 0 },
	{ KC_ALG_AES_128_GCM, "new context", cipher_fresh, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_GCM, "message, no AAD", bare_message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CCM, "message", message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CCM, "message", message, 16, KC_DECRYPT, 0 },
	{ KC_ALG_AES_128_CCM, "message, no AAD", bare_message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_CHACHA20, "new context", cipher_fresh, 64, KC_ENCRYPT, 0 },
	{ KC_ALG_CHACHA20, "IV, update", restart, 64, KC_ENCRYPT, 0 },
	{ KC_ALG_CHACHA20_POLY1305, "update", update, 16, KC_ENCRYPT, 1.5 },
	{ KC_ALG_CHACHA20_POLY1305, "message", message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_CHACHA20_POLY1305, "message", message, 16, KC_DECRYPT, 0 },
	{ KC_ALG_AES_128_GCM, "TLS 1.2 record", record, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_AES_128_CCM, "TLS 1.2 record", record, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_CHACHA20_POLY1305, "TLS 1.2 record", record, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_SHA1, "EVP_Digest", digest_whole, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_SHA256, "same context", message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_SHA256, "new context", digest_fresh, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_SHA256, "EVP_Digest", digest_whole, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_SHA256, "copy, final", digest_copied, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_HMAC_SHA256, "same key", message, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_HMAC_SHA256, "new key", mac_keyed, 16, KC_ENCRYPT, 0 },
	{ KC_ALG_HMAC_SHA256, "new context", mac_fresh, 16, KC_ENCRYPT, 0 },
	/* As if digests are listed, but no MACs. */
	{ KC_ALG_HMAC_SHA256, "inside, message", message, 16, KC_ENCRYPT, 0, true },
	{ KC_ALG_HMAC_SHA256, "inside, new", mac_fresh, 16, KC_ENCRYPT, 0, true },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const OSSL_PROVIDER *provider_of(const struct side *s)
{
	if (s->md)
		return EVP_MD_get0_provider(s->md);
	return s->mac ? EVP_MAC_get0_provider(s->mac) : EVP_CIPHER_get0_provider(s->cipher);
}

/*
 * Fetches as a program would, by the properties of its library context: @lib has only the default
 * provider, or kcrypto, too.
 */
static struct side *begin(const struct row *row, OSSL_LIB_CTX *lib, const char *expected)
{
	const char *provider = row->is_around ? "provider=default" : NULL;
	struct side *s = calloc(1, sizeof(*s));
	const struct kc_alg *alg = &kc_algs[row->alg];
	const char *name = kc_alg_name(alg);

	must(s != NULL, "no memory");
	s->message = kc_message_of(alg, row->dir, row->len, s->text);
	must((alg->kind != KC_AEAD || row->dir == KC_ENCRYPT ||
	      kc_message_seal(&s->message, s->text, lib, provider)) &&
		     kc_work_begin(&s->work, &s->message, lib, provider, s->out),
	     name);
	must(row->call != record || begin_records(s), name);
	if (alg->kind == KC_DIGEST)
		s->md = EVP_MD_fetch(lib, name, provider);
	else if (alg->kind == KC_MAC)
		s->mac = EVP_MAC_fetch(lib, alg->mac, provider);
	else
		s->cipher = EVP_CIPHER_fetch(lib, name, provider);
	must(row->is_around || strcmp(OSSL_PROVIDER_get0_name(provider_of(s)), expected) == 0,
	     name);
	return s;
}

static void end(struct side *s)
{
	kc_work_end(&s->work);
	EVP_CIPHER_free(s->cipher);
	EVP_MD_free(s->md);
	EVP_MAC_free(s->mac);
	free(s);
}

static void print_name(const struct row *row)
{
	printf("  %-18s %-4s %-15s %5zu", kc_alg_name(&kc_algs[row->alg]),
	       kc_alg_is_hash(&kc_algs[row->alg]) ? "" :
	       row->dir				  ? "enc" :
						    "dec",
	       row->call_name, row->len);
}

void below(OSSL_LIB_CTX *lib, unsigned rounds);
void below(OSSL_LIB_CTX *lib, unsigned rounds)
{
	OSSL_LIB_CTX *plain = OSSL_LIB_CTX_new();

	puts("below the threshold, ns per call\n"
	     "  algorithm               call            bytes   default      ours   ratio    adds    goal");
	for (size_t i = 0; i < N_ROWS; i++) {
		struct side *a = begin(&rows[i], plain, "default");
		struct side *b = begin(&rows[i], lib, "kcrypto");
		struct pairs p = pairs_measure(rows[i].call, a, rows[i].call, b, rounds, SLICE_US);

		print_name(&rows[i]);
		printf(" %9.1f %9.1f %7.3f %7.2f", p.a_ns, p.b_ns, p.ratio, p.adds_ns);
		printf(rows[i].goal_ns ? " %7.2f\n" : "\n", rows[i].goal_ns);
		end(a);
		end(b);
	}
	OSSL_LIB_CTX_free(plain);
}

/* bench/count has callgrind count only this. */
__attribute__((noinline)) void below_counted(const struct row *row, struct side *s);
void below_counted(const struct row *row, struct side *s)
{
	for (int i = 0; i < COUNTED; i++)
		if (!row->call(s))
			exit(1);
}

/*
 * For bench/count: each case a hundred times on each side, default provider first, and its name;
 * callgrind counts the instructions in between.
 */
void below_count(OSSL_LIB_CTX *lib);
void below_count(OSSL_LIB_CTX *lib)
{
	OSSL_LIB_CTX *plain = OSSL_LIB_CTX_new();

	for (size_t i = 0; i < N_ROWS; i++) {
		struct side *a = begin(&rows[i], plain, "default");
		struct side *b = begin(&rows[i], lib, "kcrypto");

		/* Once each before, because a first call does more. */
		if (!rows[i].call(a) || !rows[i].call(b))
			exit(1);
		below_counted(&rows[i], a);
		below_counted(&rows[i], b);
		print_name(&rows[i]);
		putchar('\n');
		end(a);
		end(b);
	}
	OSSL_LIB_CTX_free(plain);
}

/* For bench/count: the same for requests that go to the kernel, only on our side. */
void above_count(OSSL_LIB_CTX *lib);
void above_count(OSSL_LIB_CTX *lib)
{
	static const struct row large[] = {
		{ KC_ALG_AES_128_CBC, "update", update, LARGEST, KC_ENCRYPT, 0 },
		{ KC_ALG_AES_128_CBC, "update", update, LARGEST, KC_DECRYPT, 0 },
		{ KC_ALG_AES_128_GCM, "message", message, LARGEST, KC_ENCRYPT, 0 },
		{ KC_ALG_AES_128_CCM, "message", message, LARGEST, KC_ENCRYPT, 0 },
		{ KC_ALG_CHACHA20_POLY1305, "message", message, LARGEST, KC_ENCRYPT, 0 },
		{ KC_ALG_AES_128_GCM, "TLS 1.2 record", record, LARGEST, KC_ENCRYPT, 0 },
		{ KC_ALG_AES_128_CCM, "TLS 1.2 record", record, LARGEST, KC_ENCRYPT, 0 },
	};

	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		struct side *s = begin(&large[i], lib, "kcrypto");

		for (int n = 0; n < WARM; n++)
			if (!large[i].call(s))
				exit(1);
		below_counted(&large[i], s);
		print_name(&large[i]);
		putchar('\n');
		end(s);
	}
}
