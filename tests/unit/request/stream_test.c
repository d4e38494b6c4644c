/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long messages over a stand-in that takes blocks: in pieces of all sizes, with copies, forks,
 * failures and lies at any point; the digest is always the base's.
 */
#include "unit/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "core/process.h"
#include "request/hash.h"
#include "session/session.h"
#include "standin/standin.h"

#define TEXT (1024 * 1024)

static uint8_t text[TEXT], digest[KC_MAX_OUT], right[KC_MAX_OUT];

/* The digests with a midstate, in this libcrypto: from 4.0 on SHA-2 alone. */
static enum kc_alg_id ids[6];
static size_t n_ids;

static const struct kc_base_row *row_of(enum kc_alg_id id)
{
	return kc_base_outer(kc_base_get(&kc_algs[id]));
}

static struct kc_candidate *blocks_of(enum kc_alg_id id)
{
	return policy.row[id]->blocks;
}

/* From here on everything goes to the stand-in at once, unless a test changes that. */
static void takes_all(const char *verify)
{
	kc_session_end_idle();
	standin_reset();
	standin.takes_blocks = true;
	load_policy("digests", "MD5:0 SHA1:0 SHA224:0 SHA256:0 SHA384:0 SHA512:0 SM3:0", "verify",
		    verify, NULL);
	for (size_t i = 0; i < n_ids; i++) {
		assert_non_null(blocks_of(ids[i]));
		atomic_store(&policy.row[ids[i]]->trust, KC_TRUSTED);
		atomic_store(&blocks_of(ids[i])->trust, KC_TRUSTED);
	}
}

static void begin(struct kc_hash *h)
{
	assert_true(kc_base_outer(h->base)->digest_init(h->base_ctx, NULL));
	kc_hash_started(h, true);
}

static struct kc_hash *start(enum kc_alg_id id)
{
	const struct kc_base_row *row = row_of(id);
	struct kc_hash *h = kc_hash_new(&row->base, policy.row[id], row->newctx(row->provctx));

	assert_non_null(h);
	begin(h);
	return h;
}

static void make_right(enum kc_alg_id id, size_t len)
{
	const struct kc_base_row *row = row_of(id);
	void *ctx = row->newctx(row->provctx);
	size_t n;

	assert_true(row->digest_init(ctx, NULL) && row->base.hash_update(ctx, text, len) &&
		    row->base.final(ctx, right, &n, sizeof(right)));
	row->base.freectx(ctx);
}

static void ends_right(struct kc_hash *h, size_t len)
{
	size_t n = 0;

	memset(digest, 0, sizeof(digest));
	assert_true(kc_hash_final(h, digest, &n, sizeof(digest)));
	make_right((enum kc_alg_id)(h->base->alg - kc_algs), len);
	assert_int_equal(n, h->base->alg->out_len);
	assert_memory_equal(digest, right, n);
}

static void update(struct kc_hash *h, size_t *at, size_t len)
{
	assert_true(kc_hash_update(h, text + *at, len));
	*at += len;
}

/* Interesting sizes at first, then random ones. */
static size_t some_size(size_t left)
{
	static const size_t sizes[] = { 0,    1,    63,	   64,	  65,	 127,	128,   129,   1000,
					4096, 8191, 16384, 32768, 65535, 65536, 65537, 200000 };
	size_t n = rand() % 3 ? sizes[(size_t)rand() % COUNT(sizes)] : (size_t)rand() % 70000;

	return n < left ? n : left;
}

static void in_pieces(struct kc_hash *h, size_t *at, size_t end)
{
	while (*at < end)
		update(h, at, some_size(end - *at));
}

TEST(a_midstate_is_taken_out_and_put_in_where_a_block_ends)
{
	for (size_t i = 0; i < n_ids; i++) {
		const struct kc_base_row *row = row_of(ids[i]);
		const struct kc_base *base = &row->base;
		size_t block = base->alg->block_len, n;
		void *a = row->newctx(row->provctx), *b = row->newctx(row->provctx);
		uint8_t words[KC_MAX_OUT], again[KC_MAX_OUT];
		unsigned part = 77;

		print_message("  %s\n", kc_alg_name(base->alg));
		assert_true(row->digest_init(a, NULL) && row->digest_init(b, NULL));
		assert_true(base->hash_update(a, text, 5 * block + 3));
		assert_true(base->midstate(base, a, words, &part));
		assert_int_equal(part, 3);
		assert_false(base->advance(base, a, words, block));
		assert_true(base->advance(base, b, words, 5 * block));
		assert_true(base->midstate(base, b, again, &part));
		assert_int_equal(part, 0);
		assert_memory_equal(words, again, base->alg->state_len);
		assert_true(base->hash_update(b, text + 5 * block, 1003));
		assert_true(base->final(b, digest, &n, sizeof(digest)));
		make_right(ids[i], 5 * block + 1003);
		assert_memory_equal(digest, right, n);
		base->freectx(a);
		base->freectx(b);
	}
}

/* Counts of bits carry into a second word, which no test reaches by hashing. */
TEST(a_count_of_bytes_carries)
{
	for (size_t i = 0; i < n_ids; i++) {
		const struct kc_base_row *row = row_of(ids[i]);
		const struct kc_base *base = &row->base;
		void *a = row->newctx(row->provctx), *b = row->newctx(row->provctx);
		uint64_t far = (uint64_t)1 << 40;
		uint8_t words[KC_MAX_OUT];
		unsigned part;
		size_t n;

		assert_true(row->digest_init(a, NULL) && row->digest_init(b, NULL));
		assert_true(base->midstate(base, a, words, &part));
		assert_true(base->advance(base, a, words, far + 128));
		for (unsigned half = 0; half < 2; half++)
			assert_true(base->advance(base, b, words, far / 2 + 64));
		assert_true(base->final(a, digest, &n, sizeof(digest)));
		assert_true(base->final(b, right, &n, sizeof(right)));
		assert_memory_equal(digest, right, n);
		make_right(ids[i], 0);
		assert_memory_not_equal(digest, right, n);
		base->freectx(a);
		base->freectx(b);
	}
}

TEST(a_long_message_is_the_kernels_but_for_its_end)
{
	for (size_t i = 0; i < n_ids; i++) {
		struct kc_hash *h;
		size_t at = 0;

		takes_all("0");
		h = start(ids[i]);
		update(h, &at, 10 * 65536 + 5);
		assert_int_equal(standin.requests, 10);
		assert_int_equal(standin.largest, 65536);
		ends_right(h, at);
		begin(h);
		at = 0;
		update(h, &at, 1000);
		ends_right(h, at);
		kc_hash_free(h);
	}
}

TEST(short_updates_become_a_stream_once_there_were_many)
{
	struct kc_hash *h;
	size_t at = 0;

	takes_all("0");
	atomic_store(&policy.row[KC_ALG_SHA256]->terms.threshold[KC_ENCRYPT], 32768);
	h = start(KC_ALG_SHA256);
	begin(h);
	kc_hash_update(h, text, 1);
	begin(h);
	while (at < 65536)
		update(h, &at, 1000);
	assert_int_equal(standin.requests, 0);
	while (at < 10 * 65536)
		update(h, &at, 1000);
	assert_true(standin.requests >= 8);
	ends_right(h, at);
	kc_hash_free(h);
}

/* As in HMAC, whose message begins with the key's block: what follows may be short. */
TEST(blocks_may_follow_what_the_base_has)
{
	for (size_t begun = 1; begun < 200; begun += 63) {
		struct kc_hash *h, *copy;
		size_t at = 0, again;

		takes_all("0");
		atomic_store(&policy.row[KC_ALG_SHA256]->terms.threshold[KC_ENCRYPT], 16384);
		atomic_store(&blocks_of(KC_ALG_SHA256)->terms.threshold[KC_ENCRYPT], 16384);
		kc_hash_free(start(KC_ALG_SHA256));
		h = start(KC_ALG_SHA256);
		update(h, &at, begun);
		copy = kc_hash_dup(h);
		again = at;
		update(h, &at, 20000);
		ends_right(h, at);
		assert_int_equal(standin.requests, 1);
		assert_in_range(standin.largest, 20000 - 2 * 64, 20000);
		update(copy, &again, 5000);
		ends_right(copy, again);
		assert_int_equal(standin.requests, 1);
		kc_hash_free(copy);
		kc_hash_free(h);
	}
}

/* Each long message counts its first requests, so the way is measured again. */
TEST(what_did_not_pay_is_looked_at_again)
{
	struct kc_terms *terms;

	takes_all("0");
	terms = &blocks_of(KC_ALG_SHA256)->terms;
	terms->floor = 16384;
	atomic_store(&terms->threshold[KC_ENCRYPT], SIZE_MAX);
	atomic_store(&terms->before_look, 300000);
	for (unsigned i = 0; i < 6; i++) {
		struct kc_hash *h = start(KC_ALG_SHA256);
		size_t at = 0;

		update(h, &at, 500000);
		assert_int_equal(standin.requests > 0, i >= 2);
		ends_right(h, at);
		kc_hash_free(h);
	}
}

/* In the middle of a message a process learns that not even a block pays. */
TEST(a_limit_of_less_than_a_block_ends_a_stream)
{
	struct kc_hash *h;
	size_t at = 0;

	takes_all("0");
	h = start(KC_ALG_SHA256);
	update(h, &at, 100000);
	atomic_store(&blocks_of(KC_ALG_SHA256)->terms.longest, 10);
	standin.requests = 0;
	in_pieces(h, &at, 300000);
	ends_right(h, at);
	assert_true(standin.requests <= 1);
	kc_hash_free(h);
}

static int refuses(void *ctx, const unsigned char *text_in, size_t len)
{
	return ctx && text_in && !len;
}

TEST(what_the_base_has_refused_has_no_digest)
{
	for (size_t more = 1; more <= 200000; more += 199999) {
		struct kc_hash *h;
		kc_hash_update_fn *takes;
		size_t at = 0, n;

		takes_all("0");
		h = start(KC_ALG_SHA256);
		takes = h->hash_update;
		update(h, &at, 100000);
		h->hash_update = refuses;
		standin.fail_one_in = 1;
		assert_int_equal(kc_hash_update(h, text, more), more == 1);
		h->hash_update = more == 1 ? refuses : takes;
		assert_false(kc_hash_final(h, digest, &n, sizeof(digest)));
		h->hash_update = takes;
		assert_false(kc_hash_update(h, text, 100));
		assert_false(kc_hash_final(h, digest, &n, sizeof(digest)));
		begin(h);
		update(h, &at, 70000);
		kc_hash_free(h);
	}
}

/* Without an init in between. */
TEST(a_call_after_the_end_is_the_bases)
{
	const struct kc_base_row *row = row_of(KC_ALG_SHA256);

	for (size_t len = 0; len < 200000; len = len * 3 + 1) {
		void *theirs = row->newctx(row->provctx);
		struct kc_hash *h;
		size_t n, m;

		takes_all("0");
		h = start(KC_ALG_SHA256);
		assert_true(row->digest_init(theirs, NULL));
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(kc_hash_update(h, text, len),
					 row->base.hash_update(theirs, text, len));
			assert_int_equal(kc_hash_final(h, digest, &n, sizeof(digest)),
					 row->base.final(theirs, right, &m, sizeof(right)));
			assert_memory_equal(digest, right, 32);
		}
		row->base.freectx(theirs);
		kc_hash_free(h);
	}
}

TEST(what_has_no_midstate_is_no_stream)
{
	struct kc_hash *h;
	size_t at = 0;

	takes_all("0");
	assert_null(policy.row[KC_ALG_SM3]->blocks);
	h = start(KC_ALG_SM3);
	in_pieces(h, &at, TEXT);
	ends_right(h, at);
	kc_hash_free(h);
	standin_reset();
	load_policy("digests", "SHA256:0", NULL);
	assert_null(policy.row[KC_ALG_SHA256]->blocks);
}

static void any_message(unsigned fail_one_in)
{
	size_t len = (size_t)rand() % TEXT, at = 0;
	struct kc_hash *h = start(ids[(size_t)rand() % n_ids]), *copy, *third;

	standin.fail_one_in = fail_one_in;
	in_pieces(h, &at, len / 3);
	copy = kc_hash_dup(h);
	in_pieces(h, &at, len);
	ends_right(h, len);
	at = len / 3;
	third = start((enum kc_alg_id)(h->base->alg - kc_algs));
	in_pieces(third, &(size_t){ 0 }, 70000);
	kc_base_outer(copy->base)->copyctx ?
		kc_base_outer(copy->base)->copyctx(third->base_ctx, copy->base_ctx) :
		(void)0;
	if (kc_base_outer(copy->base)->copyctx) {
		kc_hash_copy(third, copy);
		in_pieces(third, &(size_t){ at }, len);
		ends_right(third, len);
	}
	in_pieces(copy, &at, len);
	ends_right(copy, len);
	for (unsigned i = 0; i < 2; i++) {
		begin(h);
		at = 0;
		in_pieces(h, &at, len / 2);
	}
	ends_right(h, len / 2);
	kc_hash_free(third);
	kc_hash_free(copy);
	kc_hash_free(h);
}

TEST(pieces_and_copies_of_all_sizes)
{
	takes_all("0");
	for (int i = 0; i < 60; i++)
		any_message(0);
	assert_true(standin.requests > 60);
}

TEST(a_failure_anywhere_is_the_bases_work)
{
	for (unsigned n = 1; n < 12; n++) {
		takes_all("0");
		for (int i = 0; i < 4; i++)
			any_message(n);
	}
}

TEST(a_lie_anywhere_is_put_right_and_refused)
{
	for (unsigned n = 1; n < 12; n++) {
		struct kc_hash *h;
		size_t at = 0;

		takes_all("1");
		standin.lie_at = n;
		h = start(ids[n % n_ids]);
		update(h, &at, TEXT);
		assert_int_equal(blocks_of(ids[n % n_ids])->trust, KC_REFUSED);
		assert_int_equal(policy.row[ids[n % n_ids]]->trust, KC_REFUSED);
		assert_int_equal(standin.requests, n);
		ends_right(h, at);
		kc_hash_free(h);
	}
}

TEST(the_driver_of_blocks_is_tried_first)
{
	struct kc_hash *h;
	size_t at = 0;

	takes_all("0");
	atomic_store(&blocks_of(KC_ALG_SHA256)->trust, KC_UNTRIED);
	standin.lies = true;
	h = start(KC_ALG_SHA256);
	in_pieces(h, &at, TEXT);
	ends_right(h, at);
	assert_int_equal(blocks_of(KC_ALG_SHA256)->trust, KC_REFUSED);
	kc_hash_free(h);
	takes_all("0");
	atomic_store(&blocks_of(KC_ALG_SHA256)->trust, KC_UNTRIED);
	h = start(KC_ALG_SHA256);
	at = 0;
	in_pieces(h, &at, TEXT);
	ends_right(h, at);
	assert_int_equal(blocks_of(KC_ALG_SHA256)->trust, KC_TRUSTED);
	kc_hash_free(h);
}

TEST(a_fork_in_mid_stream_serves_both)
{
	int status;
	pid_t child;

	takes_all("0");
	for (int i = 0; i < 10; i++) {
		size_t at = 0, len = 300000 + (size_t)rand() % 500000;
		struct kc_hash *h = start(ids[(size_t)i % n_ids]);

		in_pieces(h, &at, len / 2);
		child = fork();
		in_pieces(h, &at, len);
		ends_right(h, len);
		kc_hash_free(h);
		if (child == 0)
			_exit(0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

static void find_ids(void)
{
	static const enum kc_alg_id all[] = { KC_ALG_MD5,    KC_ALG_SHA1,   KC_ALG_SHA224,
					      KC_ALG_SHA256, KC_ALG_SHA384, KC_ALG_SHA512 };
	uint8_t words[KC_MAX_OUT];
	unsigned part;

	for (size_t i = 0; i < COUNT(all); i++) {
		const struct kc_base *base = kc_base_get(&kc_algs[all[i]]);
		void *ctx = base ? base->newctx(base) : NULL;

		if (ctx && kc_base_outer(base)->digest_init(ctx, NULL) &&
		    base->midstate(base, ctx, words, &part))
			ids[n_ids++] = all[i];
		else
			print_message("  no midstate: %s\n", kc_alg_name(&kc_algs[all[i]]));
		if (ctx)
			base->freectx(ctx);
	}
	assert_true(n_ids >= (OPENSSL_VERSION_NUMBER < 0x40000000L ? 5 : 4));
}

static void set_up(void)
{
	open_base();
	find_ids();
	for (size_t i = 0; i < TEXT; i++)
		text[i] = (uint8_t)rand();
}

static void close_all(void)
{
	kc_session_end_idle();
	assert_int_equal(*kc_process_sessions(), 0);
	close_base();
}

const struct suite suite = { .set_up = set_up, .tear_down = close_all };
