/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages over the stand-in: which of them are kept, what computes their digests, and what a
 * failure costs.
 */
#include "unit/fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "core/process.h"
#include "request/hash.h"
#include "session/buffers.h"
#include "diff/stats_file.h"
#include "stats/table.h"
#include "standin/standin.h"

#define THRESHOLD 8000
#define MESSAGE	  4096

static const struct kc_base_row *base(void)
{
	return kc_base_outer(kc_base_get(&kc_algs[KC_ALG_SHA256]));
}

static struct kc_candidate *row(enum kc_alg_id id)
{
	return policy.row[id];
}

static struct kc_candidate *candidate(void)
{
	return row(KC_ALG_SHA256);
}

/* @threshold applies from here on, but a session has no price, as with 0. */
static void configure_hash(size_t threshold, const char *verify)
{
	kc_session_end_idle();
	standin_reset();
	load_policy("digests", "SHA256:0 SHA512:0", "verify", verify, NULL);
	assert_ptr_equal(candidate()->backend, kc_backends[0]);
	atomic_store(&candidate()->terms.threshold[KC_ENCRYPT], threshold);
	atomic_store(&candidate()->trust, KC_TRUSTED);
	atomic_store(&row(KC_ALG_SHA512)->trust, KC_TRUSTED);
}

static void begin(struct kc_hash *h)
{
	assert_true(base()->digest_init(h->base_ctx, NULL));
	kc_hash_started(h, true);
}

static struct kc_hash *started_hash(void)
{
	struct kc_hash *h =
		kc_hash_new(&base()->base, candidate(), base()->newctx(base()->provctx));

	assert_non_null(h);
	begin(h);
	return h;
}

static struct kc_hash *configured_hash(void)
{
	configure_hash(THRESHOLD, "0");
	return started_hash();
}

static void digest(size_t len)
{
	void *ctx = base()->newctx(base()->provctx);
	size_t n;

	assert_true(base()->digest_init(ctx, NULL) && base()->base.hash_update(ctx, in, len) &&
		    base()->base.final(ctx, want, &n, sizeof(want)));
	base()->base.freectx(ctx);
}

static void ends_right(struct kc_hash *h, size_t len)
{
	size_t n = 0;

	memset(out, 0, sizeof(out));
	errno = 77;
	assert_true(kc_hash_final(h, out, &n, sizeof(out)));
	assert_int_equal(errno, 77);
	assert_int_equal(n, 32);
	digest(len);
	assert_memory_equal(out, want, 32);
}

TEST(a_message_of_a_length_that_the_driver_leaves_to_software_stays_with_the_base)
{
	for (size_t len = MESSAGE; len < MESSAGE + 9; len++) {
		struct kc_hash *h;

		kc_session_end_idle();
		standin_reset();
		standin_driver("sha256", "sha256-sun8i-ce", 300, true);
		load_policy("digests", "SHA256:0", NULL);
		atomic_store(&candidate()->trust, KC_TRUSTED);
		h = started_hash();
		assert_true(kc_hash_update(h, in, len));
		ends_right(h, len);
		assert_int_equal(standin.requests, len % 4 == 0);
		kc_hash_free(h);
	}
}

/* Makes one message in two parts. Returns the number of requests. */
static unsigned requests_for(size_t first, size_t second)
{
	unsigned before = standin.requests;
	struct kc_hash *h = started_hash();

	assert_true(kc_hash_update(h, in, first));
	assert_true(kc_hash_update(h, in + first, second));
	ends_right(h, first + second);
	kc_hash_free(h);
	return standin.requests - before;
}

TEST(only_a_whole_message_from_the_threshold_to_the_buffer_is_the_kernels)
{
	static const struct {
		size_t first, second;
		unsigned requests;
	} cases[] = {
		{ THRESHOLD, 0, 1 },
		{ THRESHOLD - 1, 0, 0 },
		{ THRESHOLD - 1, 1, 1 },
		{ THRESHOLD / 2, 65536 - THRESHOLD / 2, 1 },
		{ THRESHOLD / 2 - 1, 20000, 0 }, /* not worth a copy */
		{ 65536, 0, 1 },
		{ 65536, 1, 0 },
		{ 65537, 0, 0 },
		{ 30000, 170000, 0 },
		{ 0, 20000, 1 }, /* an empty update is no evidence */
		{ 0, 0, 0 },
	};

	configure_hash(THRESHOLD, "0");
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %zu + %zu\n", cases[i].first, cases[i].second);
		assert_int_equal(requests_for(cases[i].first, cases[i].second), cases[i].requests);
	}
	kc_session_end_idle();
	assert_int_equal(standin.opened, standin.closed);
}

TEST(the_configured_largest_request_bounds_a_message)
{
	configure_hash(THRESHOLD, "0");
	candidate()->max_request = 10000;
	assert_int_equal(requests_for(10000, 0), 1);
	assert_int_equal(requests_for(10000, 1), 0);
	candidate()->max_request = THRESHOLD - 16;
	assert_int_equal(requests_for(THRESHOLD - 16, 0), 0);
}

TEST(what_the_kernel_fails_the_base_answers)
{
	struct kc_hash *h;

	configure_hash(THRESHOLD, "0");
	standin.fail_one_in = 1;
	assert_int_equal(requests_for(20000, 3), 1);
	standin_reset();
	standin.open_errno = EMFILE;
	assert_int_equal(requests_for(20000, 3), 0);
	standin_reset();

	h = started_hash();
	kc_hash_update(h, in, 20000);
	ends_right(h, 20000);
	standin.fail_one_in = 1;
	begin(h);
	kc_hash_update(h, in, 30000);
	ends_right(h, 30000);
	assert_false(kc_gate_is_open(&h->gate));
	kc_hash_free(h);
}

TEST(where_there_is_no_room_for_the_answer_the_base_refuses)
{
	struct kc_hash *h = configured_hash();
	size_t n = 0;

	kc_hash_update(h, in, 20000);
	memset(out, 0x55, sizeof(out));
	assert_false(kc_hash_final(h, out, &n, 31));
	assert_int_equal(out[0], 0x55);
	assert_int_equal(standin.requests, 0);
	kc_hash_free(h);
}

TEST(one_session_is_for_all_messages_of_a_context)
{
	struct kc_hash *h = configured_hash();

	for (size_t i = 0; i < 5; i++) {
		begin(h);
		kc_hash_update(h, in, 20000 + i);
		ends_right(h, 20000 + i);
	}
	assert_int_equal(standin.opened, 1);
	kc_hash_free(h);
	assert_int_equal(standin.closed, 0);
	kc_session_end_idle();
	assert_int_equal(standin.closed, 1);
}

TEST(contexts_that_nobody_frees_share_a_session_once_they_are_done)
{
	struct kc_hash *h[20];

	configure_hash(THRESHOLD, "0");
	for (size_t i = 0; i < COUNT(h); i++) {
		h[i] = started_hash();
		kc_hash_update(h[i], in, 20000 + i);
		ends_right(h[i], 20000 + i);
	}
	assert_int_equal(standin.requests, COUNT(h));
	assert_int_equal(standin.opened, 1);
	for (size_t i = 0; i < COUNT(h); i++)
		kc_hash_free(h[i]);
}

TEST(however_many_contexts_keep_a_message_they_hold_so_much_and_no_more)
{
	struct kc_hash *h[80], *copy;
	unsigned buffers = 0;

	configure_hash(THRESHOLD, "0");
	candidate()->max_sessions = 1000;
	for (size_t i = 0; i < COUNT(h); i++) {
		h[i] = started_hash();
		kc_hash_update(h[i], in, 20000);
		buffers += h[i]->buf != NULL;
	}
	assert_int_equal(buffers, 64);
	/* Software does a copy that finds no room, from there on. */
	copy = kc_hash_dup(h[0]);
	assert_null(copy->buf);
	kc_hash_update(copy, in + 20000, 5);
	ends_right(copy, 20005);
	kc_hash_free(copy);
	for (size_t i = 0; i < COUNT(h); i++) {
		ends_right(h[i], 20000);
		kc_hash_free(h[i]);
	}
	assert_int_equal(standin.requests, 64);
	assert_int_equal(requests_for(20000, 0), 1);
}

TEST(a_liar_is_put_right_and_refused)
{
	struct kc_hash *h;
	uint64_t wrong;

	configure_hash(THRESHOLD, "1");
	wrong = kc_stats_sum(&stats_file_read()->row[KC_ALG_SHA256]).lied;
	standin.lie_at = 1;
	assert_int_equal(requests_for(20000, 0), 1);
	assert_int_equal(kc_stats_sum(&stats_file_read()->row[KC_ALG_SHA256]).lied, wrong + 1);
	assert_int_equal(candidate()->trust, KC_REFUSED);
	/* No message is kept for it either. */
	h = started_hash();
	kc_hash_update(h, in, 20000);
	assert_null(h->buf);
	ends_right(h, 20000);
	kc_hash_free(h);
	assert_int_equal(standin.opened, standin.closed);
}

static bool no_memory; /* for buffers */

int posix_memalign(void **at, size_t align, size_t size)
{
	if (no_memory)
		return ENOMEM;
	*at = aligned_alloc(align, size);
	return *at ? 0 : ENOMEM;
}

static int fail_update(void *ctx, const unsigned char *data, size_t len)
{
	(void)ctx, (void)data, (void)len;
	return 0;
}

/* A message is kept for the remaining candidate, not for the one that was refused. */
TEST(where_the_first_backend_is_refused_the_second_gets_the_message)
{
	struct kc_driver d = { .name = "sha256",
			       .driver = "mv-sha256",
			       .kind = KC_DIGEST,
			       .kernel_driver_only = true,
			       .flags_known = true };
	struct kc_hash *h;
	size_t n;

	configure_hash(THRESHOLD, "0");
	kc_drivers_add(&standin.other, &d);
	load_policy("digests", "SHA256:0", NULL);
	assert_non_null(candidate()->next);
	atomic_store(&candidate()->trust, KC_REFUSED);
	atomic_store(&candidate()->next->trust, KC_TRUSTED);
	h = started_hash();
	assert_true(kc_hash_update(h, in, THRESHOLD));
	assert_true(kc_hash_final(h, out, &n, sizeof(out)));
	kc_hash_free(h);
	assert_int_equal(standin.other_requests, 1);
}

/* OpenSSL's digests do not fail here; but a wrong digest would go unnoticed. */
TEST(a_copy_that_lacks_the_message_never_has_a_digest)
{
	struct kc_base failing = base()->base;
	struct kc_hash *h = configured_hash(), *copy;
	size_t n = 0;

	assert_true(kc_hash_update(h, in, 50000));
	failing.hash_update = fail_update;
	h->base = &failing;
	h->hash_update = fail_update;
	kc_buffer_free();
	no_memory = true;
	copy = kc_hash_dup(h);
	no_memory = false;
	assert_non_null(copy);
	assert_false(kc_hash_final(copy, out, &n, sizeof(out)));
	assert_false(kc_hash_update(copy, in, 1));
	copy->base = h->base = &base()->base;
	copy->hash_update = h->hash_update = h->base->hash_update;
	begin(copy);
	assert_true(kc_hash_update(copy, in, 100));
	ends_right(copy, 100);
	ends_right(h, 50000);
	kc_hash_free(copy);
	kc_hash_free(h);
}

/* Ends the sessions that wait. */
static void finish(void)
{
	kc_session_end_idle();
	assert_int_equal(standin.opened, standin.closed);
	assert_int_equal(*kc_process_sessions(), 0);
}

/* Makes one message in a context of its own. */
static void message(enum kc_alg_id id)
{
	const struct kc_base_row *base = kc_base_outer(kc_base_get(&kc_algs[id]));
	struct kc_hash *h = kc_hash_new(&base->base, row(id), base->newctx(base->provctx));
	size_t n;

	assert_true(base->digest_init(h->base_ctx, NULL));
	kc_hash_started(h, true);
	assert_true(kc_hash_update(h, in, MESSAGE) && kc_hash_final(h, out, &n, sizeof(out)));
	kc_hash_free(h);
}

TEST(one_that_waits_makes_room_for_one_in_use)
{
	configure_hash(0, "0");
	row(KC_ALG_SHA256)->max_sessions = row(KC_ALG_SHA512)->max_sessions = 1;
	message(KC_ALG_SHA256);
	message(KC_ALG_SHA512);
	message(KC_ALG_SHA512);
	assert_int_equal(standin.requests, 3);
	assert_int_equal(standin.opened, 2);
	assert_int_equal(standin.closed, 1);
	finish();
}

TEST(no_more_than_a_few_wait)
{
	struct kc_session s[20];

	configure_hash(0, "0");
	for (size_t i = 0; i < COUNT(s); i++)
		assert_int_equal(kc_session_open(&s[i], row(KC_ALG_SHA256),
						 &(struct kc_key){ .len = 0 }),
				 0);
	for (size_t i = 0; i < COUNT(s); i++) {
		kc_session_leave(&s[i], row(i % 2 ? KC_ALG_SHA256 : KC_ALG_SHA512));
		assert_int_equal(s[i].fd, -1);
	}
	assert_int_equal(*kc_process_sessions(), 8);
	finish();
}

TEST(that_of_a_driver_that_lied_or_failed_waits_for_nobody)
{
	configure_hash(0, "0");
	standin.fail_one_in = 1;
	message(KC_ALG_SHA256);
	assert_int_equal(*kc_process_sessions(), 0);
	standin.fail_one_in = 0;
	row(KC_ALG_SHA512)->verify = 1;
	standin.lies = true;
	message(KC_ALG_SHA512);
	assert_int_equal(*kc_process_sessions(), 0);
	finish();
}

/* None of them alone would be worth a session. */
TEST(contexts_of_one_message_earn_one_together)
{
	configure_hash(0, "0");
	atomic_store(&row(KC_ALG_SHA256)->terms.session_bytes, 3 * MESSAGE);
	for (int i = 0; i < 6; i++)
		message(KC_ALG_SHA256);
	assert_int_equal(standin.requests, 3);
	assert_int_equal(standin.opened, 1);
	finish();
}

static void close_all(void)
{
	kc_session_end_idle();
	close_base();
}

const struct suite suite = { .set_up = open_base, .tear_down = close_all };
