/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers', AEADs', digests' and MACs' lives. */
#include "unit/check.h"

#include <string.h>

#include <openssl/err.h>

#include "integration/residue.h"

#define LEN RESIDUE_LEN

/* What an AEAD's message has come to when its context is freed. Ciphers and hashes have two. */
enum place { ENDED, PENDING, WENT_ON, REFUSED, DOUBTED, RECORDS, FORGED_RECORD, OTHER_KEY, PLACES };

static EVP_CIPHER_CTX *ctx[PLACES];

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void free_ciphers(void)
{
	for (size_t i = 0; i < PLACES; i++) {
		EVP_CIPHER_CTX_free(ctx[i]);
		ctx[i] = NULL;
	}
}

/* A cipher's; decrypting, what comes out is a secret. In place where @in is NULL. */
static void update(EVP_CIPHER_CTX *c, const unsigned char *in, int len)
{
	int n = 0;

	if (!in)
		memcpy(secret.out, secret.text, (size_t)len);
	must(row_update(c, secret.out, &n, in ? in : secret.out, len));
	if (!residue.enc && n >= 8)
		search_note(SECRET_TEXT, secret.out, (size_t)(n < 4096 ? n : 4096));
	explicit_bzero(secret.out, sizeof(secret.out));
}

/* In place first, as only then nothing is held back; the last is in the middle of a block. */
static void *ciphers_live(void *unused)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();

	ctx[0] = c;
	ctx[1] = copy;
	must(EVP_CipherInit_ex(c, residue.of->cipher, NULL, secret.key[0], secret.iv[0],
			       residue.enc));
	update(c, NULL, 8192);
	update(c, secret.text, 4096 + 5);
	must(EVP_CIPHER_CTX_copy(copy, c));
	update(copy, secret.text + 32, 8192 + 3);
	must(EVP_CipherInit_ex(c, NULL, NULL, NULL, secret.iv[1], -1));
	update(c, secret.text + 1, 8192);
	must(EVP_CipherInit_ex(c, NULL, NULL, secret.key[1], secret.iv[1], -1));
	update(c, secret.text + 3, 8192 + 13);
	return unused;
}

static void *ciphers_live_on(void *unused)
{
	update(ctx[1], secret.text + 64, 8192);
	update(ctx[0], secret.text, 8192 + 7);
	return unused;
}

static bool is_named(const char *beginning)
{
	return strncmp(EVP_CIPHER_get0_name(residue.of->cipher), beginning, strlen(beginning)) == 0;
}

/* OpenSSL's code in C, where a machine has no other: some words of the key stay on its stack. */
#ifdef __s390x__
#define CAMELLIA_LEAVES_KEY true
#else
#define CAMELLIA_LEAVES_KEY false
#endif

/* OpenSSL's ChaCha20 leaves its state on the stack, by the code for some CPUs. */
static void excuse_chacha(struct findings *f)
{
	if (is_named("ChaCha20"))
		f->n[SECRET_KEY] = f->n[SECRET_IV] = 0;
}

static void excuse_ciphers(struct findings *f)
{
	const EVP_CIPHER *cipher = residue.of->cipher;

	excuse_chacha(f);
	if (SEARCH_FINDS_IV && EVP_CIPHER_get_block_size(cipher) == 8)
		f->n[SECRET_IV] = 0;
	/* OpenSSL 4's ARIA leaves some words of the key on the stack. */
	if (OPENSSL_version_major() >= 4 && is_named("ARIA"))
		f->n[SECRET_KEY] = 0;
	if (CAMELLIA_LEAVES_KEY && is_named("CAMELLIA"))
		f->n[SECRET_KEY] = 0;
	/* OpenSSL's XTS, in C, leaves the block before a short last one on the stack. */
	if (residue.alg->iv_rule == KC_IV_WHOLE && f->n[SECRET_TEXT] <= 2)
		f->n[SECRET_TEXT] = 0;
	/* OpenSSL's ciphertext stealing keeps a copy of a short last block on the stack. */
	if (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS && f->n[SECRET_TEXT] <= 1)
		f->n[SECRET_TEXT] = 0;
}

/* Of the default provider's only AES is known to keep a key as it was given, except on NEON. */
#ifdef __arm__
#define AES_KEEPS_KEY false
#else
#define AES_KEEPS_KEY true
#endif

static void ciphers_are_alive(const struct findings *f, bool is_ours)
{
	if (is_ours || (AES_KEEPS_KEY && is_named("AES")))
		assert_true(f->n[SECRET_KEY] > 0);
	assert_true(f->n[SECRET_IV] > 0 || EVP_CIPHER_get_iv_length(residue.of->cipher) == 0);
}

/* By /dev/crypto the long units of XTS stay with the base. */
static unsigned ciphers_requests(bool in_child)
{
	return residue.alg->iv_rule == KC_IV_WHOLE ? 0 : in_child ? 7 : 5;
}

static unsigned char sealed[2][LEN + RECORD_ROOM], records[2][LEN + RECORD_ROOM];

static EVP_CIPHER_CTX *fresh(const struct row_of *of, int enc)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(EVP_CipherInit_ex(c, of->cipher, NULL, NULL, NULL, enc));
	return c;
}

/* By the default provider: messages under each key, and two records. */
static void *seal(void *unused)
{
	EVP_CIPHER_CTX *c = fresh(&residue.theirs, 1);
	size_t carried = record_carried(c);
	int n = 0;

	for (int i = 0; i < 2; i++)
		must(message_start(c, 1, secret.key[i], secret.iv[i], NULL) &&
		     message_head(c, NULL, 0, LEN) &&
		     EVP_CipherUpdate(c, sealed[i], &n, secret.text, LEN) &&
		     EVP_CipherFinal_ex(c, sealed[i] + n, &n) && message_tag(c, sealed[i] + LEN));
	EVP_CIPHER_CTX_free(c);
	c = fresh(&residue.theirs, 1);
	must(records_start(c, 1, secret.key[0], secret.iv[0]));
	for (unsigned char i = 0; i < 2; i++) {
		memcpy(records[i] + carried, secret.text, LEN);
		must(record_play(c, i, records[i], carried + LEN + MESSAGE_TAG));
	}
	EVP_CIPHER_CTX_free(c);
	return unused;
}

static bool feed(EVP_CIPHER_CTX *c, int which, size_t from, size_t len, bool in_place)
{
	const unsigned char *in = (residue.enc ? secret.text : sealed[which]) + from;
	bool ok;
	int n;

	memcpy(secret.out, in, in_place ? len : 0);
	ok = EVP_CipherUpdate(c, secret.out, &n, in_place ? secret.out : in, (int)len);
	explicit_bzero(secret.out, sizeof(secret.out));
	ERR_clear_error();
	return ok;
}

static void start(EVP_CIPHER_CTX *c, int which, bool is_forged)
{
	unsigned char tag[MESSAGE_TAG];

	memcpy(tag, sealed[which] + LEN, sizeof(tag));
	tag[0] ^= is_forged;
	must(message_start(c, residue.enc, secret.key[which], secret.iv[which],
			   residue.enc ? NULL : tag) &&
	     message_head(c, NULL, 0, LEN));
}

static bool end(EVP_CIPHER_CTX *c)
{
	unsigned char nothing[16];
	int n;
	bool ok = EVP_CipherFinal_ex(c, nothing, &n);

	ERR_clear_error();
	return ok;
}

/* CCM has no pieces. */
static void play_messages(void)
{
	bool is_ccm = message_is_ccm(ctx[0]);
	size_t first = is_ccm ? LEN : LEN / 2;

	start(ctx[ENDED], 0, false);
	must(feed(ctx[ENDED], 0, 0, LEN, true) && end(ctx[ENDED]));
	start(ctx[PENDING], 0, false);
	must(feed(ctx[PENDING], 0, 0, LEN, false));
	start(ctx[WENT_ON], 0, false);
	must(feed(ctx[WENT_ON], 0, 0, first, false) &&
	     (is_ccm || feed(ctx[WENT_ON], 0, first, first, true)) && end(ctx[WENT_ON]));
	start(ctx[REFUSED], 0, true);
	must((feed(ctx[REFUSED], 0, 0, LEN, false) && end(ctx[REFUSED])) == residue.enc);
	start(ctx[DOUBTED], 0, true);
	must(feed(ctx[DOUBTED], 0, 0, LEN, true) || is_ccm);
	for (int i = 0; i < 2; i++) {
		start(ctx[OTHER_KEY], i, false);
		must(feed(ctx[OTHER_KEY], i, 0, LEN, false) && end(ctx[OTHER_KEY]));
	}
}

static void play_record(EVP_CIPHER_CTX *c, unsigned char i, bool is_forged)
{
	size_t carried = record_carried(c), len = carried + LEN + MESSAGE_TAG;
	bool ok;

	if (residue.enc)
		memcpy(secret.out + carried, secret.text, LEN);
	else
		memcpy(secret.out, records[i], len);
	secret.out[len / 2] ^= is_forged;
	ok = record_play(c, i, secret.out, len);
	explicit_bzero(secret.out, sizeof(secret.out));
	ERR_clear_error();
	must(ok == (residue.enc || !is_forged));
}

static void *aeads_live(void *unused)
{
	for (size_t i = 0; i < PLACES; i++)
		ctx[i] = fresh(residue.of, residue.enc);
	play_messages();
	for (size_t i = RECORDS; i <= FORGED_RECORD; i++) {
		must(records_start(ctx[i], residue.enc, secret.key[0], secret.iv[0]));
		play_record(ctx[i], 0, false);
		play_record(ctx[i], 1, i == FORGED_RECORD);
	}
	return unused;
}

static void *aeads_live_on(void *unused)
{
	must(end(ctx[PENDING]));
	start(ctx[DOUBTED], 1, false);
	must(feed(ctx[DOUBTED], 1, 0, LEN, false));
	start(ctx[ENDED], 1, false);
	must(feed(ctx[ENDED], 1, 0, LEN, true) && end(ctx[ENDED]));
	return unused;
}

/* Of a message that is pending, the text to be encrypted is kept. */
static void aeads_are_alive(const struct findings *f, bool is_ours)
{
	assert_true(f->n[SECRET_IV] > 0);
	if (!is_ours)
		return;
	assert_true(f->n[SECRET_KEY] > 0);
	assert_true(f->n[SECRET_TEXT] >= LEN / 8 || !residue.enc);
}

/* The kernel opens what is forged, and that is not counted; nor is the first of pieces, opened. */
static unsigned aeads_requests(bool in_child)
{
	static const unsigned char done[2][PLACES] = {
		{ 1, 1, 0, 0, 0, 2, 1, 2 },
		{ 1, 1, 1, 1, 1, 2, 2, 2 },
	};
	bool is_ccm = EVP_CIPHER_get_mode(residue.of->cipher) == EVP_CIPH_CCM_MODE;
	unsigned n = in_child ? 2 : 0;

	for (size_t i = 0; i < PLACES; i++)
		n += done[residue.enc][i];
	return n + (is_ccm && !residue.enc);
}

static struct hash hash[2];
static unsigned char answer[EVP_MAX_MD_SIZE];

/* One that is answered by the kernel, and one that keeps its message; a MAC's is of another key. */
static void *hashes_live(void *unused)
{
	size_t len = residue.alg->key_len ? residue.alg->key_len : sizeof(secret.key[0]);

	hash[0] = hash_new(residue.of->md, residue.of->mac, residue.alg->mac, residue.alg->inner);
	must(hash_start(&hash[0], secret.key[0], len) && hash_update(&hash[0], secret.text, LEN));
	hash[1] = hash_copy(&hash[0]);
	must(hash_final(&hash[1], answer) > 0);
	if (residue.of->mac)
		must(EVP_MAC_init(hash[0].mac, secret.key[1], len, NULL) &&
		     hash_update(&hash[0], secret.text, LEN));
	return unused;
}

static void *hashes_live_on(void *unused)
{
	must(hash_final(&hash[0], answer) > 0);
	return unused;
}

static void free_hashes(void)
{
	hash_free(&hash[0]);
	hash_free(&hash[1]);
}

static void hashes_are_alive(const struct findings *f, bool is_ours)
{
	(void)is_ours;
	assert_true(f->n[SECRET_TEXT] >= 2 * (LEN / 8 - 1));
	assert_true(residue.of->md || f->n[SECRET_KEY] > 0);
}

static unsigned hashes_requests(bool in_child)
{
	return in_child ? 2 : 1;
}

/* On the stack OpenSSL's HMAC leaves keys, and the stand-in what it hashed. */
#define HASHES                                                                                     \
	{                                                                                          \
		NULL, hashes_live, hashes_live_on, free_hashes, NULL, hashes_are_alive,            \
			hashes_requests, false, true                                               \
	}

const struct residue_kind residue_kinds[] = {
	[KC_CIPHER] = { NULL, ciphers_live, ciphers_live_on, free_ciphers, excuse_ciphers,
			ciphers_are_alive, ciphers_requests, true, false },
	[KC_AEAD] = { seal, aeads_live, aeads_live_on, free_ciphers, excuse_chacha, aeads_are_alive,
		      aeads_requests, false, false },
	[KC_DIGEST] = HASHES,
	[KC_MAC] = HASHES,
};
