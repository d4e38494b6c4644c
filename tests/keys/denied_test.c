/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that a process loses: expired, not permitted, in a sandbox, or with too many sessions. Each
 * request fails with the reason, and an open session continues. Runs over the module on a kernel.
 */
#include "keys/steps.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <openssl/err.h>

#define MANY 64

static bool works(EVP_CIPHER_CTX *c)
{
	unsigned char out[64];
	int n = 0;

	ERR_clear_error();
	return EVP_EncryptUpdate(c, out, &n, key_bytes, 32) && n == 32;
}

/* A context that has encrypted, or NULL. */
static EVP_CIPHER_CTX *begin(EVP_SKEY *skey)
{
	EVP_CIPHER_CTX *c = key_start("AES-256-CTR", skey);

	if (!c || works(c))
		return c;
	EVP_CIPHER_CTX_free(c);
	return NULL;
}

/* A name that no other process uses, as some keys cannot be made again. */
static const char *own(const char *name)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s-%d", name, (int)getpid());
	return text;
}

static EVP_SKEY *make(const char *name, int32_t *serial)
{
	return user_key(own(name), serial);
}

/* A context with a session continues; a new context and a new import fail with @words. */
static void loses(EVP_SKEY *skey, int32_t serial, EVP_CIPHER_CTX *open, const char *words)
{
	assert_true(works(open));
	assert_null(begin(skey));
	assert_true(said(words));
	assert_null(key_by_serial(NULL, serial));
	assert_true(said(words));
}

TEST(an_expired_key_is_named_as_one)
{
	int32_t serial;
	LOCAL(EVP_SKEY) *skey = make("kcrypto-expires", &serial);
	LOCAL(EVP_CIPHER_CTX) *open = begin(skey);

	assert_non_null(open);
	assert_int_equal(syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, serial, 1), 0);
	while (syscall(SYS_keyctl, KEYCTL_READ, serial, NULL, 0) >= 0)
		usleep(50000);
	assert_int_equal(errno, EKEYEXPIRED);
	loses(skey, serial, open, "the key has expired");
}

TEST(a_key_without_permission_is_named_as_one)
{
	int32_t serial;
	LOCAL(EVP_SKEY) *skey = make("kcrypto-denied", &serial);
	LOCAL(EVP_CIPHER_CTX) *open = begin(skey);

	assert_non_null(open);
	assert_int_equal(syscall(SYS_keyctl, KEYCTL_SETPERM, serial, 0), 0);
	loses(skey, serial, open, "may not use the key");
}

static EVP_SKEY *generate(const char *name)
{
	const OSSL_PARAM params[] = { text_param("name", own(name)), text_param("type", "user"),
				      OSSL_PARAM_construct_end() };

	return key_generate(params);
}

/* The process may write the key but does not find it, and add_key() would change its bytes. */
TEST(a_key_that_is_not_found_for_want_of_permission_keeps_its_bytes)
{
	static const int all = 0x3f3f0000, no_search = 0x37370000;
	unsigned char bytes[32] = { 0 };
	int32_t serial = key_add("user", own("kcrypto-kept"), key_bytes, 32);

	assert_int_equal(syscall(SYS_keyctl, KEYCTL_SETPERM, serial, no_search), 0);
	assert_null(generate("kcrypto-kept"));
	assert_true(said("may not use the key"));
	assert_int_equal(syscall(SYS_keyctl, KEYCTL_SETPERM, serial, all), 0);
	assert_int_equal(syscall(SYS_keyctl, KEYCTL_READ, serial, bytes, 32), 32);
	assert_memory_equal(bytes, key_bytes, 32);
}

/* For a user without a quota; root's is another. */
TEST(a_quota_that_is_used_up_is_named)
{
	static const char quota[] = "/proc/sys/kernel/keys/root_maxkeys";
	FILE *f = fopen(quota, "r+e");
	int before;

	if (!f)
		skip();
	assert_int_equal(fscanf(f, "%d", &before), 1);
	rewind(f);
	assert_true(fprintf(f, "1\n") > 0 && fflush(f) == 0);
	ERR_clear_error();
	assert_null(generate("kcrypto-quota"));
	rewind(f);
	assert_true(fprintf(f, "%d\n", before) > 0 && fclose(f) == 0);
	assert_true(said("too many keys"));
}

/* The user's keys are found through the process's session keyring. */
TEST(a_new_key_does_not_hide_those_of_the_user)
{
	int32_t serial;
	LOCAL(EVP_SKEY) *skey = make("kcrypto-user", &serial), *new = generate("kcrypto-session");
	LOCAL(EVP_CIPHER_CTX) *c = begin(skey);

	assert_non_null(new);
	assert_non_null(c);
}

/* The filter permits everything, but no process can tell it from one that kills. */
static void enter_sandbox(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &all };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}

TEST(in_a_sandbox_only_open_sessions_go_on)
{
	int32_t serial;
	LOCAL(EVP_SKEY) *skey = make("kcrypto-sandbox", &serial);
	pid_t child = fork();

	if (child == 0) {
		EVP_CIPHER_CTX *open = begin(skey);

		assert_non_null(open);
		enter_sandbox();
		loses(skey, serial, open, "is in a sandbox");
		_exit(0);
	}
	assert_ends_well(child);
}

TEST(too_many_sessions_are_refused)
{
	const struct rlimit few = { MANY, MANY };
	EVP_CIPHER_CTX *c[MANY];
	int32_t serial;
	size_t n = 0;
	LOCAL(EVP_SKEY) *skey = make("kcrypto-many", &serial);

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (n < MANY && (c[n] = begin(skey)))
		n++;
	assert_true(n < MANY);
	assert_true(said("there are too many sessions"));
	for (size_t i = 0; i < n; i++)
		EVP_CIPHER_CTX_free(c[i]);
}

const struct suite suite = { 0 };
