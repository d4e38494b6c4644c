/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes after a message that the kernel did: all short sequences of calls, beside the default
 * provider, of whatever version. usage: aead_end_test CONFIG - CONFIG-WITH-THRESHOLDS
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/loaded.h"
#include "integration/message.h"
#include "standin/standin.h"

#define LEN   1000
#define DEPTH 3

static unsigned char text[LEN];
static const unsigned char key[33] = "0123456789abcdef0123456789abcdef", aad[13] = "not a secret";

static const struct row {
	const char *name;
	bool is_ccm;
} rows[] = {
	{ "AES-128-GCM", false },
	{ "ChaCha20-Poly1305", false },
	{ "AES-192-CCM", true },
};

struct side {
	EVP_CIPHER_CTX *c;
	bool is_ours;
	unsigned char nonce[13], out[LEN + 16], tag[16];
	bool sealed;   /* an encryption came to its end, and nothing has begun since; CCM: always */
	bool replaced; /* a text was encrypted since a tag was set to compare with */
	int ok, n, tag_ok;
};

/* Tags that the default provider has shown. */
static unsigned char shown[4 * DEPTH][16];
static size_t n_shown;

static bool init(struct side *s, bool with_nonce, int enc)
{
	s->nonce[0]++;
	return EVP_CipherInit_ex(s->c, NULL, NULL, NULL, with_nonce ? s->nonce : NULL, enc);
}

/* Up to final, unless CCM, which needs none. */
static int message(struct side *s, int len)
{
	return init(s, true, 1) && message_head(s->c, aad, sizeof(aad), (size_t)len) &&
	       EVP_CipherUpdate(s->c, s->out, &s->n, text, len);
}

/* Two empty texts; CCM takes the first one for a part of the text encrypted before. */
static int decrypt_nothing(struct side *s)
{
	return init(s, true, 0) + EVP_CipherUpdate(s->c, s->out, &s->n, text, 0) +
		       2 * EVP_CipherUpdate(s->c, s->out, &s->n, text, 0) >
	       2;
}

/* There and back, without a nonce; a tag is set on the way. */
static int turn(struct side *s, int tag_len)
{
	return init(s, false, 0) &&
	       (!tag_len || EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, tag_len,
						(void *)(uintptr_t)key) > 0) &&
	       init(s, false, 1);
}

static int call(struct side *s, char what)
{
	int n;

	switch (what) {
	case 'f':
		return EVP_CipherFinal_ex(s->c, s->out, &s->n);
	case 't':
		return EVP_CipherUpdate(s->c, s->out, &s->n, text, LEN);
	case 'a':
		return EVP_CipherUpdate(s->c, NULL, &n, aad, sizeof(aad));
	case 'i':
	case 'n':
		return init(s, what == 'n', 1);
	case 'd':
		return turn(s, 0);
	case 'm':
		return message(s, LEN);
	case 'x':
		standin.fail_one_in = s->is_ours;
		n = message(s, LEN);
		standin.fail_one_in = 0;
		return n;
	case 'p':
		return EVP_CIPHER_CTX_set_padding(s->c, 0);
	case 'w':
		return EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 4, /* another length */
					   (unsigned char[4]){ 0 }) > 0;
	case 'e':
		return decrypt_nothing(s);
	/* Only the base's own, below: CCM returns whatever it has. */
	case 's':
	case 'S':
		return turn(s, what == 's' ? 16 : 8);
	case 'D': /* compares the last one that was set or made */
		return init(s, true, 0) && EVP_CipherUpdate(s->c, s->out, &s->n, text, LEN) &&
		       EVP_CipherFinal_ex(s->c, s->out, &s->n);
	case 'c':
		return EVP_Cipher(s->c, s->out, NULL, 0);
	case 'C':
		return EVP_Cipher(s->c, s->out, text, LEN);
	default:
		return 0;
	}
}

static void ask(struct side *s)
{
	s->tag_ok = EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag) > 0;
	if (!s->is_ours && s->tag_ok)
		memcpy(shown[n_shown++], s->tag, 16);
}

static void begin(struct side *s, const struct row *row, bool is_ours)
{
	EVP_CIPHER *cipher =
		EVP_CIPHER_fetch(lib, row->name, is_ours ? "provider=kcrypto" : "provider=default");

	*s = (struct side){ .c = EVP_CIPHER_CTX_new(), .is_ours = is_ours };
	assert_true(EVP_CipherInit_ex(s->c, cipher, NULL, NULL, NULL, 1));
	assert_true(message_start(s->c, 1, key, NULL, NULL));
	EVP_CIPHER_free(cipher);
	assert_true(message(s, LEN) && EVP_CipherFinal_ex(s->c, s->out + LEN, &s->n));
	s->sealed = s->replaced = true;
	n_shown = 0;
	if (!is_ours && !row->is_ccm)
		ask(s);
}

static void step(struct side *s, const struct row *row, char what)
{
	s->n = 0;
	s->ok = call(s, what) > 0;
	s->sealed = row->is_ccm || (what == 'f' ? s->ok : s->sealed && strchr("pw", what));
	s->replaced = strchr("sS", what) ? !s->ok : s->replaced || strchr("tmxC", what);
}

/* Half of a tag, @at its first byte or its eighth; the default provider leaves one, too. */
static bool was_shown(const unsigned char *tag, size_t at)
{
	static const unsigned char none[16];
	bool known = memcmp(tag + at, none, 8) == 0 || memcmp(tag + at, key + at, 8) == 0;

	for (size_t i = 0; i < n_shown; i++)
		known |= memcmp(tag + at, shown[i] + at, 8) == 0;
	return known;
}

/* Before a final, nobody promises which tag is there: ours shows none that is new. */
static bool same_tag(const struct side *s)
{
	if (s[1].sealed)
		return s[0].tag_ok == s[1].tag_ok &&
		       (!s[0].tag_ok || memcmp(s[0].tag, s[1].tag, 16) == 0);
	return !s[0].tag_ok || (was_shown(s[0].tag, 0) && was_shown(s[0].tag, 8));
}

static void compare(const struct side *s, const char *script, size_t at, bool asked)
{
	bool may_differ = script[at] == 'w' && !s[1].sealed;

	if ((s[0].ok == s[1].ok || may_differ) && s[0].n == s[1].n && (!asked || same_tag(s)) &&
	    memcmp(s[0].out, s[1].out, sizeof(s[0].out)) == 0 &&
	    EVP_CIPHER_CTX_get_tag_length(s[0].c) == EVP_CIPHER_CTX_get_tag_length(s[1].c))
		return;
	print_error("differs from the default provider in '%s', call %zu\n", script, at + 1);
	fail();
}

static void begin_pair(struct side *side, const struct row *row)
{
	begin(&side[0], row, true);
	begin(&side[1], row, false);
}

static void end_pair(const struct side *side)
{
	EVP_CIPHER_CTX_free(side[0].c);
	EVP_CIPHER_CTX_free(side[1].c);
	ERR_clear_error();
}

/* Asks for the tag after each call but the first @quiet ones. */
static void play(const struct row *row, const char *script, size_t quiet)
{
	struct side s[2];

	begin_pair(s, row);
	for (size_t i = 0; script[i]; i++) {
		for (size_t j = 0; j < 2; j++) {
			step(&s[j], row, script[i]);
			if (i >= quiet || (j && !row->is_ccm))
				ask(&s[j]);
		}
		/* Nobody promises which tag is compared, either. */
		if (script[i] == 'D' && s[1].replaced && s[0].ok != s[1].ok)
			break;
		compare(s, script, i, i >= quiet);
	}
	end_pair(s);
}

static void play_all(const struct row *row, const char *calls)
{
	size_t n = strlen(calls), all = 1;

	for (size_t i = 0; i < DEPTH; i++)
		all *= n;
	for (size_t i = 0; i < all; i++) {
		char script[DEPTH + 1] = "";

		for (size_t j = 0, rest = i; j < DEPTH; j++, rest /= n)
			script[j] = calls[rest % n];
		for (size_t quiet = 0; quiet < DEPTH; quiet++)
			play(row, script, quiet);
	}
}

TEST(whatever_comes_is_answered_as_by_the_default_provider)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("  %s\n", rows[i].name);
		standin.requests = 0;
		play_all(&rows[i], rows[i].is_ccm ? "ftainmxpwe" : "ftaindmxpwesSDcC");
		assert_true(standin.requests > 500);
	}
}

/* What a life of short messages is interrupted by. */
static const char *const events[] = { "",  "n",	 "nn", "na", "ni", "k", "K",  "Kn",
				      "Q", "Qn", "g",  "d",  "s",  "l", "ls", "u" };

/* One way, text of @len; decrypting with a tag that is right for nothing. */
static void short_or_long(struct side *s, int enc, int len)
{
	int n;

	s->ok = enc || EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 16, s->tag) > 0;
	s->ok &= init(s, true, enc);
	s->ok &= message_head(s->c, aad, sizeof(aad), (size_t)len);
	memset(s->out, 0, sizeof(s->out));
	s->ok = s->ok * 2 + EVP_CipherUpdate(s->c, s->out, &s->n, text, len);
	s->ok = s->ok * 2 + EVP_CipherFinal_ex(s->c, s->out + s->n, &n);
	if (enc)
		s->tag_ok = EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag);
}

static void interrupt(struct side *s, const char *event, int enc)
{
	int n;

	for (; *event; event++) {
		if (*event == 'n' || *event == 'i')
			init(s, *event == 'n', enc);
		else if (*event == 'a')
			EVP_CipherUpdate(s->c, NULL, &n, aad, sizeof(aad));
		else if (*event == 'k' || *event == 'K')
			EVP_CipherInit_ex(s->c, NULL, NULL, text, *event == 'K' ? s->nonce : NULL,
					  enc);
		else if (*event == 'Q')
			EVP_CipherInit_ex(s->c, NULL, NULL, key, s->nonce, enc);
		else if (*event == 'd')
			init(s, true, !enc);
		else if (*event == 's' || *event == 'l')
			EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_IVLEN, *event == 's' ? 12 : 13,
					    NULL);
		else if (*event == 'u') /* CCM fails, and so do its next messages */
			s->ok = init(s, true, enc) && message_head(s->c, aad, sizeof(aad), 5) &&
				EVP_CipherUpdate(s->c, s->out, &n, text, 4);
		else
			EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag);
	}
}

/* Until the driver's trial is over and the session has earned its price: both sides the same. */
static void begin_both(struct side *side, const struct row *row)
{
	unsigned before;

	begin_pair(side, row);
	before = standin.requests - 2;
	for (size_t i = 0; standin.requests != before + 1 && i < 5000; i++) {
		before = standin.requests;
		short_or_long(&side[0], 1, LEN);
		short_or_long(&side[1], 1, LEN);
	}
	assert_int_equal(standin.requests, before + 1);
}

static void live(const struct row *row, const char *event, int enc, size_t shorts)
{
	unsigned before, long_ones = 0;
	struct side side[2];

	begin_both(side, row);
	for (size_t m = 0; m < shorts + 4; m++) {
		int len = m < shorts ? 1 + (int)m % 90 : LEN - (int)m % 7;

		before = standin.requests;
		for (size_t i = 0; i < 2; i++) {
			if (m == shorts / 2 || m == shorts)
				interrupt(&side[i], event, enc);
			short_or_long(&side[i], enc, len);
		}
		ERR_clear_error();
		long_ones += standin.requests - before;
		assert_int_equal(side[0].ok, side[1].ok);
		assert_memory_equal(side[0].out, side[1].out, sizeof(side[0].out));
		assert_memory_equal(side[0].tag, side[1].tag, sizeof(side[0].tag));
		if (m < shorts)
			assert_int_equal(standin.requests, before);
	}
	/* After so many short ones the first is the base's. Decrypting, no tag here is right. */
	assert_true(long_ones >= (enc && !*event ? 3 : 0));
	end_pair(side);
}

/* An empty text, with AAD that depends on @n. @tag: gets the right tag. */
static void seal_nothing(const struct side *s, int n, unsigned char *tag)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_CipherInit_ex(c, EVP_chacha20_poly1305(), NULL, key, s->nonce, 1));
	assert_true(EVP_CipherUpdate(c, NULL, &(int){ 0 }, (unsigned char *)&n, sizeof(n)));
	assert_true(EVP_CipherFinal_ex(c, tag, &(int){ 0 }));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
	EVP_CIPHER_CTX_free(c);
}

/*
 * The rest of the tag is that of the message before, which the kernel did, until a final replaces
 * it: also by one that has the same first bytes.
 */
static void set_a_short_tag(struct side *s, int n)
{
	unsigned char tag[16];

	assert_true(message(s, LEN) && EVP_CipherFinal_ex(s->c, s->out, &s->n));
	assert_true(init(s, true, 0));
	seal_nothing(s, n, tag);
	assert_true(EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 15, tag) > 0);
	assert_true(EVP_CipherUpdate(s->c, NULL, &s->n, (unsigned char *)&n, sizeof(n)));
	assert_true(EVP_CipherInit_ex(s->c, NULL, NULL, NULL, NULL, 1));
	s->tag_ok = EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag) > 0;
	if (n % 2)
		return;
	assert_true(EVP_CipherFinal_ex(s->c, s->out, &s->n));
	s->tag_ok = EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_GET_TAG, 16, s->tag) > 0;
}

TEST(a_shorter_tag_leaves_the_rest_of_the_last_one)
{
	struct side s[2];

	begin_pair(s, &rows[1]);
	for (int n = 0; n < 3000; n++) {
		set_a_short_tag(&s[0], n);
		set_a_short_tag(&s[1], n);
		compare(s, "short tag", 0, true);
	}
	end_pair(s);
}

TEST(long_messages_after_many_short_ones_are_the_kernels_and_right)
{
	static const size_t shorts[] = { 0, 5, 9, 30, 1100 };
	OSSL_LIB_CTX *always = lib;

	lib = library_with(arguments[2]);
	for (size_t i = 0; i < COUNT(rows) * COUNT(events); i++)
		for (size_t j = 0; j < 2 * COUNT(shorts); j++)
			live(&rows[i / COUNT(events)], events[i % COUNT(events)], j % 2 == 0,
			     shorts[j / 2]);
	OSSL_LIB_CTX_free(lib);
	lib = always;
}

/* Of a message that has begun, by the letter: what its text then depends on. */
static void change(struct side *s, char what, unsigned char *iv)
{
	unsigned char other[16] = "another tag";

	if (what == 't')
		EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 16, other);
	else if (what == 'n')
		init(s, true, 0);
	else if (what == 'd')
		init(s, true, 1);
	else if (what == 's')
		EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
	else if (what == 'p' && iv)
		iv[1] ^= 1;
}

static unsigned char *pointer_to_iv(const struct side *s)
{
	unsigned char *iv = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_IV, (void **)&iv, sizeof(s->nonce)),
		OSSL_PARAM_END,
	};

	return EVP_CIPHER_CTX_get_params(s->c, params) > 0 ? iv : NULL;
}

struct made {
	unsigned char text[LEN], nonce, tag[16];
};

static void short_ones(struct side *s, size_t n, unsigned char **iv)
{
	EVP_CipherInit_ex(s->c, NULL, NULL, key, NULL, 0);
	for (size_t m = 1; m <= n; m++) {
		short_or_long(s, 0, (int)m);
		if (m == n && iv)
			*iv = pointer_to_iv(s);
	}
}

static void changed(struct side *s, const struct made *made, char what, unsigned char *iv)
{
	unsigned char tag[16];
	int n;

	memcpy(tag, made->tag, sizeof(tag));
	s->nonce[0] = made->nonce - 1;
	EVP_CIPHER_CTX_ctrl(s->c, EVP_CTRL_AEAD_SET_TAG, 16, tag);
	init(s, true, 0);
	change(s, what, iv);
	message_head(s->c, aad, sizeof(aad), LEN);
	memset(s->out, 0, sizeof(s->out));
	s->ok = EVP_CipherUpdate(s->c, s->out, &s->n, made->text, LEN);
	s->ok = s->ok * 2 + EVP_CipherFinal_ex(s->c, s->out + s->n, &n);
}

/* Decrypts the last message that was encrypted, after @shorts that fail. */
static void change_after(const struct row *row, struct side *side, char what, size_t shorts)
{
	unsigned before = standin.requests;
	unsigned char *iv[2] = { NULL, NULL };
	struct made made = { .nonce = side[1].nonce[0] };

	memcpy(made.text, side[1].out, LEN);
	memcpy(made.tag, side[1].tag, sizeof(made.tag));
	for (size_t i = 0; i < 2; i++)
		short_ones(&side[i], shorts, what == 'p' ? &iv[i] : NULL);
	for (int again = 0; again < 3; again++) {
		for (size_t i = 0; i < 2; i++)
			changed(&side[i], &made, what, iv[i]);
		assert_int_equal(side[0].ok, side[1].ok);
		/* Decrypted by the kernel, nothing is shown before its tag is right. */
		if (side[1].ok == 3)
			assert_memory_equal(side[0].out, side[1].out, LEN);
	}
	/* After a failure, CCM stays with the base; after many short ones, the first long one. */
	if (!what && !(row->is_ccm && shorts))
		assert_true(standin.requests >= before + (shorts < 4 ? 3 : 2));
}

TEST(a_change_after_the_init_counts_after_any_number_of_short_messages)
{
	static const char changes[] = { 0, 't', 'n', 'd', 's', 'p' };
	OSSL_LIB_CTX *always = lib;

	lib = library_with(arguments[2]);
	for (size_t i = 0; i < COUNT(rows) * COUNT(changes) * 14; i++) {
		const struct row *row = &rows[i / 14 / COUNT(changes)];
		struct side side[2];

		begin_both(side, row);
		change_after(row, side, changes[i / 14 % COUNT(changes)], i % 14);
		end_pair(side);
	}
	OSSL_LIB_CTX_free(lib);
	lib = always;
}

static void open_lib(void)
{
	memset(text, 't', sizeof(text));
	load();
}

const struct suite suite = { .arguments = 3, .set_up = open_lib, .tear_down = unload };
