/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's digests: random messages in random pieces, copied and restarted, compared with the
 * built-in digests; and defects of older engines. With KC_STANDIN_BLOCKS, long messages go in
 * blocks. usage: engine_digest_test ROUNDS
 */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/hmac.h>

#include "diff/diff.h"
#include "engine/app.h"
#include "integration/lives/sessions.h"

#define LARGEST 400000
#define STREAM	(16 * 1024 * 1024)
#define LIES	40 /* of the requests, trials included: one at each index */

static ENGINE *e;
static long rounds;
static struct random rng = { .state = 1 };
static unsigned char in[LARGEST];

static bool has_blocks(void)
{
	return getenv("KC_STANDIN_BLOCKS");
}

static size_t below(size_t n)
{
	return random_below(&rng, n);
}

static void setup(void)
{
	for (size_t i = 0; i < LARGEST; i++)
		in[i] = (unsigned char)below(256);
	e = app_load();
	app_configure(e, "NONE", "MD5:0 SHA1:0 SHA224:0 SHA256:0 SHA384:0 SHA512:0");
}

static void teardown(void)
{
	app_unload(e);
}

/* [0] is the engine's, [1] OpenSSL's own, as the engine is used only where it is asked for. */
struct pair {
	EVP_MD_CTX *ctx[2];
};

static struct pair start(int nid)
{
	struct pair p = { { EVP_MD_CTX_new(), EVP_MD_CTX_new() } };

	assert_true(EVP_DigestInit_ex(p.ctx[0], EVP_get_digestbynid(nid), e));
	assert_true(EVP_DigestInit_ex(p.ctx[1], EVP_get_digestbynid(nid), NULL));
	return p;
}

static void update(struct pair p, size_t len)
{
	size_t from = below(LARGEST - len + 1);

	for (int i = 0; i < 2; i++)
		assert_true(EVP_DigestUpdate(p.ctx[i], in + from, len));
}

static void final(struct pair p)
{
	unsigned char out[2][EVP_MAX_MD_SIZE];
	unsigned n[2] = { 0, 0 };

	for (int i = 0; i < 2; i++)
		assert_true(EVP_DigestFinal_ex(p.ctx[i], out[i], &n[i]));
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(out[0], out[1], n[0]);
}

/* Hashes up to 16 MiB, in pieces of one length. */
static void stream(struct pair p)
{
	size_t len = below(below(2) ? 300 : 200000), most = STREAM / (len + 1);

	for (size_t i = below(most < 2000 ? most : 2000); i > 0; i--)
		update(p, len);
}

static void restart(struct pair p)
{
	assert_true(EVP_DigestInit_ex(p.ctx[0], NULL, NULL));
	assert_true(EVP_DigestInit_ex(p.ctx[1], NULL, NULL));
}

static void end(struct pair p)
{
	EVP_MD_CTX_free(p.ctx[0]);
	EVP_MD_CTX_free(p.ctx[1]);
}

static struct pair copy(struct pair p)
{
	struct pair c = { { EVP_MD_CTX_new(), EVP_MD_CTX_new() } };

	for (int i = 0; i < 2; i++)
		assert_true(EVP_MD_CTX_copy_ex(c.ctx[i], p.ctx[i]));
	return c;
}

static void play(int nid)
{
	static const size_t limits[] = { 200, 3000, 20000, 70000, 140000 };
	struct pair p = start(nid), c;

	for (size_t i = below(8); i > 0; i--) {
		update(p, below(limits[below(COUNT(limits))]));
		if (has_blocks() && below(300) == 0)
			stream(p);
		if (below(5) == 0)
			restart(p);
		if (below(4) == 0) {
			c = copy(p);
			update(c, below(5000));
			/* The order of the two ends must not matter. */
			if (below(2)) {
				struct pair first = p;

				p = c;
				c = first;
			}
			final(c);
			end(c);
		}
	}
	final(p);
	if (below(2)) {
		restart(p);
		update(p, below(30000));
		final(p);
	}
	end(p);
}

static void mac(HMAC_CTX *ctx, unsigned char *out, size_t len)
{
	unsigned n = 0;

	assert_true(HMAC_Init_ex(ctx, NULL, 0, NULL, NULL));
	assert_true(HMAC_Update(ctx, in, len));
	assert_true(HMAC_Final(ctx, out, &n));
	assert_int_equal(n, 32);
}

/*
 * Defect 9, for digests: however many messages there were, only as many descriptors stay open as
 * there were messages at a time. This test is the first one, as a process keeps a fixed number of
 * descriptors.
 */
TEST(no_descriptor_is_left_by_messages)
{
	struct pair p[8];
	size_t before = descriptors();

	for (int i = 0; i < 100; i++) {
		for (size_t k = 0; k < COUNT(p); k++) {
			p[k] = start(NID_sha256);
			update(p[k], 20000);
		}
		for (size_t k = 0; k < COUNT(p); k++) {
			if ((i + k) % 3)
				final(p[k]);
			end(p[k]);
		}
	}
	assert_true(descriptors() <= before + COUNT(p));
}

TEST(random_messages_are_right)
{
	const int *nids = NULL;
	int n = ENGINE_get_digests(e)(e, NULL, &nids, 0);

	assert_true(n >= 6);
	for (long i = 0; i < rounds; i++)
		play(nids[below((size_t)n)]);
	for (int i = 0; i < n; i++) {
		print_message("%s: %llu requests\n", OBJ_nid2sn(nids[i]),
			      app_requests(OBJ_nid2sn(nids[i])));
		assert_true(app_requests(OBJ_nid2sn(nids[i])) > 0);
	}
}

/* Defect 5: a message that began before the fork ends on both sides, more than once. */
TEST(a_message_goes_on_in_parent_and_child)
{
	static const size_t before[] = { 0, 100, 20000, 100000, 300001 };

	for (size_t i = 0; i < COUNT(before); i++) {
		struct pair p = start(NID_sha256);
		pid_t pid;

		update(p, before[i]);
		pid = fork();
		update(p, pid ? 30000 : 20000);
		final(p);
		restart(p);
		update(p, pid ? 150000 : 40000);
		final(p);
		end(p);
		if (pid == 0)
			_exit(7);
		assert_int_equal(child_status(pid), 7);
	}
}

/* Defect 5: as in OpenSSH, which sets an HMAC's key and then forks. */
TEST(a_keyed_hmac_is_right_in_every_process)
{
	HMAC_CTX *ours = HMAC_CTX_new(), *theirs = HMAC_CTX_new();
	unsigned char got[32], want[32];
	pid_t pid;

	assert_true(HMAC_Init_ex(ours, "the key", 7, EVP_sha256(), e));
	assert_true(HMAC_Init_ex(theirs, "the key", 7, EVP_sha256(), NULL));
	for (int i = 0; i < 5; i++) {
		pid = fork();
		for (size_t len = 10; len < LARGEST; len = len * 3 + i) {
			mac(ours, got, len);
			mac(theirs, want, len);
			assert_memory_equal(got, want, 32);
		}
		if (pid == 0)
			_exit(7);
		assert_int_equal(child_status(pid), 7);
	}
	HMAC_CTX_free(ours);
	HMAC_CTX_free(theirs);
}

/* Both go by blocks alone, since whole messages have to fit in one request. */
TEST(a_long_message_and_a_long_hmac_are_the_kernels)
{
	static const char key[200] = "longer than a block";
	unsigned long long before = app_requests("SHA256"), after;
	struct pair p = start(NID_sha256);
	HMAC_CTX *ctx = HMAC_CTX_new();
	unsigned char out[32];

	for (int i = 0; i < 4; i++)
		update(p, 3 * 65536 + i);
	final(p);
	end(p);
	after = app_requests("SHA256");
	if (!getenv("KC_STANDIN_FAIL"))
		assert_int_equal(after - before, has_blocks() ? 12 : 0);
	for (size_t len = 0; len < sizeof(key); len += 63) {
		assert_true(HMAC_Init_ex(ctx, key, (int)len, EVP_sha256(), e));
		mac(ctx, out, LARGEST);
	}
	HMAC_CTX_free(ctx);
	if (has_blocks() && !getenv("KC_STANDIN_FAIL"))
		assert_true(app_requests("SHA256") - after >= 4 * (LARGEST / 65536));
}

/* An early lie is found by the trial. */
static int with_a_lie(void)
{
	unsigned long long lie = strtoull(getenv("KC_STANDIN_LIE_AT"), NULL, 10);
	struct pair p, c;

	app_tell(e, "VERIFY", "1");
	p = start(NID_sha256);
	for (size_t i = 0; i < LIES; i++) {
		update(p, 1000 + below(140000));
		if (i == LIES / 2)
			c = copy(p);
	}
	final(p);
	final(c);
	end(p);
	end(c);
	return app_requests("SHA256") > lie ? 1 : 7;
}

/* Each case needs a process of its own, as a driver that has lied is not used again. */
TEST(a_lie_anywhere_is_put_right)
{
	char number[12];
	pid_t pid;

	for (int i = 1; has_blocks() && i <= LIES; i++) {
		snprintf(number, sizeof(number), "%d", i);
		pid = fork();
		if (pid == 0) {
			setenv("KC_STANDIN_LIE_AT", number, 1);
			unsetenv("KC_STANDIN_FAIL");
			execl("/proc/self/exe", "engine_digest_test", "lie", NULL);
			_exit(1);
		}
		assert_int_equal(child_status(pid), 7);
	}
}

const struct suite suite = { .set_up = setup, .tear_down = teardown };

int main(int argc, char **argv)
{
	rounds = argc > 1 ? atol(argv[1]) : 1000;
	stats_file_make();
	if (argc > 1 && strcmp(argv[1], "lie") == 0) {
		setup();
		return with_a_lie();
	}
	return check_main(argc, argv);
}
