/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork before every call of a digest's and a MAC's life, a message kept or a session open or
 * both: child and parent go on with the same context, and both are right, by the kernel, and the
 * child by no session that it inherited. usage: hash_fork_test CONFIG [standin]
 */
#include "unit/check.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "diff/stats_file.h"
#include "integration/sessions.h"
#include "stats/stats_read.h"

#define LEN 60000

extern void diff_setup(OSSL_LIB_CTX *ctx);

static OSSL_LIB_CTX *lib;
static const char *config;
static bool over_kernel; /* else over the stand-in, which aborts by itself on a parent's session */
static unsigned char text[LEN];

/* i: init, and the letters of the message's parts; f: final. Two messages with one context. */
static const char life[] = "iabfiacf";
static const size_t part[] = { ['a' - 'a'] = 9000, ['b' - 'a'] = 20001, ['c' - 'a'] = 12 };

/* A digest has no name but its inner one. */
static const struct kind {
	enum kc_alg_id id;
	const char *mac, *param, *inner;
} kinds[] = {
	{ KC_ALG_SHA256, NULL, NULL, "SHA256" },
	{ KC_ALG_HMAC_SHA256, "HMAC", "digest", "SHA256" },
	{ KC_ALG_CMAC_AES_128, "CMAC", "cipher", "AES-128-CBC" },
};

struct context {
	const struct kind *kind;
	EVP_MD *md;
	EVP_MD_CTX *digest;
	EVP_MAC_CTX *mac;
	unsigned char out[2][EVP_MAX_MD_SIZE];
	unsigned messages;
};

static bool init(struct context *c)
{
	char *name = (char *)(uintptr_t)c->kind->inner;
	OSSL_PARAM params[] = { OSSL_PARAM_END, OSSL_PARAM_END };

	if (!c->mac)
		return EVP_DigestInit_ex(c->digest, c->md, NULL);
	if (c->messages)
		return EVP_MAC_init(c->mac, NULL, 0, NULL);
	params[0] = OSSL_PARAM_construct_utf8_string(c->kind->param, name, 0);
	return EVP_MAC_init(c->mac, (const unsigned char *)"a key of sixteen", 16, params);
}

static bool final(struct context *c)
{
	unsigned char *out = c->out[c->messages++];
	size_t n;

	return c->mac ? EVP_MAC_final(c->mac, out, &n, EVP_MAX_MD_SIZE) :
			EVP_DigestFinal_ex(c->digest, out, NULL);
}

static void play(struct context *c, const char *calls)
{
	for (; *calls; calls++) {
		bool ok;

		if (*calls == 'i')
			ok = init(c);
		else if (*calls == 'f')
			ok = final(c);
		else
			ok = c->mac ? EVP_MAC_update(c->mac, text, part[*calls - 'a']) :
				      EVP_DigestUpdate(c->digest, text, part[*calls - 'a']);
		if (!ok)
			abort();
	}
}

/* False: it is not offered. */
static bool make(struct context *c, const struct kind *kind, const char *provider)
{
	EVP_MAC *mac = kind->mac ? EVP_MAC_fetch(lib, kind->mac, provider) : NULL;

	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->md = kind->mac ? NULL : EVP_MD_fetch(lib, kind->inner, provider);
	c->digest = kind->mac ? NULL : EVP_MD_CTX_new();
	c->mac = mac ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac);
	ERR_clear_error();
	return c->md || c->mac;
}

static void end(struct context *c)
{
	EVP_MD_CTX_free(c->digest);
	EVP_MAC_CTX_free(c->mac);
	EVP_MD_free(c->md);
}

enum { WRONG_BYTES = 20, PARENTS_SOCKET, NO_SOCKET, SOCKET_LEFT };

/*
 * The rest of the life, in a child: what the kernel answers there, it answers on a socket of its
 * own.
 */
static int be_child(struct context *c, const char *calls, const struct context *want)
{
	struct sessions inherited = sessions(), mine;
	int bad = 0;

	for (; *calls; calls++) {
		const char one[] = { *calls, '\0' };

		play(c, one);
		if (!over_kernel || *calls != 'f')
			continue;
		mine = sessions();
		if (mine.n == 0)
			bad = NO_SOCKET;
		else if (sessions_in_common(&mine, &inherited))
			bad = PARENTS_SOCKET;
	}
	if (memcmp(c->out, want->out, sizeof(want->out)) != 0)
		bad = WRONG_BYTES;
	end(c);
	return over_kernel && sessions().n ? SOCKET_LEFT : bad;
}

/* A raw clone is not seen by pthread_atfork. */
static pid_t divide(bool clone)
{
	fflush(NULL);
	return clone ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
}

static const struct kc_stats_row *row_of(const struct kind *kind)
{
	return &stats_file_read()->row[kind->id];
}

static void fork_before(size_t at, const struct kind *kind, bool clone, bool child_first)
{
	unsigned long long before = kc_stats_sum(row_of(kind)).requests;
	unsigned long long redone = kc_stats_sum(row_of(kind)).failed;
	struct context want, c;
	char head[sizeof(life)];
	unsigned by_child;
	int status;
	pid_t pid;

	assert_true(make(&want, kind, "provider=default") && make(&c, kind, "provider=kcrypto"));
	play(&want, life);
	snprintf(head, sizeof(head), "%.*s", (int)at, life);
	play(&c, head);
	by_child = 2 - c.messages;
	pid = divide(clone);
	if (pid == 0)
		_exit(be_child(&c, life + at, &want));
	if (child_first)
		assert_int_equal(waitpid(pid, &status, 0), pid);
	play(&c, life + at);
	assert_memory_equal(c.out, want.out, sizeof(want.out));
	if (!child_first)
		assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	end(&c);
	end(&want);
	assert_int_equal(kc_stats_sum(row_of(kind)).requests, before + 2 + by_child);
	assert_int_equal(kc_stats_sum(row_of(kind)).failed, redone);
}

static void each_goes_on_in_both_and_both_are_right(void **state)
{
	struct context c;
	size_t offered = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		bool is_there = make(&c, &kinds[i], "provider=kcrypto");

		end(&c);
		if (!is_there)
			continue;
		print_message("  %s of %s\n", kinds[i].mac ? kinds[i].mac : "digest",
			      kinds[i].inner);
		for (size_t at = 0; at <= strlen(life); at++)
			for (int how = 0; how < 4; how++)
				fork_before(at, &kinds[i], how / 2, how % 2);
		offered++;
	}
	/* /dev/crypto has no CMAC. */
	assert_true(offered >= 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_goes_on_in_both_and_both_are_right),
	};
	int failed;

	if (argc < 2)
		return 2;
	over_kernel = argc == 2;
	config = argv[1];
	for (size_t i = 0; i < LEN; i++)
		text[i] = (unsigned char)(i * 13 + i / 256);
	stats_file_make();
	lib = OSSL_LIB_CTX_new();
	diff_setup(lib);
	if (!OSSL_LIB_CTX_load_config(lib, config))
		return 1;
	failed = cmocka_run_group_tests_name("hash-fork", tests, NULL, NULL);
	OSSL_LIB_CTX_free(lib);
	return failed;
}
