/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What remains of keys, IVs and texts in this process, or in a child that continues with them, once
 * the contexts are freed: nothing, neither on the heap nor on the stack, as with the default
 * provider. The calls (script.h) run on a stack of their own, so that the search does not overwrite
 * it. usage: residue_test CONFIG ciphers|aeads|hashes
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "integration/lives/loaded.h"
#include "integration/lives/script.h"
#include "integration/lives/search.h"

#define MOST 8 /* number of lives */

/* A row of one of the providers, in one direction. */
static struct {
	size_t row;
	const struct kc_alg *alg;
	struct row_of ours, theirs;
	const struct row_of *of; /* one of the two */
	int enc;
} residue;

/*
 * A context's calls, in this process and then in a child, and the number of their requests that the
 * kernel does.
 */
struct life {
	const char *here, *in_child;
	unsigned decrypting, encrypting, more_in_child;
};

/*
 * In place first, as nothing is held back only then. The last call ends in the middle of a block.
 */
static const struct life of_cipher[] = { { "NBPLCDIUbL", "DL", 5, 5, 2 } };

/*
 * Messages: ended; pending; continued in pieces; refused; about to be refused; with two keys.
 * Records, including a forged one, come last: they leave the most on the stack. The kernel decrypts
 * a forged record, but that is not counted; nor is the first of several pieces in a decryption.
 */
static const struct life of_aead[] = {
	{ "Nkpf", "Kpf", 1, 1, 1 }, { "Nku", "f", 1, 1, 0 },	{ "Nkhhf", "", 0, 1, 0 },
	{ "Nkxuf", "", 0, 1, 0 },   { "Nkxp", "nKu", 0, 1, 1 }, { "NkufKuf", "", 2, 2, 0 },
	{ "NTtt", "", 2, 2, 0 },    { "NTtX", "", 1, 2, 0 },
};

/*
 * CCM has no pieces. After a message that has not ended, or was refused, the base does the next
 * message, or all.
 */
static const struct life of_ccm[] = {
	{ "Nkpf", "Kpf", 1, 1, 1 }, { "Nku", "f", 1, 1, 0 },	{ "Nkuf", "", 1, 1, 0 },
	{ "Nkxuf", "", 0, 0, 0 },   { "Nkxp", "nKu", 0, 0, 0 }, { "NkufKuf", "", 2, 2, 0 },
	{ "NTtt", "", 2, 2, 0 },    { "NTtX", "", 1, 2, 0 },
};

/* A message that the kernel hashes, and one that is held back, under another key. */
static const struct life of_hash[] = { { "NiaCeKa", "f", 1, 1, 1 } };

static const struct kind {
	const struct life *lives;
	size_t n;
	/* Forgives what OpenSSL itself leaves. */
	void (*excuse)(struct findings *f); /* or NULL */
	/* Checks what has to be found of a context that lives. */
	void (*is_alive)(const struct findings *f, bool is_ours);
	bool wipes_stack; /* before the search, where the stack does not matter */
} * kind;

/* Run by the default provider, and by the row under test. */
static struct player want[MOST], now[MOST];

static bool is_named(const char *beginning)
{
	return strncmp(EVP_CIPHER_get0_name(residue.of->cipher), beginning, strlen(beginning)) == 0;
}

/* OpenSSL's C code, where a machine has no other: some words of the key stay on the stack. */
#ifdef __s390x__
#define CAMELLIA_LEAVES_KEY true
#else
#define CAMELLIA_LEAVES_KEY false
#endif

/* OpenSSL's ChaCha20 leaves its state on the stack, in the code for some CPUs. */
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
	/* The ARIA of Debian's 3.6 and 4.0 leaves some words of the key on the stack. */
	if (OpenSSL_version_num() >= 0x30600000 && is_named("ARIA"))
		f->n[SECRET_KEY] = 0;
	if (CAMELLIA_LEAVES_KEY && is_named("CAMELLIA"))
		f->n[SECRET_KEY] = 0;
	/* OpenSSL's XTS, in C, leaves the block before a short last one on the stack. */
	if (residue.alg->iv_rule == KC_IV_WHOLE && f->n[SECRET_TEXT] <= 2)
		f->n[SECRET_TEXT] = 0;
	/*
	 * OpenSSL's ciphers in C leave the last block or a part of it on the stack, which is text
	 * with ECB alone: DES_ecb3_encrypt(), ARIA and SM4 do.
	 */
	if (residue.alg->iv_rule == KC_IV_NONE &&
	    f->n[SECRET_TEXT] <= (unsigned)EVP_CIPHER_get_block_size(cipher) / 8)
		f->n[SECRET_TEXT] = 0;
	/* OpenSSL's ciphertext stealing keeps a copy of a short last block on the stack. */
	if (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS && f->n[SECRET_TEXT] <= 1)
		f->n[SECRET_TEXT] = 0;
}

/*
 * Of the default provider's ciphers only AES is known to keep a key as it was given, except on
 * NEON.
 */
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

/* The text of a pending message is kept if it is to be encrypted. */
static void aeads_are_alive(const struct findings *f, bool is_ours)
{
	assert_true(f->n[SECRET_IV] > 0);
	if (!is_ours)
		return;
	assert_true(f->n[SECRET_KEY] > 0);
	assert_true(f->n[SECRET_TEXT] >= 9000 / 8 || !residue.enc);
}

static void hashes_are_alive(const struct findings *f, bool is_ours)
{
	(void)is_ours;
	assert_true(f->n[SECRET_TEXT] >= 9000 / 8);
	assert_true(residue.of->md || f->n[SECRET_KEY] > 0);
}

/* OpenSSL's HMAC leaves keys on the stack, and the stand-in leaves what it hashed. */
#define HASHES                                                                                     \
	{                                                                                          \
		of_hash, COUNT(of_hash), NULL, hashes_are_alive, true                              \
	}

static const struct kind kinds[] = {
	[KC_CIPHER] = { of_cipher, COUNT(of_cipher), excuse_ciphers, ciphers_are_alive, false },
	[KC_AEAD] = { of_aead, COUNT(of_aead), excuse_chacha, aeads_are_alive, false },
	[KC_DIGEST] = HASHES,
	[KC_MAC] = HASHES,
};

static struct life life(size_t i)
{
	bool is_ccm = residue.alg->kind == KC_AEAD && residue.alg->family == KC_CCM;

	return is_ccm ? of_ccm[i] : kind->lives[i];
}

/* Messages of different lives have different numbers. */
static void begin(struct player *p, size_t i, const struct row_of *of, int enc)
{
	player_begin(p, residue.alg, of, enc);
	p->message = 2 * (unsigned)i;
}

/* Runs the default provider's lives. Encryption comes first: it makes the text to decrypt. */
static void *rehearse(void *unused)
{
	for (size_t i = 0; i < kind->n; i++)
		for (int enc = 1; enc >= residue.enc; enc--) {
			begin(&want[i], i, &residue.theirs, enc);
			want[i].seals = enc;
			player_run(&want[i], life(i).here);
			player_run(&want[i], life(i).in_child);
			player_run(&want[i], "f"); /* what is pending gets its tag, too */
			player_end(&want[i]);
		}
	return unused;
}

/* The output of a decryption is a secret. */
static void note_text(bool ok, const unsigned char *out, size_t len)
{
	if (ok && !residue.enc && residue.alg->kind == KC_CIPHER)
		search_note(SECRET_TEXT, out, len < 4096 ? len : 4096);
}

static void *live_here(void *unused)
{
	for (size_t i = 0; i < kind->n; i++) {
		begin(&now[i], i, residue.of, residue.enc);
		now[i].made = note_text;
		player_run(&now[i], life(i).here);
	}
	return unused;
}

static void *live_on(void *unused)
{
	for (size_t i = 0; i < kind->n; i++)
		player_run(&now[i], life(i).in_child);
	return unused;
}

static bool is_right(void)
{
	for (size_t i = 0; i < kind->n; i++)
		if (memcmp(now[i].log, want[i].log, now[i].n) != 0)
			return false;
	return true;
}

static void end_lives(void)
{
	for (size_t i = 0; i < kind->n; i++)
		player_end(&now[i]);
}

static void make_secrets(void)
{
	assert_int_equal(getrandom(&script_input, sizeof(script_input), 0), sizeof(script_input));
	search_forget_all();
	search_note(SECRET_KEY, script_input.key, sizeof(script_input.key));
	search_note(SECRET_IV, script_input.iv, sizeof(script_input.iv));
	/* The bounds of the calls. A decrypting cipher does not get this text. */
	if (residue.enc || residue.alg->kind != KC_CIPHER) {
		search_note(SECRET_TEXT, script_input.text, 20480);
		search_note(SECRET_TEXT, script_input.text + 79872, 2048);
	}
}

/* Includes output, which may be text. */
static struct findings search_elsewhere(void)
{
	explicit_bzero(&script_input, sizeof(script_input));
	for (size_t i = 0; i < kind->n; i++) {
		player_wipe(&want[i]);
		player_wipe(&now[i]);
	}
	return search_memory();
}

/* Returns false if anything is left, and says where. */
static bool nothing_left(const char *who)
{
	struct findings f = search_elsewhere();

	if (kind->excuse)
		kind->excuse(&f);
	if (f.n[SECRET_KEY] + f.n[SECRET_IV] + f.n[SECRET_TEXT] == 0)
		return true;
	fprintf(stderr, "%s of %s, enc %d: left of key %u, IV %u, text %u:%s\n", who,
		residue.alg->names, residue.enc, f.n[SECRET_KEY], f.n[SECRET_IV], f.n[SECRET_TEXT],
		f.where);
	return false;
}

static void is_found_while_it_lives(void)
{
	struct findings f = search_memory();

	assert_true(f.n[SECRET_TEXT] > 2000 || !residue.enc);
	f = search_elsewhere();
	kind->is_alive(&f, residue.of == &residue.ours);
}

static void on_a_stack(void *(*calls)(void *))
{
	search_on_a_stack(calls);
	if (kind->wipes_stack)
		search_wipe_stack();
}

/* The same contexts continue in a child. */
static void check_child(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		bool ok;

		on_a_stack(live_on);
		ok = is_right();
		end_lives();
		_exit(!nothing_left("a child") || !ok);
	}
	assert_ends_well(pid);
}

/* Over /dev/crypto the base does the long units of XTS. */
static void check_requests(unsigned long long n, bool in_child)
{
	unsigned wanted = 0;

	for (size_t i = 0; i < kind->n; i++)
		wanted += (residue.enc ? life(i).encrypting : life(i).decrypting) +
			  (in_child ? life(i).more_in_child : 0);
	if (residue.of == &residue.theirs)
		assert_int_equal(n, 0);
	else if (residue.alg->kind != KC_CIPHER)
		assert_int_equal(n, wanted);
	else
		assert_true(n >= wanted || residue.alg->iv_rule == KC_IV_WHOLE);
}

static void live(bool in_child)
{
	unsigned long long before;

	make_secrets();
	search_on_a_stack(rehearse);
	before = requests(residue.row);
	on_a_stack(live_here);
	assert_true(is_right());
	if (in_child)
		check_child();
	else
		is_found_while_it_lives();
	check_requests(requests(residue.row) - before, in_child);
	end_lives();
	assert_true(nothing_left(in_child ? "its parent" : "this process"));
}

/* A hash that no kernel lists is offered; the base does it where the device lacks it. */
static bool is_used(void)
{
	unsigned long long before = requests(residue.row);

	if (residue.alg->kind <= KC_AEAD)
		return true;
	make_secrets();
	search_on_a_stack(live_here);
	end_lives();
	return residue.of == &residue.theirs || requests(residue.row) > before;
}

/* Returns false if the row is not offered. */
static bool choose(size_t row)
{
	residue.row = row;
	residue.alg = &kc_algs[row];
	return !row_is_absent(residue.alg) &&
	       row_fetch_both(lib, residue.alg, &residue.ours, &residue.theirs);
}

static void release(void)
{
	row_release(&residue.ours);
	row_release(&residue.theirs);
}

/* Every row of that kind that is offered, in each direction that it has. */
static void for_all(enum kc_kind which, bool of_ours, bool in_child)
{
	size_t offered = 0;

	kind = &kinds[which];
	residue.of = of_ours ? &residue.ours : &residue.theirs;
	for (size_t row = 0; row < KC_ALG_COUNT; row++) {
		if (kc_algs[row].kind != which || !choose(row))
			continue;
		residue.enc = which > KC_AEAD;
		if (is_used()) {
			for (; residue.enc <= 1; residue.enc++)
				live(in_child);
			offered++;
		}
		release();
	}
	assert_true(offered > 0);
}

TEST(ciphers_of_the_default_provider_leave_nothing_behind)
{
	for_all(KC_CIPHER, false, false);
}

TEST(ciphers_leave_nothing_behind)
{
	for_all(KC_CIPHER, true, false);
}

TEST(ciphers_of_a_forked_child_leave_nothing_behind)
{
	for_all(KC_CIPHER, true, true);
}

TEST(aeads_of_the_default_provider_leave_nothing_behind)
{
	for_all(KC_AEAD, false, false);
}

TEST(aeads_leave_nothing_behind)
{
	for_all(KC_AEAD, true, false);
}

TEST(aeads_of_a_forked_child_leave_nothing_behind)
{
	for_all(KC_AEAD, true, true);
}

TEST(hashes_leave_nothing_behind)
{
	for_all(KC_DIGEST, true, false);
	for_all(KC_MAC, true, false);
}

TEST(hashes_of_a_forked_child_leave_nothing_behind)
{
	for_all(KC_DIGEST, true, true);
	for_all(KC_MAC, true, true);
}

/* An answer may be a key. */
TEST(hashes_answers_are_only_where_they_were_asked_for)
{
	static const struct life of_answer = { "NiafR", "", 1, 1, 0 };
	static const struct kind answers = { &of_answer, 1, NULL, NULL, false };
	unsigned long long before = requests(KC_ALG_SHA256);

	kind = &answers;
	residue.of = &residue.ours;
	assert_true(choose(KC_ALG_SHA256));
	make_secrets();
	search_on_a_stack(live_here);
	search_forget_all();
	search_note(SECRET_TEXT, now[0].room, 32);
	assert_true(search_memory().n[SECRET_TEXT] > 0);
	assert_true(nothing_left("an answer"));
	assert_int_equal(requests(KC_ALG_SHA256), before + 1);
	release();
}

const struct suite suite = { .arguments = 2, .by_kind = true, .set_up = load, .tear_down = unload };
