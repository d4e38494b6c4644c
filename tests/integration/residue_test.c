/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of keys, IVs and texts in this process, or in a child that goes on with them, once
 * the contexts are freed: nothing, heap and stack included, as with the default provider. The calls
 * are made on a stack of their own, so that looking does not overwrite it.
 * usage: residue_test CONFIG ciphers|aeads|hashes
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "integration/loaded.h"
#include "integration/residue.h"

struct secret secret;
struct residue residue;

static const struct residue_kind *kind;

static void make_secrets(void)
{
	for (size_t i = 0; i < sizeof(secret); i += 250) {
		size_t left = sizeof(secret) - i;

		assert_true(getrandom((char *)&secret + i, left < 250 ? left : 250, 0) > 0);
	}
	search_forget_all();
	search_note(SECRET_KEY, secret.key, sizeof(secret.key));
	search_note(SECRET_IV, secret.iv, sizeof(secret.iv));
	/* A cipher that decrypts does not get it. */
	if (residue.enc || residue.alg->kind != KC_CIPHER)
		search_note(SECRET_TEXT, secret.text, sizeof(secret.text));
}

/* False, and says where, if anything is left. */
static bool nothing_left(const char *who)
{
	struct findings f;

	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
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

	assert_true(f.n[SECRET_TEXT] > RESIDUE_LEN / 16 || !residue.enc);
	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
	kind->is_alive(&f, residue.of == &residue.ours);
}

static void on_a_stack(void *(*calls)(void *))
{
	search_on_a_stack(calls);
	if (kind->wipes_stack)
		search_wipe_stack();
}

/* The same contexts go on in a child. */
static void check_child(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		on_a_stack(kind->live_on);
		kind->free();
		_exit(!nothing_left("a child"));
	}
	assert_ends_well(pid);
}

static void check_requests(unsigned long long n, bool in_child)
{
	if (residue.of == &residue.theirs)
		assert_int_equal(n, 0);
	else if (kind->at_least)
		assert_true(n >= kind->requests(in_child));
	else
		assert_int_equal(n, kind->requests(in_child));
}

static void live(size_t row, bool in_child)
{
	unsigned long long before = requests(row);

	make_secrets();
	if (kind->prepare)
		search_on_a_stack(kind->prepare);
	on_a_stack(kind->live);
	if (in_child)
		check_child();
	else
		is_found_while_it_lives();
	check_requests(requests(row) - before, in_child);
	kind->free();
	assert_true(nothing_left(in_child ? "its parent" : "this process"));
}

/* A hash that no kernel lists is offered, and is the base's where the device lacks it. */
static bool is_used(size_t row)
{
	unsigned long long before = requests(row);

	if (residue.alg->kind <= KC_AEAD)
		return true;
	make_secrets();
	search_on_a_stack(kind->live);
	kind->free();
	return residue.of == &residue.theirs || requests(row) > before;
}

/* Every row of that kind that is offered, in each direction that there is. */
static void for_all(enum kc_kind which, bool of_ours, bool in_child)
{
	size_t offered = 0;

	kind = &residue_kinds[which];
	residue.of = of_ours ? &residue.ours : &residue.theirs;
	for (size_t row = 0; row < KC_ALG_COUNT; row++) {
		residue.alg = &kc_algs[row];
		if (residue.alg->kind != which || row_is_absent(residue.alg) ||
		    !row_fetch_both(lib, residue.alg, &residue.ours, &residue.theirs))
			continue;
		residue.enc = which > KC_AEAD;
		if (is_used(row)) {
			for (; residue.enc <= 1; residue.enc++)
				live(row, in_child);
			offered++;
		}
		row_release(&residue.ours);
		row_release(&residue.theirs);
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

static void *ask_for_an_answer(void *unused)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (!EVP_DigestInit_ex(c, residue.ours.md, NULL) ||
	    !EVP_DigestUpdate(c, secret.text, RESIDUE_LEN) ||
	    !EVP_DigestFinal_ex(c, secret.out, NULL))
		abort();
	EVP_MD_CTX_free(c);
	return unused;
}

/* It may be a key. */
TEST(hashes_answers_are_only_where_they_were_asked_for)
{
	unsigned long long before = requests(KC_ALG_SHA256);

	kind = &residue_kinds[KC_DIGEST];
	residue.alg = &kc_algs[KC_ALG_SHA256];
	assert_true(row_fetch_both(lib, residue.alg, &residue.ours, &residue.theirs));
	make_secrets();
	search_on_a_stack(ask_for_an_answer);
	search_forget_all();
	search_note(SECRET_TEXT, secret.out, 32);
	assert_true(search_memory().n[SECRET_TEXT] > 0);
	assert_true(nothing_left("an answer"));
	assert_int_equal(requests(KC_ALG_SHA256), before + 1);
	row_release(&residue.ours);
	row_release(&residue.theirs);
}

const struct suite suite = { .arguments = 2, .by_kind = true, .set_up = load, .tear_down = unload };
