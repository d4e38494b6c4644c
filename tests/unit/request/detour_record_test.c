/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 records through EVP over the stand-in, as libssl asks for them; the default provider is
 * the peer. usage: detour_record_test CONFIG CONFIG-WITH-VERIFY
 */
#include "unit/check.h"

#include <errno.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/loaded.h"
#include "diff/stats_file.h"
#include "stats/table.h"
#include "standin/standin.h"
#include "unit/request/each_row.h"

#define LEN 16384 /* of a record's text */

static unsigned char text[LEN], sent[LEN + 64], got[LEN + 64];

static const struct row {
	const char *name;
	enum kc_alg_id id;
	int mode, tag_len;
	size_t carried;
} rows[] = {
	{ "AES-256-GCM", KC_ALG_AES_256_GCM, EVP_CIPH_GCM_MODE, 16, 8 },
	{ "AES-128-CCM", KC_ALG_AES_128_CCM, EVP_CIPH_CCM_MODE, 16, 8 },
	{ "AES-128-CCM", KC_ALG_AES_128_CCM, EVP_CIPH_CCM_MODE, 8, 8 },
	{ "ChaCha20-Poly1305", KC_ALG_CHACHA20_POLY1305, 0, 16, 0 },
};

struct side {
	EVP_CIPHER_CTX *c;
	const struct row *row;
	int enc;
	uint64_t number; /* of the next record */
};

static uint64_t count(const struct row *row)
{
	return kc_stats_sum(&stats_file_read()->row[row->id]).requests;
}

/* As tls1_change_cipher_state() does it. */
static struct side side(const struct row *row, const char *provider, int enc)
{
	static const unsigned char key[33] = "0123456789abcdef0123456789abcdef",
				   iv[13] = "fixed part..";
	struct side s = { .c = EVP_CIPHER_CTX_new(), .row = row, .enc = enc };
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, row->name, provider);
	int version = 0x303, ok;
	size_t mac_len = 0;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_len),
		OSSL_PARAM_construct_end(),
	};

	assert_non_null(cipher);
	if (row->mode == EVP_CIPH_GCM_MODE)
		ok = EVP_CipherInit_ex(s.c, cipher, NULL, key, NULL, enc) &&
		     EVP_CIPHER_CTX_ctrl(s.c, EVP_CTRL_GCM_SET_IV_FIXED, 4, (void *)iv) > 0;
	else if (row->mode == EVP_CIPH_CCM_MODE)
		ok = EVP_CipherInit_ex(s.c, cipher, NULL, NULL, NULL, enc) &&
		     EVP_CIPHER_CTX_ctrl(s.c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0 &&
		     EVP_CIPHER_CTX_ctrl(s.c, EVP_CTRL_AEAD_SET_TAG, row->tag_len, NULL) > 0 &&
		     EVP_CIPHER_CTX_ctrl(s.c, EVP_CTRL_CCM_SET_IV_FIXED, 4, (void *)iv) > 0 &&
		     EVP_CipherInit_ex(s.c, NULL, NULL, key, NULL, -1);
	else
		ok = EVP_CipherInit_ex(s.c, cipher, NULL, key, iv, enc);
	assert_true(ok && EVP_CIPHER_CTX_set_params(s.c, params));
	EVP_CIPHER_free(cipher);
	return s;
}

/* One record in place; returns the call's result, and the length of the output. */
static int record(struct side *s, unsigned char *at, size_t len, int *outl)
{
	unsigned char aad[13] = { [8] = 23, 3, 3, (unsigned char)(len >> 8), (unsigned char)len };

	for (int i = 0; i < 8; i++)
		aad[i] = (unsigned char)(s->number >> (56 - 8 * i));
	s->number++;
	/*
	 * libssl gives the text's length including what precedes it, and adds the length that is
	 * returned.
	 */
	if (s->enc) {
		aad[11] = (unsigned char)((len - (size_t)s->row->tag_len) >> 8);
		aad[12] = (unsigned char)(len - (size_t)s->row->tag_len);
	}
	assert_int_equal(EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_TLS1_AAD, 13, aad),
			 s->row->tag_len);
	ERR_clear_error();
	errno = 0;
	return EVP_CipherUpdate(s->c, at, outl, at, (int)len);
}

static size_t whole(const struct row *row, size_t len)
{
	return len + row->carried + (size_t)row->tag_len;
}

static void send_one(struct side *s, size_t len)
{
	int n = 0;

	memcpy(sent + s->row->carried, text, len);
	assert_true(record(s, sent, whole(s->row, len), &n));
	assert_int_equal(n, whole(s->row, len));
	assert_int_equal(errno, 0);
	assert_int_equal(ERR_peek_error(), 0);
}

static int receive(struct side *s, size_t len)
{
	int n = 0, ok;

	memcpy(got, sent, whole(s->row, len));
	ok = record(s, got, whole(s->row, len), &n);
	if (ok)
		assert_int_equal(n, len);
	return ok;
}

static void receive_right(struct side *s, size_t len)
{
	assert_true(receive(s, len));
	assert_memory_equal(got + s->row->carried, text, len);
	assert_int_equal(errno, 0);
	assert_int_equal(ERR_peek_error(), 0);
}

static void end(struct side *a, struct side *b)
{
	EVP_CIPHER_CTX_free(a->c);
	EVP_CIPHER_CTX_free(b->c);
}

static const size_t lengths[] = { LEN, 1, 100, LEN - 1, 0, 5000 };

TEST_OF_ROW(records_of_any_length_are_what_a_peer_understands)
{
	for (int enc = 0; enc < 2; enc++) {
		struct side us = side(row, "provider=kcrypto", enc);
		struct side peer = side(row, "provider=default", !enc);
		uint64_t before = count(row);

		for (size_t i = 0; i < COUNT(lengths); i++) {
			send_one(enc ? &us : &peer, lengths[i]);
			receive_right(enc ? &peer : &us, lengths[i]);
		}
		/* All but the one of nothing. */
		assert_int_equal(count(row) - before, COUNT(lengths) - 1);
		end(&us, &peer);
	}
}

static bool seen(const unsigned char *in, size_t len)
{
	for (size_t i = 0; i + 8 <= len; i++)
		if (memcmp(in + i, text, 8) == 0 || memcmp(in + i, text + 1000, 8) == 0)
			return true;
	return false;
}

TEST_OF_ROW(nothing_of_a_forged_record_is_seen)
{
	struct side us = side(row, "provider=kcrypto", 0);
	struct side peer = side(row, "provider=default", 1);
	uint64_t redone = kc_stats_sum(&stats_file_read()->row[row->id]).failed;
	size_t all = whole(row, 2000);

	send_one(&peer, 2000);
	receive_right(&us, 2000);
	for (size_t at = 0; at < all; at += 97) {
		unsigned requests = standin.requests;

		send_one(&peer, 2000);
		sent[at] ^= 0x10;
		assert_false(receive(&us, 2000));
		assert_false(seen(got, all));
		assert_int_equal(standin.requests, requests + 1);
		/* The next one is fine. */
		send_one(&peer, 2000);
		receive_right(&us, 2000);
	}
	assert_int_equal(kc_stats_sum(&stats_file_read()->row[row->id]).failed, redone);
	end(&us, &peer);
}

/* Where records carry no part of it, an IV alone is all that a key's records need anew. */
TEST_OF_ROW(a_new_iv_counts_for_the_next_record)
{
	static const unsigned char other[13] = "another one.";
	struct side us = side(row, "provider=kcrypto", 1), peer = side(row, "provider=default", 0);
	uint64_t before;

	if (!row->carried) {
		send_one(&us, LEN);
		receive_right(&peer, LEN);
		assert_true(EVP_CipherInit_ex(us.c, NULL, NULL, NULL, other, -1));
		assert_true(EVP_CipherInit_ex(peer.c, NULL, NULL, NULL, other, -1));
		before = count(row);
		send_one(&us, LEN);
		assert_int_equal(count(row), before + 1);
		receive_right(&peer, LEN);
	}
	end(&us, &peer);
}

/* The driver's trial is over before what is counted. */
static void warm_up(const struct row *row)
{
	struct side us = side(row, "provider=kcrypto", 1);

	standin_reset();
	send_one(&us, LEN);
	EVP_CIPHER_CTX_free(us.c);
}

static void each_row(void (*play)(const struct row *))
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("  %s, tag of %d\n", rows[i].name, rows[i].tag_len);
		warm_up(&rows[i]);
		play(&rows[i]);
		assert_int_equal(standin.opened, standin.closed);
	}
}

static void open_lib(void)
{
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i * 7 + i / 256);
	load();
}

const struct suite suite = { .arguments = 1, .set_up = open_lib, .tear_down = unload };

/* And once more where every second one is compared with the base's. */
int main(int argc, char **argv)
{
	return argc < 3 ? 2 : check_main(argc, argv) + check_main(argc - 1, argv + 1);
}
