/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork before every call of a digest's and a MAC's life, a message kept or a session open or
 * both: child and parent go on with the same context, and both are right, by the kernel.
 * usage: hash_fork_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "diff/stats_file.h"

#define LEN 60000

extern void diff_setup(OSSL_LIB_CTX *ctx);

static OSSL_LIB_CTX *lib;
static const char *config;
static unsigned char text[LEN];

/* i: init, and the letters of the message's parts; f: final. Two messages with one context. */
static const char life[] = "iabfiacf";
static const size_t part[] = { ['a' - 'a'] = 9000, ['b' - 'a'] = 20001, ['c' - 'a'] = 12 };

struct context {
	EVP_MD *md;
	EVP_MD_CTX *digest;
	EVP_MAC_CTX *mac;
	unsigned char out[2][EVP_MAX_MD_SIZE];
	unsigned messages;
};

static bool init(struct context *c)
{
	char name[] = "SHA256";
	const OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", name, 0),
				      OSSL_PARAM_END };

	if (c->mac && c->messages)
		return EVP_MAC_init(c->mac, NULL, 0, NULL);
	return c->mac ? EVP_MAC_init(c->mac, (const unsigned char *)"some key", 8, params) :
			EVP_DigestInit_ex(c->digest, c->md, NULL);
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

static bool make(struct context *c, bool is_mac, const char *provider)
{
	EVP_MAC *mac = is_mac ? EVP_MAC_fetch(lib, "HMAC", provider) : NULL;

	memset(c, 0, sizeof(*c));
	c->md = is_mac ? NULL : EVP_MD_fetch(lib, "SHA256", provider);
	c->digest = is_mac ? NULL : EVP_MD_CTX_new();
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

static void fork_before_each(bool is_mac)
{
	const struct kc_stats_row *row =
		&stats_file_read()->row[is_mac ? KC_ALG_HMAC_SHA256 : KC_ALG_SHA256];
	struct context want, c;

	assert_true(make(&want, is_mac, "provider=default"));
	play(&want, life);
	for (size_t at = 0; at <= strlen(life); at++) {
		unsigned long long before;
		char head[sizeof(life)];
		unsigned by_child;
		int status;
		pid_t pid;

		assert_true(make(&c, is_mac, "provider=kcrypto"));
		before = kc_count_read(&row->requests);
		snprintf(head, sizeof(head), "%.*s", (int)at, life);
		play(&c, head);
		by_child = 2 - c.messages;
		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			play(&c, life + at);
			status = memcmp(c.out, want.out, sizeof(want.out)) != 0;
			end(&c);
			_exit(status);
		}
		/* In turn first and last. */
		if (at % 2)
			assert_int_equal(waitpid(pid, &status, 0), pid);
		play(&c, life + at);
		assert_memory_equal(c.out, want.out, sizeof(want.out));
		if (at % 2 == 0)
			assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		end(&c);
		assert_int_equal(kc_count_read(&row->requests), before + 2 + by_child);
	}
	end(&want);
}

static void a_digest_goes_on_in_both_and_both_are_right(void **state)
{
	(void)state;
	fork_before_each(false);
}

static void a_mac_goes_on_in_both_and_both_are_right(void **state)
{
	(void)state;
	fork_before_each(true);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_digest_goes_on_in_both_and_both_are_right),
		cmocka_unit_test(a_mac_goes_on_in_both_and_both_are_right),
	};
	int failed;

	if (argc != 2)
		return 2;
	alarm(400);
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
