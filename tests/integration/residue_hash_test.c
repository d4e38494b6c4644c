/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of a key and of a message in this process, or in a child that goes on with them,
 * once the contexts of a digest and a MAC are freed that kept a message, one of them answered by
 * the kernel: nothing but on the stack, where OpenSSL's HMAC leaves keys and the stand-in what it
 * hashed. And of an answer, which may be a key: nothing there either.
 * usage: residue_hash_test CONFIG
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "diff/stats_file.h"
#include "integration/search.h"
#include "stats/stats_read.h"

#define LEN 16384

extern void diff_setup(OSSL_LIB_CTX *ctx);

static OSSL_LIB_CTX *lib;

static struct {
	unsigned char key[2][KC_MAX_KEY], text[LEN], answer[EVP_MAX_MD_SIZE];
} secret;

static EVP_MD *md; /* one of the two */
static EVP_MAC *mac;
static EVP_MD_CTX *md_ctx[2];
static EVP_MAC_CTX *mac_ctx[2];
static bool is_cmac;

static void make_secrets(void)
{
	search_forget_all();
	assert_int_equal(getrandom(secret.key, sizeof(secret.key), 0), sizeof(secret.key));
	for (size_t i = 0; i < LEN; i += 256)
		assert_int_equal(getrandom(secret.text + i, 256, 0), 256);
	search_note(SECRET_KEY, secret.key, sizeof(secret.key));
	search_note(SECRET_TEXT, secret.text, sizeof(secret.text));
}

static bool keep_digests(void)
{
	unsigned char out[EVP_MAX_MD_SIZE];

	md_ctx[0] = EVP_MD_CTX_new();
	md_ctx[1] = EVP_MD_CTX_new();
	return EVP_DigestInit_ex(md_ctx[0], md, NULL) &&
	       EVP_DigestUpdate(md_ctx[0], secret.text, LEN) &&
	       EVP_MD_CTX_copy_ex(md_ctx[1], md_ctx[0]) && EVP_DigestFinal_ex(md_ctx[1], out, NULL);
}

static bool keep_macs(void)
{
	char digest[] = "SHA256", inner[] = "AES-128-CBC";
	const OSSL_PARAM params[] = { is_cmac ?
					      OSSL_PARAM_construct_utf8_string("cipher", inner, 0) :
					      OSSL_PARAM_construct_utf8_string("digest", digest, 0),
				      OSSL_PARAM_END };
	size_t len = is_cmac ? 16 : sizeof(secret.key[0]);
	unsigned char out[EVP_MAX_MD_SIZE];
	size_t n;

	mac_ctx[0] = EVP_MAC_CTX_new(mac);
	return EVP_MAC_init(mac_ctx[0], secret.key[0], len, params) &&
	       EVP_MAC_update(mac_ctx[0], secret.text, LEN) &&
	       (mac_ctx[1] = EVP_MAC_CTX_dup(mac_ctx[0])) &&
	       EVP_MAC_final(mac_ctx[1], out, &n, sizeof(out)) &&
	       EVP_MAC_init(mac_ctx[0], secret.key[1], len, NULL) &&
	       EVP_MAC_update(mac_ctx[0], secret.text, LEN);
}

static void *keep_messages(void *unused)
{
	if (!(md ? keep_digests() : keep_macs()))
		abort();
	return unused;
}

/* What was kept, to its end. */
static void *end_messages(void *unused)
{
	unsigned char out[EVP_MAX_MD_SIZE];
	size_t n;

	if (!(md ? EVP_DigestFinal_ex(md_ctx[0], out, NULL) :
		   EVP_MAC_final(mac_ctx[0], out, &n, sizeof(out))))
		abort();
	return unused;
}

static void free_messages(void)
{
	for (int i = 0; i < 2; i++) {
		EVP_MD_CTX_free(md_ctx[i]);
		EVP_MAC_CTX_free(mac_ctx[i]);
		md_ctx[i] = NULL;
		mac_ctx[i] = NULL;
	}
}

static bool nothing_left(const char *who)
{
	struct findings f = search_memory();

	if (f.n[SECRET_KEY] + f.n[SECRET_TEXT] == 0)
		return true;
	fprintf(stderr, "%s: left of key %u, of text %u:%s\n", who, f.n[SECRET_KEY],
		f.n[SECRET_TEXT], f.where);
	return false;
}

static unsigned long long requests(enum kc_alg_id id)
{
	return kc_stats_sum(&stats_file_read()->row[id]).requests;
}

static void check_child(enum kc_alg_id id)
{
	unsigned long long before = requests(id);
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		search_on_a_stack(end_messages);
		search_wipe_stack();
		free_messages();
		_exit(!nothing_left("a child"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(requests(id), before + 1);
}

static void check_messages(enum kc_alg_id id)
{
	unsigned long long before = requests(id);
	struct findings f;

	make_secrets();
	search_on_a_stack(keep_messages);
	search_wipe_stack();
	assert_int_equal(requests(id), before + 1);
	explicit_bzero(&secret, sizeof(secret));
	f = search_memory();
	assert_true(f.n[SECRET_TEXT] >= 2 * (LEN / 8 - 1));
	assert_true(md || f.n[SECRET_KEY] > 0);
	check_child(id);
	free_messages();
	assert_true(nothing_left("this process"));
}

static void *ask_for_an_answer(void *unused)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (!EVP_DigestInit_ex(c, md, NULL) || !EVP_DigestUpdate(c, secret.text, LEN) ||
	    !EVP_DigestFinal_ex(c, secret.answer, NULL))
		abort();
	EVP_MD_CTX_free(c);
	return unused;
}

TEST(an_answer_is_only_where_it_was_asked_for)
{
	unsigned long long before = requests(KC_ALG_SHA256);

	md = EVP_MD_fetch(lib, "SHA256", "provider=kcrypto");
	make_secrets();
	search_on_a_stack(ask_for_an_answer);
	search_forget_all();
	search_note(SECRET_TEXT, secret.answer, 32);
	assert_true(search_memory().n[SECRET_TEXT] > 0);
	explicit_bzero(&secret, sizeof(secret));
	assert_true(nothing_left("an answer"));
	assert_int_equal(requests(KC_ALG_SHA256), before + 1);
	EVP_MD_free(md);
	md = NULL;
}

TEST(a_digest_leaves_no_message_behind)
{
	md = EVP_MD_fetch(lib, "SHA256", "provider=kcrypto");
	assert_non_null(md);
	check_messages(KC_ALG_SHA256);
	EVP_MD_free(md);
	md = NULL;
}

TEST(a_mac_leaves_neither_message_nor_key_behind)
{
	mac = EVP_MAC_fetch(lib, "HMAC", "provider=kcrypto");
	assert_non_null(mac);
	check_messages(KC_ALG_HMAC_SHA256);
	EVP_MAC_free(mac);
	/* Which /dev/crypto does not have. */
	mac = EVP_MAC_fetch(lib, "CMAC", "provider=kcrypto");
	ERR_clear_error();
	is_cmac = true;
	if (mac)
		check_messages(KC_ALG_CMAC_AES_128);
	EVP_MAC_free(mac);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	stats_file_make();
	lib = OSSL_LIB_CTX_new();
	diff_setup(lib);
	if (!OSSL_LIB_CTX_load_config(lib, argv[1]))
		return 1;
	return check_main(argc, argv);
}
