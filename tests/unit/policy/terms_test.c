/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest request that pays: what a process learns of it from its own requests, and that no
 * request then exceeds it.
 */
#include "unit/offload/timed.h"

#include <string.h>

#include "core/process.h"
#include "policy/first_terms.h"
#include "policy/learn.h"

#define BODY 131072

/* The requests since last(). */
static struct {
	unsigned n;
	size_t longest, pages; /* the longest request in bytes; the most pages of an output */
} seen;

static void (*works)(size_t len);

static void watch(size_t len)
{
	size_t page = kc_page_size(), within = (uintptr_t)standin.last_out % page;
	size_t pages = (within + len + page - 1) / page;

	seen.n++;
	seen.longest = len > seen.longest ? len : seen.longest;
	seen.pages = pages > seen.pages ? pages : seen.pages;
	works(len);
}

/*
 * A driver that is software above @longest bytes. In requests of 512 bytes it is as fast as
 * software.
 */
static struct kc_candidate *prepare_limit(const char *ciphers, size_t longest)
{
	struct kc_candidate *c = prepare(ciphers);

	kernel = (struct price){ 4000, 8000 };
	longest_of_driver = longest;
	works = standin.working;
	standin.working = watch;
	return c;
}

/* Sets what kcrypto tune finds. */
static void tune(struct kc_candidate *c, size_t longest)
{
	struct kc_measured m = {
		.threshold = { 1024, 1024 }, .longest = longest, .once_ns = 4000, .kib_ns = 8000
	};

	kc_terms_tuned(c, &m);
	atomic_store(&c->trust, KC_TRUSTED);
}

static uint8_t *place_in(uint8_t *buf, size_t within)
{
	size_t page = kc_page_size(), at = (uintptr_t)buf % page;

	return buf + (page - at) % page + within;
}

/* An update of @len bytes, @within bytes from a page's start. Its output has to be software's. */
static void update(struct kc_cipher *c, size_t len, size_t within, bool in_place)
{
	static uint8_t from_room[BODY + 140000], to_room[BODY + 140000];
	uint8_t *from = place_in(from_room, within), *to = place_in(to_room, within);
	size_t n = 0;

	memcpy(from, in, len);
	restart(c);
	c->base->set_padding(c->base, c->base_ctx, false);
	memset(&seen, 0, sizeof(seen));
	left_to_software = 0;
	assert_true(kc_cipher_update(c, in_place ? from : to, &n, len, from, len));
	assert_int_equal(n, len);
	assert_memory_equal(in_place ? from : to, want, len);
}

static struct kc_cipher *cipher(struct kc_candidate *c, enum kc_dir dir)
{
	struct kc_cipher *x = kc_cipher_new(&timed, c);

	assert_non_null(x);
	assert_true(timed.init(&timed, x->base_ctx, dir, key, iv));
	kc_cipher_started(x, dir, key, c->alg->key_len, iv, c->alg->iv_len, true);
	software(ID, dir, BODY);
	return x;
}

static const size_t limits[] = { 4096, 8192, 16384, 32768 };

TEST(a_process_learns_the_longest_request_that_pays)
{
	for (size_t i = 0; i < 2 * COUNT(limits); i++) {
		struct kc_candidate *c = prepare_limit("AES-128-CBC", limits[i / 2]);
		LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

		for (unsigned n = 0; n < 200; n++)
			update(x, i % 2 ? BODY : 65536, 0, false);
		assert_int_equal(c->terms.longest, limits[i / 2]);
		update(x, BODY, 0, false);
		assert_int_equal(seen.n, BODY / limits[i / 2]);
		assert_int_equal(left_to_software, 0);
	}
}

/* A limit that is no power of two: what is learned is at most the limit. */
TEST(any_limit_gives_requests_that_pay)
{
	static const size_t odd[] = { 5000, 12288, 28672, 49152, 61440, 65535 };

	for (size_t i = 0; i < COUNT(odd); i++) {
		struct kc_candidate *c = prepare_limit("AES-128-CBC", odd[i]);
		LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

		for (unsigned n = 0; n < 200; n++)
			update(x, BODY, 0, false);
		assert_in_range(c->terms.longest, odd[i] / 2, odd[i]);
		update(x, BODY, 0, false);
		assert_true(seen.n >= 2);
		assert_int_equal(left_to_software, 0);
	}
}

/*
 * As with sun8i-ce, whose driver counts pages, and with a CPU that decrypts faster than it
 * encrypts.
 */
TEST(each_direction_and_length_gets_requests_that_pay)
{
	static const size_t lens[] = { 2048, 4096, 8192, 16384, 32768, 49152, 65536, BODY };
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 32768);

	counts_pages = true;
	for (int i = 0; i < 4; i++) {
		LOCAL_CIPHER *x = cipher(c, i / 2 ? KC_DECRYPT : KC_ENCRYPT);

		soft = (struct price){ .per_kib = i / 2 ? 20150 : 39300 };
		kernel = (struct price){ 25000, 11200 };
		beyond = (struct price){ 30000, i / 2 ? 34500 : 38000 };
		for (size_t k = 0; k < COUNT(lens); k++) {
			for (unsigned n = 0; n < 200; n++)
				update(x, lens[k], i % 2 * 8, false);
			update(x, lens[k], i % 2 * 8, false);
			assert_int_equal(left_to_software, 0);
			assert_true(seen.n > 0 || lens[k] < 8192);
		}
	}
}

/*
 * A disturbed trial promises nothing of shorter requests. The kernel's software may be faster or
 * slower than OpenSSL.
 */
TEST(a_limit_that_the_trial_does_not_promise_is_found_at_a_later_look)
{
	for (size_t i = 0; i < 2 * COUNT(limits); i++) {
		struct kc_candidate *c = prepare_limit("AES-128-CBC", limits[i / 2]);
		LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

		beyond.per_kib = i % 2 ? soft.per_kib * 5 / 4 : soft.per_kib * 4 / 5;
		while (atomic_load(&c->trust) != KC_TRUSTED)
			update(x, BODY, 0, false);
		atomic_store(&c->terms.kib_ns, INT32_MAX);
		for (unsigned n = 0; n < 2000; n++)
			update(x, BODY, 0, false);
		update(x, BODY, 0, false);
		assert_int_equal(c->terms.longest, limits[i / 2]);
		assert_int_equal(left_to_software, 0);
		assert_int_equal(seen.n, BODY / limits[i / 2]);
	}
}

TEST(a_driver_without_a_limit_gets_the_longest_requests)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 0);
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

	for (unsigned n = 0; n < 200; n++)
		update(x, BODY, 8, false);
	assert_true(c->terms.longest == SIZE_MAX);
	update(x, BODY, 8, false);
	assert_int_equal(seen.n, 2);
}

/* Only looks make other requests than those of the best length. */
TEST(a_length_that_pays_no_more_is_rarely_tried_again)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 16384);
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);
	unsigned left = 0;

	for (unsigned n = 0; n < 200; n++)
		update(x, BODY, 0, false);
	for (unsigned n = 0; n < 2000; n++) {
		update(x, BODY, 0, false);
		left += left_to_software;
	}
	assert_in_range(left, 1, 20);
	assert_int_equal(c->terms.longest, 16384);
}

/* What was measured of longer requests, on a busy machine, made pieces look better. */
TEST(longer_requests_are_tried_again)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 0);
	struct kc_costs *costs = &c->terms.costs[KC_ENCRYPT];
	struct kc_cipher *x = cipher(c, KC_ENCRYPT);

	for (unsigned n = 0; n < 2000; n++)
		update(x, BODY, 0, false);
	kc_cipher_free(x);
	for (unsigned class = kc_class_of(16384); class < KC_SEVERAL; class ++)
		atomic_store(&costs->kernel[class], 3 * costs->kernel[class]);
	kc_terms_set_longest(&c->terms, 8192);
	x = cipher(c, KC_ENCRYPT);
	for (unsigned n = 0; n < 4000; n++)
		update(x, BODY, 0, false);
	assert_true(c->terms.longest == SIZE_MAX);
	update(x, BODY, 0, false);
	assert_int_equal(seen.n, 2);
	kc_cipher_free(x);
}

/*
 * No length pays: the trial's prices promised too much. Shorter pieces are tried a few times each.
 */
TEST(where_no_length_pays_software_does_all)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 0);
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);
	unsigned before;

	while (atomic_load(&c->trust) != KC_TRUSTED)
		update(x, BODY, 0, false);
	kernel = beyond;
	before = standin.requests;
	for (unsigned n = 0; n < 100; n++)
		update(x, BODY, 0, false);
	assert_in_range(standin.requests - before, 3, 60);
	assert_true(c->terms.threshold[KC_ENCRYPT] == SIZE_MAX);
	/* Later looks try what was left out, and then there is nothing to try. */
	for (unsigned n = 0; n < 1000; n++)
		update(x, BODY, 0, false);
	assert_in_range(standin.requests - before, 12, 120);
	assert_true(c->terms.threshold[KC_ENCRYPT] == SIZE_MAX);
	assert_true(c->terms.longest == SIZE_MAX);
}

TEST(a_slow_driver_is_not_taken_for_one_with_a_limit)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 0);
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);
	unsigned before;

	while (atomic_load(&c->trust) != KC_TRUSTED)
		update(x, 2048, 0, false);
	kernel.once = 20 * MS;
	before = standin.requests;
	for (unsigned n = 0; n < 20; n++)
		update(x, 65536, 0, false);
	/* The pairs that a size has at first, and one or two measurements. */
	assert_in_range(standin.requests - before, 3, 6);
	assert_true(c->terms.threshold[KC_ENCRYPT] == SIZE_MAX);
	assert_true(c->terms.longest == SIZE_MAX);
}

/* Short requests that do not pay are no evidence against longer ones that do. */
TEST(a_longest_request_stays_when_short_ones_do_not_pay)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 32768);
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

	for (unsigned n = 0; n < 200; n++)
		update(x, BODY, 0, false);
	kernel.once = 30000;
	atomic_store(&c->terms.threshold[KC_ENCRYPT], 1024);
	for (unsigned n = 0; n < 200; n++)
		update(x, 2048, 0, false);
	assert_true(c->terms.threshold[KC_ENCRYPT] > 2048);
	assert_int_equal(c->terms.longest, 32768);
}

TEST(a_request_within_a_page_has_no_more_pages_than_the_longest)
{
	static const size_t places[] = { 0, 8, 16, 1, 2048, 4080, 4095 };
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 32768);
	size_t pages = (32768 + kc_page_size() - 1) / kc_page_size();

	tune(c, 32768);
	for (int dir = 0; dir < 2; dir++) {
		LOCAL_CIPHER *x = cipher(c, (enum kc_dir)dir);

		update(x, BODY, 0, false);
		for (size_t i = 0; i < COUNT(places); i++) {
			update(x, BODY, places[i], false);
			assert_true(seen.pages <= pages);
			assert_in_range(seen.n, BODY / 32768, BODY / 28672 + 1);
			update(x, 32768, places[i], false);
			assert_true(seen.pages <= pages);
			assert_in_range(seen.n, 1, 2);
		}
		/* In place, the driver works on the caller's pages. */
		update(x, BODY, 8, true);
		assert_int_equal(seen.n, BODY / 32768);
	}
}

TEST(a_page_that_the_driver_counts_is_none_where_the_kernel_copies)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 32768);
	const struct kc_backend *backend = c->backend;
	struct kc_backend copies = *backend;
	struct kc_cipher *x;

	tune(c, 32768);
	copies.copies = true;
	c->backend = &copies;
	x = cipher(c, KC_ENCRYPT);
	update(x, BODY, 8, false);
	update(x, BODY, 8, false);
	assert_int_equal(seen.n, BODY / 32768);
	assert_int_equal(seen.longest, 32768);
	kc_cipher_free(x);
	c->backend = backend;
}

/*
 * The limit is shorter than a page, and the threshold not much lower: then the address does not
 * matter.
 */
TEST(a_request_that_a_page_would_make_too_short_is_made_as_it_is)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 2048);
	LOCAL_CIPHER *x = NULL;

	tune(c, 2048);
	x = cipher(c, KC_ENCRYPT);
	update(x, 65536, 4000, false);
	update(x, 65536, 4000, false);
	assert_in_range(seen.n, 32, 48);
	assert_int_equal(seen.longest, 2048);
}

/* The configuration sets the threshold; the tune file still says how to divide a text best. */
TEST(a_configured_threshold_does_not_forbid_pieces)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC:4096", 32768);
	LOCAL_CIPHER *x = NULL;

	tune(c, 32768);
	x = cipher(c, KC_ENCRYPT);
	update(x, 65536, 0, false);
	update(x, 65536, 0, false);
	assert_int_equal(seen.n, 2);
}

TEST(a_configured_threshold_beyond_the_longest_request_is_obeyed)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC:40000", 32768);

	tune(c, 32768);
	assert_true(kc_terms_longest(&c->terms) == SIZE_MAX);
}

TEST(max_request_stays_the_ceiling)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 32768);
	LOCAL_CIPHER *x = NULL;

	c->max_request = 16384;
	tune(c, 32768);
	x = cipher(c, KC_ENCRYPT);
	update(x, BODY, 0, false);
	update(x, BODY, 0, false);
	assert_int_equal(seen.longest, 16384);
	assert_int_equal(seen.n, BODY / 16384);
}

/* The lines cross below 256 bytes, from where on a process learns before its trial. */
static struct kc_candidate *prepare_short(void)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 0);

	kernel = (struct price){ .once = soft.per_kib / 10 };
	return c;
}

static void update_often(struct kc_cipher *x, size_t len)
{
	for (unsigned n = 0; n < 400; n++)
		update(x, len, 0, false);
}

TEST(short_requests_that_pay_by_the_trial_go_to_the_kernel)
{
	struct kc_candidate *c = prepare_short();
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

	update(x, 128, 0, false);
	assert_int_equal(seen.n, 0);
	update_often(x, 4096);
	assert_in_range(c->terms.threshold[KC_ENCRYPT], 100, 128);
	update(x, 128, 0, false);
	assert_int_equal(seen.n, 1);
	update(x, 64, 0, false);
	assert_int_equal(seen.n, 0);
}

/* The trial made no request of that length. */
TEST(a_short_request_that_does_not_pay_is_found_out)
{
	struct kc_candidate *c = prepare_short();
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

	update_often(x, 4096);
	kernel.once = soft.per_kib / 6;
	update_often(x, 128);
	assert_true(c->terms.threshold[KC_ENCRYPT] > 128);
}

TEST(where_short_requests_do_not_pay_nothing_is_learned_from_them)
{
	struct kc_candidate *c = prepare_limit("AES-128-CBC", 0);
	LOCAL_CIPHER *x = cipher(c, KC_ENCRYPT);

	kernel.once = soft.per_kib;
	update_often(x, 4096);
	assert_int_equal(c->terms.floor, kc_alg_floor(c->alg));
	update(x, 4096, 0, false);
	assert_int_equal(seen.n, 1);
}

/* One of two ways takes several requests. */
TEST(the_time_of_a_text_is_that_of_all_its_pieces)
{
	struct kc_candidate *c = prepare("AES-128-CBC"), other = *c;

	c->next = &other;
	other.next = NULL;
	tune(c, 4096);
	tune(&other, SIZE_MAX);
	atomic_store(&other.terms.once_ns, 9000);
	assert_ptr_equal(kc_candidate_for(c, KC_ENCRYPT, 4096), c);
	assert_ptr_equal(kc_candidate_for(c, KC_ENCRYPT, 32768), &other);
	c->next = NULL;
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
