/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates in pieces, several of them in flight, over the stand-in with requests in flight: every
 * byte and the following IV are software's, whichever piece fails.
 */
#include "unit/fixture.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "standin/queued.h"

#define PIECE 1024

static const struct {
	enum kc_alg_id id;
	enum kc_dir dir;
	bool in_pieces;
} modes[] = {
	{ KC_ALG_AES_128_CTR, KC_ENCRYPT, true },  { KC_ALG_AES_128_CTR, KC_DECRYPT, true },
	{ KC_ALG_AES_128_ECB, KC_ENCRYPT, true },  { KC_ALG_AES_128_ECB, KC_DECRYPT, true },
	{ KC_ALG_AES_128_CBC, KC_DECRYPT, true },  { KC_ALG_AES_128_CBC, KC_ENCRYPT, false },
	{ KC_ALG_AES_128_CFB, KC_DECRYPT, true },  { KC_ALG_AES_128_CFB, KC_ENCRYPT, false },
	{ KC_ALG_AES_128_OFB, KC_ENCRYPT, false }, { KC_ALG_CHACHA20, KC_ENCRYPT, true },
	{ KC_ALG_DES_EDE3_CBC, KC_DECRYPT, true },
};

/* A driver whose requests take long. */
static void reset(void)
{
	memset(&queued, 0, sizeof(queued));
	queued.early = UINT_MAX;
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base, .before_each = reset };

/* A context that has made all pairs, with an open session and short requests. */
static struct kc_cipher *warm(size_t mode)
{
	enum kc_alg_id id = modes[mode].id;
	struct kc_cipher *c;

	configure("ALL:0 AES-128-ECB:0 AES-128-CFB:0 AES-128-OFB:0 ChaCha20:0", NULL);
	c = started(id, modes[mode].dir);
	c->base->set_padding(c->base, c->base_ctx, false);
	for (int i = 0; i < 6; i++) {
		feed(c, PIECE);
		c->gate.session.limit = PIECE;
	}
	if (!kc_gate_is_open(&c->gate))
		fail_msg("no session of %s", c->base->alg->names);
	assert_true(kc_gate_is_open(&c->gate));
	reset();
	return c;
}

/* A stream of three updates, in place or not, of which the second one is long. */
static void play(struct kc_cipher *c, size_t mode, size_t first, size_t len, bool in_place)
{
	const size_t lens[] = { first, len, 256 };
	const uint8_t *from = in_place ? out : in;
	size_t at = 0, done = 0, n;

	restart(c);
	memset(out, 0x33, sizeof(out));
	if (in_place)
		memcpy(out, in, LEN);
	for (size_t i = 0; i < COUNT(lens); i++) {
		/*
		 * In place a block mode's output lags behind its input, so this begins with whole
		 * blocks.
		 */
		assert_true(kc_cipher_update(c, out + done, &n, sizeof(out) - done, from + at,
					     lens[i]));
		at += lens[i];
		done += n;
	}
	software(modes[mode].id, modes[mode].dir, first + len + 256);
	assert_memory_equal(out, want, done);
}

/* Lengths near one piece, two pieces, the window, and more. */
static void play_lengths(size_t mode)
{
	static const size_t lens[] = { 2, 15, 16, 17, 33 };
	LOCAL_CIPHER *c = warm(mode);

	for (size_t i = 0; i < COUNT(lens); i++)
		for (int how = 0; how < 4; how++) {
			size_t first = how & 2 ? 64 : 0;

			play(c, mode, first, lens[i] * PIECE, how & 1);
			play(c, mode, first, lens[i] * PIECE + 64, how & 1);
			play(c, mode, first, lens[i] * PIECE - 64, how & 1);
		}
	assert_int_equal(queued.most, modes[mode].in_pieces ? 16 : 0);
	assert_int_equal(queued.now, 0);
}

TEST(pieces_give_what_software_gives_and_are_in_flight_together)
{
	for (size_t mode = 0; mode < COUNT(modes); mode++)
		play_lengths(mode);
}

TEST(a_driver_that_answers_at_once_gets_one_at_a_time)
{
	for (size_t mode = 0; mode < COUNT(modes); mode++) {
		LOCAL_CIPHER *c = warm(mode);
		unsigned before = standin.requests;

		queued.early = 0;
		play(c, mode, 64, 20 * PIECE, mode & 1);
		assert_true(queued.most <= 1);
		assert_true(standin.requests - before >= 20);
	}
}

TEST(pieces_begin_within_a_block_of_a_stream)
{
	LOCAL_CIPHER *c = warm(0);

	for (size_t first = 1; first < 40; first += 7)
		play(c, 0, first, 9 * PIECE + first, first & 1);
	assert_true(queued.most > 1);
}

TEST(a_piece_that_fails_and_all_after_it_are_done_by_software)
{
	for (size_t mode = 0; mode < COUNT(modes); mode++) {
		LOCAL_CIPHER *c = NULL;

		for (unsigned at = 1; modes[mode].in_pieces && at <= 20; at++) {
			kc_cipher_free(c);
			c = warm(mode);
			standin.after = standin.requests + at - 1;
			standin.fail_one_in = standin.requests + at;
			play(c, mode, 64, 20 * PIECE, at & 1);
			assert_int_equal(queued.now, 0);
			/* The first request is the one that precedes the pieces. */
			if (at > 1 && at < 6)
				assert_int_equal(queued.dropped, 15);
		}
	}
}

TEST(pieces_that_find_no_room_wait_for_others)
{
	for (size_t mode = 0; mode < COUNT(modes); mode++) {
		LOCAL_CIPHER *c = warm(mode);

		queued.fail_submit = 3;
		play(c, mode, 64, 20 * PIECE, true);
		assert_true(!modes[mode].in_pieces || kc_gate_is_open(&c->gate));
	}
}

TEST(pieces_that_cannot_be_submitted_are_software_s)
{
	for (size_t mode = 0; mode < COUNT(modes); mode++) {
		LOCAL_CIPHER *c = warm(mode);

		queued.fail_submit = 5;
		queued.submit_errno = EIO;
		play(c, mode, 64, 20 * PIECE, true);
		assert_int_equal(queued.now, 0);
	}
}

/* Its output is written at once, so nothing before it may fail any more. */
TEST(a_piece_that_is_compared_is_alone_in_flight)
{
	for (size_t mode = 0; mode < COUNT(modes); mode++)
		for (unsigned at = 1; at <= 9; at++) {
			LOCAL_CIPHER *c = warm(mode);

			c->gate.candidate->verify = 3;
			standin.lie_at = at;
			play(c, mode, 64, 0, true);
			c->gate.candidate->verify = 3;
			standin.lie_at = 0;
			play(c, mode, 64, 9 * PIECE, true);
		}
}
