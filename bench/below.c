/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that programs make most, as rows of a table: short updates, messages and digests. */
#include "below.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "pairs.h"

#define SLICE_US 200 /* short, so that a longer disturbance affects both of a pair */
#define COUNTED	 100
#define LARGEST	 1024
#define TAG	 16
#define AAD	 13 /* bytes, as in TLS */

enum kind { CIPHER, AEAD, CCM, DIGEST, MAC };

struct row {
	const char *algorithm;
	const char *call_name;
	enum kind kind;
	pairs_fn *call;
	size_t len;
	int encrypt;
	double goal_ns; /* the time that a call may add; 0: no goal */
};

/* One of the two sides of a comparison. */
struct side {
	const struct row *row;
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *ctx;
	EVP_MD *md;
	EVP_MD_CTX *md_ctx;
	EVP_MAC *mac;
	EVP_MAC_CTX *mac_ctx;
	int encrypt;
	unsigned char text[LARGEST], tag[TAG];
};

static const unsigned char key[64] =
	"two keys that are not the same, and guard nothing here at all";
static const unsigned char iv[16] = "as good as any";
static unsigned char out[LARGEST + 64];

static int update(void *arg)
{
	struct side *s = arg;
	int n;

	return EVP_CipherUpdate(s->ctx, out, &n, s->text, (int)s->row->len);
}

static int restart(void *arg)
{
	struct side *s = arg;

	return EVP_CipherInit_ex2(s->ctx, NULL, NULL, iv, -1, NULL) && update(s);
}

static int rekey(void *arg)
{
	struct side *s = arg;

	return EVP_CipherInit_ex2(s->ctx, NULL, key, iv, -1, NULL);
}

static int cipher_fresh(void *arg)
{
	struct side *s = arg;

	EVP_CIPHER_CTX_free(s->ctx);
	s->ctx = EVP_CIPHER_CTX_new();
	return EVP_CipherInit_ex2(s->ctx, s->cipher, key, iv, s->encrypt, NULL) && update(s);
}

/* An IV, AAD, text and tag. */
static int message_with(struct side *s, int aad_len)
{
	int len = (int)s->row->len, n;

	if (!s->encrypt && !EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_TAG, TAG, s->tag))
		return 0;
	if (!EVP_CipherInit_ex2(s->ctx, NULL, NULL, iv, -1, NULL))
		return 0;
	if (s->row->kind == CCM && !EVP_CipherUpdate(s->ctx, NULL, &n, NULL, len))
		return 0;
	if (aad_len && !EVP_CipherUpdate(s->ctx, NULL, &n, key, aad_len))
		return 0;
	if (!EVP_CipherUpdate(s->ctx, out, &n, s->text, len) ||
	    !EVP_CipherFinal_ex(s->ctx, out, &n))
		return 0;
	return !s->encrypt || EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_GET_TAG, TAG, s->tag);
}

static int message(void *arg)
{
	return message_with(arg, AAD);
}

static int bare_message(void *arg)
{
	return message_with(arg, 0);
}

static int digest_again(void *arg)
{
	struct side *s = arg;

	return EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) &&
	       EVP_DigestUpdate(s->md_ctx, s->text, s->row->len) &&
	       EVP_DigestFinal_ex(s->md_ctx, out, NULL);
}

static int digest_fresh(void *arg)
{
	struct side *s = arg;
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	int ok = EVP_DigestInit_ex2(c, s->md, NULL) && EVP_DigestUpdate(c, s->text, s->row->len) &&
		 EVP_DigestFinal_ex(c, out, NULL);

	EVP_MD_CTX_free(c);
	return ok;
}

static int digest_whole(void *arg)
{
	struct side *s = arg;

	return EVP_Digest(s->text, s->row->len, out, NULL, s->md, NULL);
}

static int mac_message(struct side *s, const unsigned char *new_key, const OSSL_PARAM *params)
{
	size_t n;

	return EVP_MAC_init(s->mac_ctx, new_key, new_key ? 32 : 0, params) &&
	       EVP_MAC_update(s->mac_ctx, s->text, s->row->len) &&
	       EVP_MAC_final(s->mac_ctx, out, &n, sizeof(out));
}

static int mac_again(void *arg)
{
	return mac_message(arg, NULL, NULL);
}

static int mac_keyed(void *arg)
{
	return mac_message(arg, key, NULL);
}

static int mac_fresh(void *arg)
{
	struct side *s = arg;
	char name[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
		OSSL_PARAM_construct_end(),
	};

	EVP_MAC_CTX_free(s->mac_ctx);
	s->mac_ctx = EVP_MAC_CTX_new(s->mac);
	return mac_message(s, key, params);
}

static const struct row rows[] = {
	{ "AES-128-CBC", "update", CIPHER, update, 16, 1, 1.3 },
	{ "AES-128-CBC", "update", CIPHER, update, 64, 1, 1.3 },
	{ "AES-128-CBC", "update", CIPHER, update, 1024, 1, 1.3 },
	{ "AES-128-CBC", "update", CIPHER, update, 16, 0, 1.3 },
	{ "AES-128-CBC", "update", CIPHER, update, 64, 0, 1.3 },
	{ "AES-128-CBC", "update", CIPHER, update, 1024, 0, 1.3 },
	{ "AES-128-CBC", "IV, update", CIPHER, restart, 16, 1, 0 },
	{ "AES-128-CBC", "key, IV", CIPHER, rekey, 0, 1, 0 },
	{ "AES-128-CBC", "new context", CIPHER, cipher_fresh, 16, 1, 0 },
	{ "AES-128-CTR", "update", CIPHER, update, 16, 1, 1.5 },
	{ "AES-128-CTR", "IV, update", CIPHER, restart, 16, 1, 0 },
	{ "AES-128-XTS", "update", CIPHER, update, 16, 1, 1.5 },
	{ "AES-128-XTS", "IV, update", CIPHER, restart, 16, 1, 0 },
	{ "AES-128-GCM", "update", AEAD, update, 16, 1, 1.5 },
	{ "AES-128-GCM", "message", AEAD, message, 16, 1, 0 },
	{ "AES-128-GCM", "message", AEAD, message, 16, 0, 0 },
	{ "AES-128-GCM", "new context", AEAD, cipher_fresh, 16, 1, 0 },
	{ "AES-128-GCM", "message, no AAD", AEAD, bare_message, 16, 1, 0 },
	{ "AES-128-CCM", "message", CCM, message, 16, 1, 0 },
	{ "AES-128-CCM", "message", CCM, message, 16, 0, 0 },
	{ "AES-128-CCM", "message, no AAD", CCM, bare_message, 16, 1, 0 },
	{ "ChaCha20-Poly1305", "update", AEAD, update, 16, 1, 1.5 },
	{ "ChaCha20-Poly1305", "message", AEAD, message, 16, 1, 0 },
	{ "ChaCha20-Poly1305", "message", AEAD, message, 16, 0, 0 },
	{ "SHA256", "same context", DIGEST, digest_again, 16, 1, 0 },
	{ "SHA256", "new context", DIGEST, digest_fresh, 16, 1, 0 },
	{ "SHA256", "EVP_Digest", DIGEST, digest_whole, 16, 1, 0 },
	{ "HMAC", "same key", MAC, mac_again, 16, 1, 0 },
	{ "HMAC", "new key", MAC, mac_keyed, 16, 1, 0 },
	{ "HMAC", "new context", MAC, mac_fresh, 16, 1, 0 },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static int lengths(struct side *s)
{
	return s->row->kind != CCM ||
	       (EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) &&
		EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_TAG, TAG, NULL));
}

static int turn(struct side *s, int encrypt)
{
	s->encrypt = encrypt;
	return EVP_CipherInit_ex2(s->ctx, NULL, key, iv, encrypt, NULL);
}

/* An AEAD must get valid input to decrypt. */
static int cipher_begin(struct side *s, OSSL_LIB_CTX *lib, const char *provider)
{
	s->cipher = EVP_CIPHER_fetch(lib, s->row->algorithm, provider);
	s->ctx = EVP_CIPHER_CTX_new();
	if (!s->cipher || !EVP_CipherInit_ex2(s->ctx, s->cipher, NULL, NULL, 1, NULL) ||
	    !lengths(s) || !turn(s, 1))
		return 0;
	if (s->row->kind == CIPHER)
		return EVP_CIPHER_CTX_set_padding(s->ctx, 0) && turn(s, s->row->encrypt);
	if (!message(s))
		return 0;
	if (!s->row->encrypt)
		memcpy(s->text, out, s->row->len);
	return turn(s, s->row->encrypt);
}

static int hash_begin(struct side *s, OSSL_LIB_CTX *lib, const char *provider)
{
	if (s->row->kind == DIGEST) {
		s->md = EVP_MD_fetch(lib, s->row->algorithm, provider);
		s->md_ctx = EVP_MD_CTX_new();
		return s->md && s->md_ctx;
	}
	s->mac = EVP_MAC_fetch(lib, s->row->algorithm, provider);
	return s->mac && mac_fresh(s);
}

static void end(struct side *s)
{
	EVP_CIPHER_CTX_free(s->ctx);
	EVP_CIPHER_free(s->cipher);
	EVP_MD_CTX_free(s->md_ctx);
	EVP_MD_free(s->md);
	EVP_MAC_CTX_free(s->mac_ctx);
	EVP_MAC_free(s->mac);
}

static struct side begin(const struct row *row, OSSL_LIB_CTX *lib, const char *provider)
{
	struct side s = { .row = row };
	bool is_hash = row->kind == DIGEST || row->kind == MAC;

	if (!(is_hash ? hash_begin : cipher_begin)(&s, lib, provider)) {
		fprintf(stderr, "kcrypto-bench: %s of %s can't be had\n", row->algorithm, provider);
		ERR_print_errors_fp(stderr);
		exit(1);
	}
	return s;
}

static void print_name(const struct row *row)
{
	printf("  %-18s %-4s %-15s %5zu", row->algorithm,
	       row->kind >= DIGEST ? "" :
	       row->encrypt	   ? "enc" :
				     "dec",
	       row->call_name, row->len);
}

void below(OSSL_LIB_CTX *lib, unsigned rounds)
{
	puts("below the threshold, ns per call\n"
	     "  algorithm               call            bytes   default      ours   ratio    adds    goal");
	for (size_t i = 0; i < N_ROWS; i++) {
		struct side a = begin(&rows[i], lib, "provider=default");
		struct side b = begin(&rows[i], lib, "provider=kcrypto");
		struct pairs p =
			pairs_measure(rows[i].call, &a, rows[i].call, &b, rounds, SLICE_US);

		print_name(&rows[i]);
		printf(" %9.1f %9.1f %7.3f %7.2f", p.a_ns, p.b_ns, p.ratio, p.adds_ns);
		printf(rows[i].goal_ns ? " %7.2f\n" : "\n", rows[i].goal_ns);
		end(&a);
		end(&b);
	}
}

/* bench/count makes callgrind count only this. */
__attribute__((noinline)) void below_counted(const struct row *row, struct side *s);
void below_counted(const struct row *row, struct side *s)
{
	for (int i = 0; i < COUNTED; i++)
		if (!row->call(s))
			exit(1);
}

void below_count(OSSL_LIB_CTX *lib)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		struct side a = begin(&rows[i], lib, "provider=default");
		struct side b = begin(&rows[i], lib, "provider=kcrypto");

		/* Once each: a first call does more. */
		if (!rows[i].call(&a) || !rows[i].call(&b))
			exit(1);
		below_counted(&rows[i], &a);
		below_counted(&rows[i], &b);
		print_name(&rows[i]);
		putchar('\n');
		end(&a);
		end(&b);
	}
}
