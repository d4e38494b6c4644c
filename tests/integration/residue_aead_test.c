/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of key, nonce and plaintext in this process once the contexts of an AEAD are freed,
 * each in another place of its life and with a session open: nothing, heap and stack included, as
 * with the default provider. usage: residue_aead_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>

#include "diff/row.h"
#include "integration/loaded.h"
#include "integration/message.h"
#include "integration/search.h"

#define LEN 16000

/* What a message has come to when its context is freed. */
enum place { ENDED, PENDING, WENT_ON, REFUSED, DOUBTED, RECORDS, FORGED_RECORD, OTHER_KEY, PLACES };

/* Requests of each place that the kernel did: it opens what is forged, and that is not counted. */
static const unsigned done[2][PLACES] = {
	{ 1, 1, 0, 0, 0, 2, 1, 2 }, /* decrypting: in pieces, the first is none that it opens */
	{ 1, 1, 1, 1, 1, 2, 2, 2 },
};

/* The one place for secrets, wiped before each search; output may be plaintext too. */
static struct {
	unsigned char key[2][64], iv[2][16], text[LEN], out[LEN + RECORD_ROOM];
} secret;

static unsigned char sealed[2][LEN + RECORD_ROOM], records[2][LEN + RECORD_ROOM];
static EVP_CIPHER *ours, *theirs;
static const EVP_CIPHER *cipher;
static EVP_CIPHER_CTX *ctx[PLACES];
static int enc;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void make_secrets(void)
{
	search_forget_all();
	assert_int_equal(getrandom(secret.key, sizeof(secret.key), 0), sizeof(secret.key));
	assert_int_equal(getrandom(secret.iv, sizeof(secret.iv), 0), sizeof(secret.iv));
	for (size_t i = 0; i < LEN; i += 250)
		assert_int_equal(getrandom(secret.text + i, 250, 0), 250);
	search_note(SECRET_KEY, secret.key, sizeof(secret.key));
	search_note(SECRET_IV, secret.iv, sizeof(secret.iv));
	search_note(SECRET_TEXT, secret.text, sizeof(secret.text));
}

static EVP_CIPHER_CTX *fresh(const EVP_CIPHER *of, int direction)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(EVP_CipherInit_ex(c, of, NULL, NULL, NULL, direction));
	return c;
}

/* By the default provider: messages under each key, and two records. */
static void *seal(void *unused)
{
	EVP_CIPHER_CTX *c = fresh(theirs, 1);
	size_t carried = record_carried(c);
	int n = 0;

	for (int i = 0; i < 2; i++) {
		must(message_start(c, 1, secret.key[i], secret.iv[i], NULL) &&
		     message_head(c, NULL, 0, LEN) &&
		     EVP_CipherUpdate(c, sealed[i], &n, secret.text, LEN) &&
		     EVP_CipherFinal_ex(c, sealed[i] + n, &n) && message_tag(c, sealed[i] + LEN));
	}
	EVP_CIPHER_CTX_free(c);
	c = fresh(theirs, 1);
	must(records_start(c, 1, secret.key[0], secret.iv[0]));
	for (unsigned char i = 0; i < 2; i++) {
		memcpy(records[i] + carried, secret.text, LEN);
		must(record_play(c, i, records[i], carried + LEN + MESSAGE_TAG));
	}
	EVP_CIPHER_CTX_free(c);
	return unused;
}

static bool update(EVP_CIPHER_CTX *c, int which, size_t from, size_t len, bool in_place)
{
	const unsigned char *in = (enc ? secret.text : sealed[which]) + from;
	bool ok;
	int n;

	memcpy(secret.out, in, in_place ? len : 0);
	ok = EVP_CipherUpdate(c, secret.out, &n, in_place ? secret.out : in, (int)len);
	explicit_bzero(secret.out, sizeof(secret.out));
	return ok;
}

static void start(EVP_CIPHER_CTX *c, int which, bool is_forged)
{
	unsigned char tag[MESSAGE_TAG];

	memcpy(tag, sealed[which] + LEN, sizeof(tag));
	tag[0] ^= is_forged;
	must(message_start(c, enc, secret.key[which], secret.iv[which], enc ? NULL : tag) &&
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

static void play_messages(void)
{
	bool is_ccm = message_is_ccm(ctx[0]);

	start(ctx[ENDED], 0, false);
	must(update(ctx[ENDED], 0, 0, LEN, true) && end(ctx[ENDED]));
	start(ctx[PENDING], 0, false);
	must(update(ctx[PENDING], 0, 0, LEN, false));
	start(ctx[WENT_ON], 0, false);
	if (is_ccm)
		must(update(ctx[WENT_ON], 0, 0, LEN, false) && end(ctx[WENT_ON]));
	else
		must(update(ctx[WENT_ON], 0, 0, LEN / 2, false) &&
		     update(ctx[WENT_ON], 0, LEN / 2, LEN / 2, true) && end(ctx[WENT_ON]));
	start(ctx[REFUSED], 0, true);
	must(!(update(ctx[REFUSED], 0, 0, LEN, false) && end(ctx[REFUSED])) == !enc);
	start(ctx[DOUBTED], 0, true);
	must(update(ctx[DOUBTED], 0, 0, LEN, true) || is_ccm);
	ERR_clear_error();
	for (int i = 0; i < 2; i++) {
		start(ctx[OTHER_KEY], i, false);
		must(update(ctx[OTHER_KEY], i, 0, LEN, false) && end(ctx[OTHER_KEY]));
	}
}

static void play_record(EVP_CIPHER_CTX *c, unsigned char i, bool is_forged)
{
	size_t carried = record_carried(c), len = carried + LEN + MESSAGE_TAG;
	bool ok;

	if (enc)
		memcpy(secret.out + carried, secret.text, LEN);
	else
		memcpy(secret.out, records[i], len);
	secret.out[len / 2] ^= is_forged;
	ok = record_play(c, i, secret.out, len);
	explicit_bzero(secret.out, sizeof(secret.out));
	ERR_clear_error();
	must(ok == (enc || !is_forged));
}

static void *calls(void *unused)
{
	for (size_t i = 0; i < PLACES; i++)
		ctx[i] = fresh(cipher, enc);
	play_messages();
	for (size_t i = RECORDS; i <= FORGED_RECORD; i++) {
		must(records_start(ctx[i], enc, secret.key[0], secret.iv[0]));
		play_record(ctx[i], 0, false);
		play_record(ctx[i], 1, i == FORGED_RECORD);
	}
	return unused;
}

/* The same contexts go on in a child. */
static void *calls_of_child(void *unused)
{
	must(end(ctx[PENDING]));
	start(ctx[DOUBTED], 1, false);
	must(update(ctx[DOUBTED], 1, 0, LEN, false));
	start(ctx[ENDED], 1, false);
	must(update(ctx[ENDED], 1, 0, LEN, true) && end(ctx[ENDED]));
	return unused;
}

static void free_all(void)
{
	for (size_t i = 0; i < PLACES; i++) {
		EVP_CIPHER_CTX_free(ctx[i]);
		ctx[i] = NULL;
	}
}

/* False, and says where, if anything is left. */
static bool nothing_left(const char *who)
{
	struct findings f;

	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
	if (SEARCH_FINDS_STATE && EVP_CIPHER_is_a(cipher, "ChaCha20-Poly1305"))
		f.n[SECRET_KEY] = f.n[SECRET_IV] = 0;
	if (f.n[SECRET_KEY] + f.n[SECRET_IV] + f.n[SECRET_TEXT] == 0)
		return true;
	fprintf(stderr, "%s of %s, enc %d: left of key %u, IV %u, text %u:%s\n", who,
		EVP_CIPHER_get0_name(cipher), enc, f.n[SECRET_KEY], f.n[SECRET_IV],
		f.n[SECRET_TEXT], f.where);
	return false;
}

static void begin(void)
{
	make_secrets();
	search_on_a_stack(seal);
	search_on_a_stack(calls);
}

/* Of a message that is pending, the text to be encrypted is kept. */
static void is_found_while_it_lives(void)
{
	struct findings f;

	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
	assert_true(f.n[SECRET_IV] > 0);
	if (cipher != ours)
		return;
	assert_true(f.n[SECRET_KEY] > 0);
	assert_true(f.n[SECRET_TEXT] >= LEN / 8 || !enc);
}

static void one(void)
{
	begin();
	is_found_while_it_lives();
	free_all();
	assert_true(nothing_left("this process"));
}

static void one_in_a_child(void)
{
	int status;
	pid_t pid;

	begin();
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		search_on_a_stack(calls_of_child);
		free_all();
		_exit(!nothing_left("a child"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free_all();
	assert_true(nothing_left("its parent"));
}

/* A bad tag is a question to the base, and CCM has no pieces. */
static unsigned long long expected(bool is_ccm, bool in_child)
{
	unsigned long long n = in_child ? 2 : 0;

	for (size_t i = 0; i < PLACES; i++)
		n += done[enc][i];
	return n + (is_ccm && !enc);
}

static void for_all(bool of_ours, bool in_child)
{
	size_t offered = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		if (kc_algs[i].kind != KC_AEAD || !row_fetch(lib, &kc_algs[i], &ours, &theirs))
			continue;
		cipher = of_ours ? ours : theirs;
		for (enc = 0; enc <= 1; enc++) {
			unsigned long long before = requests(i);
			bool is_ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;

			if (in_child)
				one_in_a_child();
			else
				one();
			assert_int_equal(requests(i) - before,
					 of_ours ? expected(is_ccm, in_child) : 0);
		}
		EVP_CIPHER_free(ours);
		EVP_CIPHER_free(theirs);
		offered++;
	}
	assert_true(offered >= 3);
}

TEST(the_default_provider_leaves_nothing_behind)
{
	for_all(false, false);
}

TEST(freed_contexts_leave_nothing_behind)
{
	for_all(true, false);
}

TEST(neither_do_those_of_a_forked_child)
{
	for_all(true, true);
}

const struct suite suite = { .arguments = 1, .set_up = load, .tear_down = unload };
