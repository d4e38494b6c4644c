/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's workload. A refused message leaves the same output as with the default provider:
 * nothing of CCM's messages and of records, and of other messages what their update revealed before
 * final refused.
 */
#include "faults/checked.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "integration/message.h"

#define SMALL 1024
#define LARGE 40000
#define TAG   MESSAGE_TAG

static const unsigned char aad[20] = "what is no secret...";

static void start(EVP_CIPHER_CTX *c, const unsigned char *key, const unsigned char *iv, int enc,
		  const unsigned char *tag)
{
	checked_done(message_start(c, enc, key, iv, tag), "init");
}

static void feed_aad(EVP_CIPHER_CTX *c, size_t len)
{
	checked_done(message_head(c, aad, sizeof(aad), len), "AAD");
}

static void end(struct workload *w, EVP_CIPHER_CTX *c)
{
	int n = 0;

	checked_done(EVP_CipherFinal_ex(c, w->transcript + w->len, &n), "final");
	w->len += (size_t)n;
	if (!EVP_CIPHER_CTX_is_encrypting(c))
		return;
	checked_done(message_tag(c, w->transcript + w->len), "asking for the tag");
	w->len += TAG;
}

/* Text and tag, at the transcript's end; returns where they are. */
static const unsigned char *seal(struct workload *w, EVP_CIPHER_CTX *c, const unsigned char *key,
				 const unsigned char *iv, size_t len, bool in_place)
{
	unsigned char *at = w->transcript + w->len;

	start(c, key, iv, 1, NULL);
	feed_aad(c, len);
	if (in_place)
		memcpy(at, checked_plain, len);
	checked_update(w, c, in_place ? NULL : checked_plain, len);
	end(w, c);
	return at;
}

/*
 * Opens the sealed text with this tag. Notes the verdict, and everything in the output's place
 * afterwards.
 */
static void open_sealed(struct workload *w, EVP_CIPHER_CTX *c, const unsigned char *sealed,
			size_t len, const unsigned char *tag, bool in_place, bool is_right)
{
	unsigned char *out = w->transcript + w->len;
	bool ok;
	int n = 0;

	start(c, checked_key, checked_iv, 0, tag);
	feed_aad(c, len);
	if (in_place)
		memcpy(out, sealed, len);
	else
		memset(out, 0x5a, len);
	ok = EVP_CipherUpdate(c, out, &n, in_place ? out : sealed, (int)len);
	if (checked_may_fail(ok))
		ok = checked_may_fail(EVP_CipherFinal_ex(c, out + n, &n));
	w->len += len;
	checked_verdict(w, ok);
	checked_must(ok == is_right, is_right ? "refused" : "a bad tag passed");
}

static void in_both_directions(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *d)
{
	const unsigned char *sealed = seal(w, a, checked_key, checked_iv, SMALL, false);
	unsigned char tag[TAG];

	if (w->begun)
		w->begun();
	for (int is_right = 1; is_right >= 0; is_right--)
		for (int in_place = 0; in_place < 2; in_place++) {
			memcpy(tag, sealed + SMALL, TAG);
			tag[in_place ? 0 : TAG - 1] ^= is_right ? 0 : 1;
			open_sealed(w, d, sealed, SMALL, tag, in_place, is_right);
		}
	sealed = seal(w, a, NULL, checked_iv, LARGE, true);
	open_sealed(w, d, sealed, LARGE, sealed + LARGE, true, true);
	open_sealed(w, d, sealed, LARGE, sealed, true, false);
}

/* One update turns out to be two; a tag that comes late; a copy. */
static void in_pieces(struct workload *w, EVP_CIPHER_CTX *p, EVP_CIPHER_CTX *copy)
{
	const unsigned char *sealed = w->transcript + w->len;
	bool is_copied; /* from 3.1 on */

	start(p, checked_key, checked_other_iv, 1, NULL);
	feed_aad(p, 2 * SMALL);
	checked_update(w, p, checked_plain, SMALL);
	checked_update(w, p, checked_plain + SMALL, SMALL);
	end(w, p);
	start(p, checked_key, checked_other_iv, 0, sealed + 2 * SMALL);
	feed_aad(p, 2 * SMALL);
	checked_update(w, p, sealed, SMALL);
	checked_update(w, p, sealed + SMALL, SMALL);
	end(w, p);
	start(p, checked_key, checked_other_iv, 0, sealed);
	feed_aad(p, 2 * SMALL);
	checked_update(w, p, sealed, 2 * SMALL);
	checked_done(EVP_CIPHER_CTX_ctrl(p, EVP_CTRL_AEAD_SET_TAG, TAG,
					 (void *)(uintptr_t)(sealed + 2 * SMALL)) > 0,
		     "late tag");
	end(w, p);
	start(p, checked_key, checked_other_iv, 1, NULL);
	feed_aad(p, SMALL);
	checked_update(w, p, checked_plain, SMALL);
	is_copied = checked_may_fail(EVP_CIPHER_CTX_copy(copy, p));
	checked_verdict(w, is_copied);
	if (is_copied)
		end(w, copy);
	end(w, p);
}

static EVP_CIPHER_CTX *side(OSSL_LIB_CTX *lib, struct workload *w, int enc)
{
	EVP_CIPHER_CTX *c = checked_cipher(lib, w);

	checked_done(records_start(c, enc, checked_key, checked_iv), "start of records");
	return c;
}

/* In place at the transcript's end. */
static void record(struct workload *w, EVP_CIPHER_CTX *c, size_t len, unsigned char number,
		   bool is_right)
{
	bool ok = checked_may_fail(record_play(c, number, w->transcript + w->len, len));

	w->len += len;
	checked_verdict(w, ok);
	checked_must(ok == is_right, is_right ? "a record was refused" : "a forged record passed");
}

/* Like a peer that uses libssl. */
static void records(struct workload *w, OSSL_LIB_CTX *lib)
{
	EVP_CIPHER_CTX *out = side(lib, w, 1), *in = side(lib, w, 0);
	size_t carried = record_carried(out), len = carried + SMALL + TAG;

	for (unsigned char i = 0; i < 5; i++) {
		const unsigned char *sent = w->transcript + w->len;
		unsigned char *received;
		bool is_right = i != 1 && i != 3;

		memcpy(w->transcript + w->len + carried, checked_plain, SMALL);
		record(w, out, len, i, true);
		received = w->transcript + w->len;
		memcpy(received, sent, len);
		if (!is_right)
			received[i == 1 ? len - 1 : len / 2] ^= 1;
		record(w, in, len, i, is_right);
		checked_must(is_right || memmem(received, len, checked_plain + 512, 16) == NULL,
			     "a forged record's text was released");
	}
	EVP_CIPHER_CTX_free(out);
	EVP_CIPHER_CTX_free(in);
}

static void another_key(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *second)
{
	seal(w, second, checked_other_key, checked_iv, SMALL, false);
	seal(w, a, checked_other_key, checked_other_iv, SMALL, false);
	seal(w, second, NULL, checked_other_iv, SMALL, true);
}

static void again(struct workload *w, void *ctx)
{
	seal(w, ctx, NULL, checked_iv, CHECKED_AGAIN - TAG, false);
}

const char *workload_aead(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER_CTX *a, *d, *p, *copy, *second;

	checked_begin(w);
	a = checked_cipher(lib, w);
	d = checked_cipher(lib, w);
	p = checked_cipher(lib, w);
	second = checked_cipher(lib, w);
	copy = EVP_CIPHER_CTX_new();
	checked_ready();
	in_both_directions(w, a, d);
	/* CCM's update is the whole message. */
	if (!message_is_ccm(p))
		in_pieces(w, p, copy);
	another_key(w, a, second);
	checked_ready();
	records(w, lib);
	checked_free(copy);
	checked_recover(w, again, a);
	checked_free(a);
	checked_free(d);
	checked_free(p);
	checked_free(second);
	return checked_end();
}
